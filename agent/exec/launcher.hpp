#pragma once

#include <map>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>

#include <tl/expected.hpp>

#include "agent/core/agent.hpp"
#include "agent/exec/outputs.hpp"
#include "common/file_descriptor.hpp"
#include "common/ids.hpp"
#include "common/result.hpp"

namespace muster {

struct LauncherOptions {
    std::string node;
    std::string state;  ///< The agent's state directory; logs and working directories are below.
    std::string home_directory = "/";  ///< HOME of the tasks.
    LifeId life;                       ///< Of this agent process.
    OutputBounds outputs{};
};

struct LaunchFailure {
    bool permanent = false;      ///< Trying again will not help.
    bool host_at_fault = false;  ///< No memory, no files, ...
    std::string detail;
};

/// Makes processes: each in a session of its own, with default signals, an environment of exactly
/// the listed variables, its output in files, and no file of ours.
///
///     environment   PATH LANG HOME, then the spec's, then MUSTER_*
///     output        logs/<task>.<ordinal>.out and .err, appended (see Outputs)
///     directory     the spec's, or work/<task>.<ordinal>
///
/// A command never goes through a shell: a script needs its `#!`. posix_spawn, not fork: a large
/// process forks slowly.
class Launcher {
public:
    explicit Launcher(LauncherOptions options);

    /// Makes the directories, and lets us have as many files as we may: every process takes one of
    /// ours to watch it. Called once, before launch().
    [[nodiscard]] Result<void> open();

    [[nodiscard]] tl::expected<pid_t, LaunchFailure> launch(const Spawn& order);

    /// The instance is no more: gives up what was kept for it, except the last it printed and what
    /// it left in its directory.
    void forget(const InstanceId& id);

    [[nodiscard]] const std::string& home() const { return home_; }
    [[nodiscard]] LifeId life() const { return options_.life; }

private:
    using Environment = std::map<std::string, std::string>;

    [[nodiscard]] Environment environment_of(const Spawn& order) const;
    [[nodiscard]] tl::expected<std::string, LaunchFailure> directory_of(const Spawn& order) const;

    LauncherOptions options_;
    std::string home_;
    FileDescriptor null_;
    Outputs outputs_;
    rlimit files_ = {};  // What a task may have open: as we were started, not as we raised it.
};

}  // namespace muster
