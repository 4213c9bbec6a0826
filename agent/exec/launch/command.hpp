#pragma once

#include <string>
#include <utility>

#include "agent/exec/shims/shim_link.hpp"

namespace muster::agent {

/// Why a command did not become a process.
struct LaunchFailure {
    bool permanent = false;      ///< It cannot be executed, and trying again does not help.
    bool host_at_fault = false;  ///< No memory, files or directory: not the fault of the command.
    std::string detail;
    bool needs_order = false;  ///< It lacks what only another order of the coordinator brings.
};

using NoLaunch = tl::unexpected<LaunchFailure>;

/// Something that the command needs is missing or wrong.
[[nodiscard]] inline LaunchFailure permanent(std::string detail) {
    return {true, false, std::move(detail)};
}

/// The path of a program, as a shell would find it.
[[nodiscard]] tl::expected<std::string, LaunchFailure> find_program(const std::string& name,
                                                                    const std::string& path);

/// A working directory that can be used.
[[nodiscard]] tl::expected<std::string, LaunchFailure> check_directory(const std::string& path);

/// A failure of the host's or of the command's, as the error number says.
[[nodiscard]] LaunchFailure failure_of(const std::string& what, int error);

/// Why a shim could not carry out a start.
[[nodiscard]] LaunchFailure failure_of(const ShimState& state, const std::string& program);

}  // namespace muster::agent
