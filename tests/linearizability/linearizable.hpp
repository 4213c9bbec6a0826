#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace muster::linearizability {

/// A moment on one clock for all clients.
using Moment = std::int64_t;
using Value = std::int64_t;

/// What a client asked of a register.
struct Operation {
    bool is_write = false;
    Value value = 0;  ///< Written, or read.
    Moment called = 0;
    /// Nothing: the client has no answer. A write may have happened or may happen yet; a read says
    /// nothing.
    std::optional<Moment> answered{};
};

/// Whether all that the clients saw can be explained by one order of the operations in which each
/// takes effect at one moment between its call and its answer, and each read finds the last write.
///
/// The rule is that of Herlihy and Wing, the search that of Wing and Gong: it chooses, among the
/// operations that may be next, one that fits the register's value, and goes back if none fits. As
/// Lowe found, a set of operations that was tried with the same value need not be tried again.
[[nodiscard]] bool is_linearizable(const std::vector<Operation>& history, Value initial);

}  // namespace muster::linearizability
