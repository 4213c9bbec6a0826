#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/exec/launch/command.hpp"
#include "agent/exec/launch/environment.hpp"

namespace muster::agent {

/// A command with its variables replaced and its program found.
struct Command {
    std::string program;
    std::vector<std::string> words;
};

/// Everything that must exist on the host before the message is written.
struct Found {
    std::string directory;
    Environment environment;
    std::vector<std::string> env_files;  ///< That were read, without links.
    Command program;
    std::optional<Command> pre_start;
    std::optional<Command> post_stop;
};

/// Finds the directory and the programs of a spec. An error if the host lacks one.
[[nodiscard]] tl::expected<Found, LaunchFailure> find_all(const Spawn& spawn,
                                                          const ProcessPlace& place);

}  // namespace muster::agent
