#pragma once

#include <cstdint>

#include "common/base/ids.hpp"
#include "common/base/names.hpp"

namespace muster::coordinator {

using muster::to_string;  // The names of enums. Others of this namespace would hide it.

/// Why a start or a stop is ordered. The name is the event's and the explanation's code.
enum class Cause : std::uint8_t {
    missing,
    lost,
    surplus,
    unwanted,
    duplicate,
    rollout,
    balance,
    drain,  ///< The node is to be left by order of an operator,
    flaky,  ///< or because it suffers a penalty.
    unfit,  ///< The node is not of the task's pool any more, or does not meet its constraints.
    retry,  ///< It failed, or was refused, on other nodes.
    every_node,
};
/// The start is that of a copy which is to take the place of one that runs elsewhere.
[[nodiscard]] constexpr bool is_move(Cause cause) {
    return cause == Cause::balance || cause == Cause::drain || cause == Cause::flaky ||
           cause == Cause::unfit;
}

/// Why a node is to be left by all that runs on it.
struct Evacuation {
    Cause cause = Cause::drain;
    bool force = false;  ///< An instance that has no other place is stopped anyway.

    friend bool operator==(const Evacuation&, const Evacuation&) = default;
};

/// One start or stop at one node.
struct Order {
    enum class Action : std::uint8_t { start, stop };
    Action action{};
    Cause cause{};
    TaskIndex task{};
    Ordinal ordinal = 0;
    NodeIndex node{};
    Generation generation{};  ///< start: the wanted one; stop: that of the copy.

    friend bool operator==(const Order&, const Order&) = default;
};

/// What became of commands, since the leadership began.
struct Outcomes {
    std::uint64_t answered = 0;    ///< A later answer of the node shows what it did.
    std::uint64_t refused = 0;     ///< The agent said that it does not do it, and why.
    std::uint64_t unanswered = 0;  ///< Its node was lost, or began a new life, before it answered.
};

}  // namespace muster::coordinator

template <>
inline constexpr auto muster::enum_names<muster::coordinator::Cause> =
    muster::name_list("missing", "lost", "surplus", "unwanted", "duplicate", "rollout", "balance",
                      "drain", "flaky", "unfit", "retry", "every_node");
