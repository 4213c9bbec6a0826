#pragma once

#include <stdint.h>

/// The enclosure of a task whose spec asks for one. Both the shim and the agent, which tries it
/// once, use this file, so it does not use the C++ standard library.
///
/// The task sees the host's files without the right to change them, except in its own directory. It
/// has no network.
///
///     namespaces, user_namespaces   /tmp, /var/tmp and /dev/shm are its own and empty at first;
///                                   /run is empty, so that no service of the host is reached
///     landlock                      /tmp, /var/tmp and /run cannot be read or written
///
/// Landlock guards neither the modes and times of files nor connections to local sockets by path.
namespace muster::shim {

enum class SandboxMethod : uint8_t {
    none = 0,
    namespaces = 1,       ///< Of a process that may make mounts: one of root.
    user_namespaces = 2,  ///< Where the kernel gives them to every user.
    landlock = 3,         ///< Landlock for files, and seccomp for the network.
};

/// Encloses this process and its children from now on. Comes before a change of user. `own`: the
/// directory that they may change. `shown`: one that stays visible, if it exists. False: errno says
/// why, and `step` what failed.
[[nodiscard]] bool enter_sandbox(SandboxMethod method, const char* own, const char* shown,
                                 const char*& step);

/// The part for SandboxMethod::landlock.
[[nodiscard]] bool enter_landlock(const char* own, const char* shown, const char*& step);

}  // namespace muster::shim
