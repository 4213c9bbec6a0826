#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

inline constexpr NodeIndex no_node{std::numeric_limits<std::uint32_t>::max()};

/// A task that is wanted, or only reported by some node.
struct Task {
    std::string name;
    bool wanted = false;
    std::uint32_t instances = 0;  ///< 0 unless wanted.
    TaskSpec spec;
    PlacementRule place;
    Digest digest;
    Generation generation{};
    Generation created{};
    /// For a task with every_node: by ordinal, the node that it is bound to, or no_node.
    std::vector<NodeIndex> bound;
    /// Ordinals that ended well in this generation. They do not run in it again, on any node.
    OrdinalSet ended_well;

    /// One instance runs on each node that suits.
    [[nodiscard]] bool is_everywhere() const { return place.every_node && instances > 0; }
    /// True if its instances run to their end, and the ends are stored. A task with every_node
    /// stores no ends, because the binding of its ordinals to nodes is not stored.
    [[nodiscard]] bool keeps_ends() const {
        return wanted && spec.restart.policy != RestartPolicy::always && !is_everywhere();
    }
    [[nodiscard]] bool has_ended_well(Ordinal ordinal) const {
        return !ended_well.empty() && keeps_ends() && ended_well.contains(ordinal);
    }
    /// All ordinals that may be wanted are below this.
    [[nodiscard]] std::uint32_t ordinals() const {
        return is_everywhere() ? static_cast<std::uint32_t>(bound.size()) : instances;
    }
};

/// The wanted tasks, in dense indices. A name keeps its index while the task is wanted or some copy
/// of it is reported or ordered. Then the planner releases the index.
class Workload {
public:
    /// `counter` is that of the store: this store never ordered a generation above it.
    explicit Workload(Generation counter = {}) : counter_{counter} {}

    [[nodiscard]] std::optional<TaskIndex> find(std::string_view name) const;
    // The container checks the index itself.
    [[nodiscard]] const Task& operator[](TaskIndex task) const { return tasks_[raw(task)]; }
    [[nodiscard]] const std::string& name(TaskIndex task) const { return names_[raw(task)]; }
    /// Indices of the wanted tasks, in the order of their names.
    [[nodiscard]] std::vector<TaskIndex> wanted() const;
    [[nodiscard]] std::size_t wanted_count() const { return wanted_count_; }
    /// Every index is below this.
    [[nodiscard]] std::size_t bound() const { return tasks_.size(); }
    [[nodiscard]] Generation counter() const { return counter_; }
    /// This store never gave the generation to a task.
    [[nodiscard]] bool is_foreign(Generation generation) const {
        return generation == Generation{} || generation > counter_;
    }

    /// Adds or changes a wanted task; its generation raises the counter.
    TaskIndex put(const StoredTask& stored);
    /// The instance ended well in the wanted generation. False: that was known before.
    bool note_end(TaskIndex index, Ordinal ordinal);
    /// Restores stored ends if they are of the wanted generation.
    void restore(const StoredEnds& ends);
    /// The task is no longer wanted. Its name stays known while it has copies.
    void unwant(TaskIndex index);
    /// A durable change took this number, or an accepted store has a higher one.
    void raise_counter(Generation counter);

    /// Sets the nodes of a task with every_node, by ordinal. For the planner.
    void bind(TaskIndex index, std::vector<NodeIndex> bound);

    /// The index of a name. Adds the name if it is not known.
    TaskIndex intern(std::string_view name);
    /// Nothing refers to the task any more: another name may get the index.
    void release(TaskIndex index);
    /// Marks all tasks as changed.
    void touch_all();
    /// The tasks that put() and unwant() changed since the last call, each once.
    [[nodiscard]] std::vector<TaskIndex> take_touched();

private:
    friend struct CoreFields;

    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };

    Task& at(TaskIndex task) { return tasks_[raw(task)]; }
    void touch(TaskIndex task);

    // Names are stored separately, because comparing a report reads only names.
    std::vector<std::string> names_;
    std::deque<Task> tasks_;  // A deque, because tasks are large and must not move when it grows.
    std::vector<bool> touched_;
    std::vector<TaskIndex> touched_list_;
    std::vector<TaskIndex> free_;
    std::unordered_map<std::string, TaskIndex, Hash, std::equal_to<>> by_name_;
    std::size_t wanted_count_ = 0;
    Generation counter_{};
};

}  // namespace muster::coordinator
