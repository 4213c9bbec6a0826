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

/// What a node's record waits for.
enum class DueKind : std::uint8_t {
    goodbye,  ///< It said goodbye and should be back by then.
    forget,   ///< It is lost, and its record is kept until then.
    penalty,  ///< It is suspended until then.
    forgive,  ///< With good conduct until then, its relapses are not counted any more.
    drain,    ///< Its drain should have ended by then.
};
inline constexpr std::size_t due_kinds = 5;

/// When something next happens to which node without being asked for: one deadline of each kind for
/// a node, and none for a node that is forgotten. So a round costs nothing for those that wait.
class Deadlines {
public:
    struct Due {
        Instant at{};
        NodeIndex node{};
        DueKind kind{};

        friend auto operator<=>(const Due&, const Due&) = default;
    };

    /// In place of the one of this kind that the node had.
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
    /// The record is gone, and all its deadlines with it.
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
    /// The first that has passed, which ends it; in the order of time, then of nodes.
    [[nodiscard]] std::optional<Due> take_due(Instant now) {
        if (queue_.empty() || queue_.begin()->at > now) {
            return std::nullopt;
        }
        const Due due = *queue_.begin();
        end(due.node, due.kind);
        return due;
    }

private:
    friend struct CoreFields;  // Which records it.

    std::set<Due> queue_;
    std::map<std::pair<NodeIndex, DueKind>, Instant> of_node_;  // The same: few nodes have any.
};

}  // namespace muster::coordinator
