#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "coordinator/core/effects.hpp"
#include "coordinator/core/planning/index/by_instance.hpp"
#include "coordinator/core/planning/pass/reading.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// The recent failures of one instance: where it failed, and which nodes refused to start it.
struct FailureRecord {
    static constexpr std::size_t nodes_tried_most = 3;  ///< The first node, and two others.

    /// A node refused a start `count` times in a row, and is tried again at `again`.
    struct Refusal {
        NodeIndex node{};
        std::uint32_t count = 0;
        Instant again{};
        bool vanished = false;  ///< Instead of a refusal, the instance vanished there.
        std::string why{};      ///< The node, and its reason.
    };

    Generation generation{};           ///< The record is only for this generation.
    std::vector<NodeIndex> failed_on;  ///< The instance does not start there again.
    /// By node, in the order of arrival. A refusal ends when the instance starts anywhere. If it
    /// vanished there, the entry ends after it has run well for long.
    std::vector<Refusal> refusals;
    std::string last_refusal;  ///< Of any node: the node, and its reason.
    std::optional<Instant> good_since;
    bool ended_early = false;  ///< A copy ended before min_healthy, and none was healthy since.

    /// A roll-out may replace no other instance until this one is healthy.
    [[nodiscard]] bool has_failed() const { return ended_early || !failed_on.empty(); }
    [[nodiscard]] bool has_failed_on(NodeIndex node) const {
        return std::ranges::find(failed_on, node) != failed_on.end();
    }
    [[nodiscard]] bool has_vanished_on(NodeIndex node) const;
    /// The last refusal of this node. Null: it did not refuse.
    [[nodiscard]] const Refusal* refusal_of(NodeIndex node) const;
    /// The instance must not start there now.
    [[nodiscard]] bool excludes(NodeIndex node, Instant now) const;
    [[nodiscard]] std::uint32_t refused() const;
    /// The instance failed on as many nodes as are tried.
    [[nodiscard]] bool is_given_up() const { return failed_on.size() >= nodes_tried_most; }
    /// The instance has not come up since it failed elsewhere or was refused, so a roll-out waits
    /// for it. `kept`: the copy that stays, or null; only then `has_home` matters.
    [[nodiscard]] bool holds_up(const Copy* kept, Generation wanted, bool has_home,
                                Instant now) const;
};

/// The rule of retries, and its data. Not durable: a new leader starts to count again.
///
/// An instance that failed on a node does not start there again in this generation. It is stopped
/// and tried on up to two other nodes, each as soon as one has a place for it. A node that refused
/// a start is tried again after 1 s, doubled up to 5 min; so is a node where the instance vanished.
/// A record ends when the generation changes, and when the instance has run well for ten minutes.
class RecentFailures {
public:
    using Key = std::pair<TaskIndex, Ordinal>;

    /// The node refused a start, or an instance vanished from it, which counts like a refusal.
    void on_start_failed(Instant now, Generation generation, const FailedInstance& what);
    /// Nothing vanished on the node: it left, or was removed.
    void clear_failures(NodeIndex node);
    /// Updates the records from the copies that stay: failed or running well.
    void on_read(Instant now, TaskIndex index, const Task& task, const Reading& reading);
    void forget(TaskIndex task) { erase_task(records_, task); }

    /// Null: no recent failure.
    [[nodiscard]] const FailureRecord* find(const Key& key) const {
        const auto found = records_.find(key);
        return found == records_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] bool has_any(TaskIndex task) const { return has_task(records_, task); }
    /// The first instance whose copy of the wanted generation failed or ended before min_healthy,
    /// and has not been healthy since, even if that copy is gone. A roll-out takes no other.
    [[nodiscard]] std::optional<Ordinal> unproven(TaskIndex index, const Task& task,
                                                  const Reading& reading) const;
    /// The copy has failed, and its instance is tried elsewhere if another node has a place.
    [[nodiscard]] bool is_to_retry(const Key& key, const Copy* kept) const;
    [[nodiscard]] bool excludes(const Key& key, NodeIndex node, Instant now) const;
    /// The cause of a start of the instance on another node.
    [[nodiscard]] Cause cause_of_start(const Key& key, Cause otherwise) const {
        return find(key) != nullptr ? Cause::retry : otherwise;
    }

private:
    friend struct CoreFields;

    FailureRecord& at(const Key& key, Generation generation);
    void keep(TaskIndex index, const Task& task);
    void failed(const Key& key, Generation generation, NodeIndex node);
    void reported(Instant now, const Key& key, const Task& task, const Copy& kept);

    ByInstance<FailureRecord> records_;
};

}  // namespace muster::coordinator
