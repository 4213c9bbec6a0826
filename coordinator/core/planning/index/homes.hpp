#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "common/base/ensure.hpp"
#include "coordinator/core/planning/index/loads.hpp"

namespace muster::coordinator {

/// The home of each wanted instance, that is, the node where it runs or will run; and the loads
/// that follow from the homes.
///
/// Owned by the planner.
class Homes {
public:
    static constexpr NodeIndex none{std::numeric_limits<std::uint32_t>::max()};

    /// The task has this many ordinals; higher ordinals lose their home.
    void resize(TaskIndex task, std::uint32_t instances) {
        std::vector<NodeIndex>& homes = made_at(homes_, task);
        for (std::size_t ordinal = instances; ordinal < homes.size(); ++ordinal) {
            set(task, static_cast<Ordinal>(ordinal), none);
        }
        if (homes.size() != instances) {
            homes.resize(instances, none);
            homes.shrink_to_fit();
        }
    }
    /// Returns the previous home.
    NodeIndex set(TaskIndex task, Ordinal ordinal, NodeIndex node);
    [[nodiscard]] NodeIndex of(TaskIndex task, Ordinal ordinal) const {
        const std::span<const NodeIndex> homes = of(task);
        return ordinal < homes.size() ? homes[ordinal] : none;
    }
    /// By ordinal. Valid until the task is resized.
    [[nodiscard]] std::span<const NodeIndex> of(TaskIndex task) const {
        return raw(task) < homes_.size() ? std::span<const NodeIndex>{homes_[raw(task)]}
                                         : std::span<const NodeIndex>{};
    }

    /// Grows whenever some home changes.
    [[nodiscard]] std::uint64_t version() const { return version_; }
    [[nodiscard]] Loads& loads() { return loads_; }
    [[nodiscard]] const Loads& loads() const { return loads_; }

private:
    friend struct CoreFields;

    std::vector<std::vector<NodeIndex>> homes_;  // By TaskIndex, then ordinal.
    Loads loads_;
    std::uint64_t version_ = 0;
};

// Inline: placing calls it for each instance.
inline NodeIndex Homes::set(TaskIndex task, Ordinal ordinal, NodeIndex node) {
    ensure(raw(task) < homes_.size() && ordinal < homes_[raw(task)].size(),
           "only a wanted instance has a home");
    const NodeIndex before = std::exchange(homes_[raw(task)][ordinal], node);
    if (before == node) {
        return before;
    }
    ++version_;
    if (before != none) {
        loads_.remove(before);
    }
    if (node != none) {
        loads_.add(node);
    }
    return before;
}

/// Counts by index that are cleared in constant time: the copies of one task on each node, or of
/// each task on one node.
template <class Index>
class Tally {
public:
    void clear() { ++stamp_; }
    void add(Index index) {
        Count& count = made_at(counts_, index);
        count = {stamp_, count.stamp == stamp_ ? count.count + 1 : 1};
    }
    /// Removes one that was added.
    void remove(Index index) {
        ensure(of(index) > 0, "what is taken back was counted");
        --counts_[raw(index)].count;
    }
    [[nodiscard]] std::uint32_t of(Index index) const {
        return raw(index) < counts_.size() && counts_[raw(index)].stamp == stamp_
                   ? counts_[raw(index)].count
                   : 0;
    }

private:
    struct Count {
        std::uint64_t stamp = 0;
        std::uint32_t count = 0;
    };
    std::vector<Count> counts_;
    std::uint64_t stamp_ = 1;
};

}  // namespace muster::coordinator
