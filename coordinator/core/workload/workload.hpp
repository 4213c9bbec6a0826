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

/// A task the coordinator has a name for: wanted, or only reported by some node.
struct Task {
    std::string name;
    bool wanted = false;
    std::uint32_t instances = 0;  ///< 0 unless wanted.
    TaskSpec spec;
    PlacementRule place;
    Digest digest;
    Generation generation{};
    Generation created{};
    /// Of a task of every node: by ordinal, the node that it is bound to, or no_node.
    std::vector<NodeIndex> bound;
    /// Ordinals that ended well in this generation. They are not run in it again, wherever.
    OrdinalSet ended_well;

    /// One instance runs on each node that suits, however many there are.
    [[nodiscard]] bool is_everywhere() const { return place.every_node && instances > 0; }
    /// It is to run to its end, and that is kept. Of a task of every node it is not: its ordinals
    /// are bound to nodes, and which is whose is not stored.
    [[nodiscard]] bool keeps_ends() const {
        return wanted && spec.restart.policy != RestartPolicy::always && !is_everywhere();
    }
    [[nodiscard]] bool has_ended_well(Ordinal ordinal) const {
        return !ended_well.empty() && keeps_ends() && ended_well.contains(ordinal);
    }
    /// Each ordinal that may be wanted is below this.
    [[nodiscard]] std::uint32_t ordinals() const {
        return is_everywhere() ? static_cast<std::uint32_t>(bound.size()) : instances;
    }
};

/// What is wanted, in dense indices. A name keeps its index while it is wanted or some copy of it
/// is reported or ordered; then the planner gives the index free.
class Workload {
public:
    /// `counter` is the store's: a copy of a generation above it was never ordered by this store.
    explicit Workload(Generation counter = {}) : counter_{counter} {}

    [[nodiscard]] std::optional<TaskIndex> find(std::string_view name) const;
    // The list itself ensures that this workload gave the index.
    [[nodiscard]] const Task& operator[](TaskIndex task) const { return tasks_[raw(task)]; }
    [[nodiscard]] const std::string& name(TaskIndex task) const { return names_[raw(task)]; }
    /// Indices of the wanted tasks, in the order of their names.
    [[nodiscard]] std::vector<TaskIndex> wanted() const;
    [[nodiscard]] std::size_t wanted_count() const { return wanted_count_; }
    /// Every index is below this.
    [[nodiscard]] std::size_t bound() const { return tasks_.size(); }
    [[nodiscard]] Generation counter() const { return counter_; }
    /// This store never gave it to a task.
    [[nodiscard]] bool is_foreign(Generation generation) const {
        return generation == Generation{} || generation > counter_;
    }

    /// Adds or changes a wanted task; its generation raises the counter.
    TaskIndex put(const StoredTask& stored);
    /// The instance ended well in the wanted generation. False: that was known.
    bool note_end(TaskIndex index, Ordinal ordinal);
    /// What was stored of the task, if it is of the wanted generation.
    void restore(const StoredEnds& ends);
    /// No longer wanted; the name stays known while copies of it are.
    void unwant(TaskIndex index);
    /// A durable change took this number, or the store took over a higher one.
    void raise_counter(Generation counter);

    /// The nodes of a task of every node, by ordinal: the planner's.
    void bind(TaskIndex index, std::vector<NodeIndex> bound);

    /// The index of a name, made known if it was not.
    TaskIndex intern(std::string_view name);
    /// Nothing refers to it any more: the index may be given to another name.
    void release(TaskIndex index);
    /// As if all of it had changed.
    void touch_all();
    /// What put() and unwant() changed since the last call, each once.
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

    // Names lie apart from the rest: comparing a report reads only them.
    std::vector<std::string> names_;
    std::deque<Task> tasks_;  // Each is large: a list that grows moves none of them.
    std::vector<bool> touched_;
    std::vector<TaskIndex> touched_list_;
    std::vector<TaskIndex> free_;
    std::unordered_map<std::string, TaskIndex, Hash, std::equal_to<>> by_name_;
    std::size_t wanted_count_ = 0;
    Generation counter_{};
};

}  // namespace muster::coordinator
