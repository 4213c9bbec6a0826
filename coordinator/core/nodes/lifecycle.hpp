#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/time.hpp"
#include "coordinator/core/nodes/node.hpp"

namespace muster::coordinator {

/// Everything that can happen to the record of a node.
enum class NodeChange : std::uint8_t {
    expected,
    joined,
    restarted,
    ready,
    unready,
    left,
    lost,
    returned,
    forgotten,
    suspended,
    served,
    released,
    forgiven,
    offlined,
    onlined,
    drain_began,
    drain_overdue,
    drained,
    listed,
    removed,
    ahead,
    accepted,
    faulty,
};
inline constexpr std::size_t node_changes = 23;

/// The facts of a record that a change sets. The other facts stay.
struct FactChange {
    std::optional<bool> lost{};
    std::optional<bool> gone{};
    std::optional<bool> able{};
    std::optional<bool> is_suspended{};  ///< A suspension begins, with the given end, or it ends.
    std::optional<bool> ahead{};
    std::optional<Admission> admission{};
    std::optional<Intent> intent{};
};

/// One row of the table: the healths and intents in which the change may happen, what it sets, and
/// what it means. The name is also that of its event (`node.lost`) and of its counter.
struct Transition {
    NodeChange change{};
    std::string_view name;
    std::string_view from;   ///< Healths, or `any`.
    std::string_view under;  ///< Intents, or `any`.
    FactChange sets;
    std::string_view meaning;
};

/// All rows, in the order of NodeChange. docs/internals/architecture.md shows them to people.
[[nodiscard]] const std::array<Transition, node_changes>& transitions();
[[nodiscard]] const Transition& transition_of(NodeChange change);

/// True if the table has this change for a node with these facts.
[[nodiscard]] bool may_happen(const Node& node, NodeChange change);
/// Sets the facts. `until`: the end of a suspension that begins.
void enter(Node& node, NodeChange change, std::optional<Instant> until = {});

}  // namespace muster::coordinator
