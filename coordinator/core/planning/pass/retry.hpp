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

/// What went wrong with one instance recently: where it failed, and which nodes refuse to start it.
struct FailureRecord {
    static constexpr std::size_t nodes_tried_most = 3;  ///< The first, and two others.

    /// A node refused a start so often in a row, and is asked again then.
    struct Refusal {
        NodeIndex node{};
        std::uint32_t count = 0;
        Instant again{};
        bool vanished = false;  ///< Rather, the instance was gone from there, without a word.
    };

    Generation generation{};           ///< Only this one is meant.
    std::vector<NodeIndex> failed_on;  ///< It is not tried again there.
    /// By node as they came; one ends when the instance is started anywhere, or where it vanished,
    /// when it has been well for long.
    std::vector<Refusal> refusals;
    std::string last_refusal;  ///< The node, and why.
    std::optional<Instant> good_since;

    [[nodiscard]] bool has_failed_on(NodeIndex node) const {
        return std::ranges::find(failed_on, node) != failed_on.end();
    }
    [[nodiscard]] bool has_vanished_on(NodeIndex node) const;
    /// The instance is not to be started there now.
    [[nodiscard]] bool excludes(NodeIndex node, Instant now) const;
    [[nodiscard]] std::uint32_t refused() const;
    /// It failed on as many nodes as it is tried on.
    [[nodiscard]] bool is_given_up() const { return failed_on.size() >= nodes_tried_most; }
    /// It has not come up since it failed elsewhere or was refused: a roll-out waits for it.
    /// `stay`: the copy that stays, if any; else it has a home or not.
    [[nodiscard]] bool holds_up(const Copy* stay, Generation wanted, bool has_home,
                                Instant now) const;
};

/// The rule of retries, and all that it is based on. Not durable: a new leader tries as often.
///
/// An instance that has failed on a node is not started there again in this generation. It is
/// stopped and tried on up to two other nodes, each as soon as one has a place for it. A node that
/// refused a start is asked again after 1 s, doubled up to 5 min; so is a node where the instance
/// vanished. All is forgotten when the generation changes, and when the instance has run well for
/// ten minutes.
class RecentFailures {
public:
    using Key = std::pair<TaskIndex, Ordinal>;

    /// The node refused to start it. Or what it was to run, and had obeyed or reported, is not
    /// there, which is as if it were refused.
    void on_start_failed(Instant now, Generation generation, const FailedInstance& what);
    /// Nothing has vanished on the node: it was leaving, or is no more.
    void clear_failures(NodeIndex node);
    /// Learns from the copies that stay what has failed and what runs well.
    void on_read(Instant now, TaskIndex index, const Task& task, const Reading& reading);
    void forget(TaskIndex task) { erase_task(records_, task); }

    /// Null: nothing went wrong with it.
    [[nodiscard]] const FailureRecord* find(const Key& key) const {
        const auto found = records_.find(key);
        return found == records_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] bool has_any(TaskIndex task) const { return has_task(records_, task); }
    /// The copy has failed, and its instance is tried elsewhere if there is a place.
    [[nodiscard]] bool is_to_retry(const Key& key, const Copy* stay) const;
    [[nodiscard]] bool excludes(const Key& key, NodeIndex node, Instant now) const;
    /// Of a start of the instance on a node where it was not.
    [[nodiscard]] Cause cause_of_start(const Key& key, Cause otherwise) const {
        return find(key) != nullptr ? Cause::retry : otherwise;
    }

private:
    friend struct CoreFields;

    FailureRecord& at(const Key& key, Generation generation);
    void keep(TaskIndex task, Generation generation, std::uint32_t ordinals);
    void failed(const Key& key, Generation generation, NodeIndex node);
    void reported(Instant now, const Key& key, bool runs);

    ByInstance<FailureRecord> records_;
};

}  // namespace muster::coordinator
