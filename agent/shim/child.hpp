#pragma once

#include <sys/types.h>

#include "agent/shim/order.hpp"

namespace muster::shim {

/// What a child tells of itself when it does not become its program.
struct Failure {
    Stage stage = Stage::none;
    int error_number = 0;
};

/// Which of an order's commands.
enum class Command : uint8_t { program, pre_start, post_stop };

struct Child {
    pid_t pid = 0;
    int report = -1;  ///< Readable: a Failure, or at its end: the program runs.
};

/// How the program ended, for the command that cleans up after it.
struct Ending {
    int exit_code = -1;  ///< -1: a signal ended it.
    int exit_signal = 0;
};

/// Makes a child that prepares itself as ordered and becomes the command: a session and cgroups of
/// its own, limits, user, directory, `out` and `err` as its output. It dies with this process.
[[nodiscard]] Failure make_child(const Order& order, Command command, int out, int err,
                                 const Ending& ending, Child& into);

}  // namespace muster::shim
