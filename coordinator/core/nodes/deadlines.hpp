#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace muster::coordinator {

/// The kinds of deadlines of a node's record.
enum class DueKind : std::uint8_t {
    departure,   ///< It left, and becomes lost then unless it returned.
    forget,      ///< It is lost, and its record is deleted then.
    suspension,  ///< It is suspended until then.
    forgive,     ///< Its earlier suspensions are cleared then unless it flaps again.
    drain,       ///< Its drain is overdue then.
};
inline constexpr std::size_t due_kinds = 5;

/// The deadlines of all nodes: at most one of each kind for a node, and none for a forgotten node.
/// So a waiting node costs a round nothing.
class Deadlines {
public:
    struct Due {
        Instant at{};
        NodeIndex node{};
        DueKind kind{};

        friend auto operator<=>(const Due&, const Due&) = default;
    };

    /// Replaces the deadline of this kind that the node had.
    void set(NodeIndex node, DueKind kind, Instant at) {
        end(node, kind);
        of_node_.emplace(std::pair{node, kind}, at);
        queue_.insert({at, node, kind});
    }
    void end(NodeIndex node, DueKind kind) {
        if (const auto at = of(node, kind)) {
            queue_.erase({*at, node, kind});
            of_node_.erase({node, kind});
        }
    }
    /// Ends all deadlines of a record that is deleted.
    void end_all(NodeIndex node) {
        for (std::size_t kind = 0; kind < due_kinds; ++kind) {
            end(node, static_cast<DueKind>(kind));
        }
    }
    [[nodiscard]] std::optional<Instant> of(NodeIndex node, DueKind kind) const {
        const auto found = of_node_.find({node, kind});
        return found == of_node_.end() ? std::nullopt : std::optional{found->second};
    }

    [[nodiscard]] std::size_t count() const { return queue_.size(); }
    [[nodiscard]] std::optional<Instant> next() const {
        return queue_.empty() ? std::nullopt : std::optional{queue_.begin()->at};
    }
    /// Takes out the first deadline that has passed, in the order of time, then of nodes.
    [[nodiscard]] std::optional<Due> take_due(Instant now) {
        if (queue_.empty() || queue_.begin()->at > now) {
            return std::nullopt;
        }
        const Due due = *queue_.begin();
        end(due.node, due.kind);
        return due;
    }

private:
    friend struct CoreFields;

    std::set<Due> queue_;
    // The same entries. A map, because few nodes have any.
    std::map<std::pair<NodeIndex, DueKind>, Instant> of_node_;
};

}  // namespace muster::coordinator
