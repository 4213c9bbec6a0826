#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "coordinator/core/planning/index/candidates.hpp"
#include "coordinator/core/planning/pass/places.hpp"

namespace muster::coordinator {

/// Each node's value of one label, as a small number. Nodes without the label share one number.
struct LabelValues {
    std::vector<std::uint32_t> of;  ///< By NodeIndex.
    std::uint32_t count = 0;        ///< Numbers are below this.
    std::uint64_t offers = 0;       ///< Up to date with this many changes of offers.
};

/// What each task requires of its nodes.
class Requirements {
public:
    Requirements(const Workload& workload, const Placements& placements, const Places& places)
        : workload_{workload},
          placements_{placements},
          candidates_{placements, places.homes(), places.ledger()} {}

    /// The placement rule of the task changed.
    void classify(TaskIndex index);
    [[nodiscard]] ClassIndex of(TaskIndex index) const {
        return raw(index) < tasks_.size() ? tasks_[raw(index)].asks : Candidates::plain;
    }
    [[nodiscard]] Candidates& candidates() { return candidates_; }
    [[nodiscard]] const Candidates& candidates() const { return candidates_; }
    /// Pool and labels of the node match the task.
    [[nodiscard]] bool admits(TaskIndex index, NodeIndex node) const {
        return candidates_.admits(of(index), node);
    }
    /// The values of a label that tasks spread over.
    [[nodiscard]] const LabelValues& values_of(const std::string& key);
    /// Every instance may run on every serving node that is not full: an even spread is possible.
    [[nodiscard]] bool is_uniform() const {
        return ruled_tasks_ == 0 && candidates_.is_trivial(Candidates::plain);
    }

private:
    friend struct CoreFields;

    struct PerTask {
        ClassIndex asks{};
        bool ruled = false;  // Counted in `ruled_tasks_`.
    };

    const Workload& workload_;
    const Placements& placements_;
    Candidates candidates_;
    std::vector<PerTask> tasks_;
    std::uint32_t ruled_tasks_ = 0;  // Tasks whose rule some nodes might not meet.
    std::map<std::string, LabelValues> label_columns_;
};

}  // namespace muster::coordinator
