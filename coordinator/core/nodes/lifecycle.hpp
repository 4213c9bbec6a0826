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

/// What a change sets of the facts of a record; what is not named stays.
struct FactChange {
    std::optional<bool> lost{};
    std::optional<bool> gone{};
    std::optional<bool> able{};
    std::optional<bool> penalty{};  ///< It begins, with the end that is given, or it is over.
    std::optional<bool> ahead{};
    std::optional<Admission> admission{};
    std::optional<Intent> intent{};
};

/// One row of the table: in which health and under which intent it may happen, what it sets, and
/// what it means. Its name is that of its event, `node.lost`, and of its counter.
struct Transition {
    NodeChange change{};
    std::string_view name;
    std::string_view from;   ///< Healths, or `any`.
    std::string_view under;  ///< Intents, or `any`.
    FactChange sets;
    std::string_view meaning;
};

/// All there are, in the order of NodeChange. docs/internals/architecture.md shows them to people.
[[nodiscard]] const std::array<Transition, node_changes>& transitions();
[[nodiscard]] const Transition& transition_of(NodeChange change);

/// True if the table has this change for a node with these facts.
[[nodiscard]] bool may_happen(const Node& node, NodeChange change);
/// Sets the facts. `until`: when a penalty that begins ends.
void enter(Node& node, NodeChange change, std::optional<Instant> until = {});

}  // namespace muster::coordinator
