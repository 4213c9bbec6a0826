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
    drain,  ///< The node is evacuated by an operator,
    flaky,  ///< or because it is suspended.
    unfit,  ///< The node is not in the task's pool any more, or does not meet its constraints.
    retry,  ///< The instance failed, or was refused, on other nodes.
    every_node,
};
/// True if the start is of a copy that replaces one on another node.
[[nodiscard]] constexpr bool is_move(Cause cause) {
    return cause == Cause::balance || cause == Cause::drain || cause == Cause::flaky ||
           cause == Cause::unfit;
}

/// Why all instances of a node must move elsewhere.
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

/// The outcomes of commands since the leadership began.
struct Outcomes {
    std::uint64_t answered = 0;    ///< A later answer of the node shows the outcome.
    std::uint64_t refused = 0;     ///< The agent refused the command with a reason.
    std::uint64_t unanswered = 0;  ///< The node was lost, or began a new life, before it answered.
};

}  // namespace muster::coordinator

template <>
inline constexpr auto muster::enum_names<muster::coordinator::Cause> =
    muster::name_list("missing", "lost", "surplus", "unwanted", "duplicate", "rollout", "balance",
                      "drain", "flaky", "unfit", "retry", "every_node");
