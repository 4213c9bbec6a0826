#pragma once

#include <sys/types.h>

#include "agent/shim/order.hpp"

namespace muster::shim {

/// Why a child could not become its program. The child reports it.
struct Failure {
    Stage stage = Stage::none;
    int error_number = 0;
};

/// One of an order's commands.
enum class Command : uint8_t { program, pre_start, post_stop };

struct Child {
    pid_t pid = 0;
    int report = -1;  ///< Readable: a Failure; or end of file: the program runs.
};

/// How the program ended, for the post_stop command.
struct Ending {
    int exit_code = -1;  ///< -1: a signal ended it.
    int exit_signal = 0;
};

/// Creates a child that sets up its own session, cgroups, limits, user, directory and output (`out`
/// and `err`), gives up all privileges and executes the command. It dies with this process.
[[nodiscard]] Failure make_child(const Order& order, Command command, int out, int err,
                                 const Ending& ending, Child& into);

}  // namespace muster::shim
