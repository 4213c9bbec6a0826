#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "coordinator/core/workload/order.hpp"
#include "coordinator/core/workload/reported_instances.hpp"

namespace muster::coordinator {

/// By task the copies that count: 32 bytes each, sorted when read. What they are follows from
/// reports and from orders in flight, which tell it here.
///
/// Owned by Placements.
class CopyTable {
public:
    explicit CopyTable(const Workload& workload) : workload_{workload} {}
    /// A copy, of another workload that has the same indices.
    CopyTable(const CopyTable& other, const Workload& workload)
        : workload_{workload}, tasks_{other.tasks_}, touched_{other.touched_} {}

    /// The copies that count (of lost nodes none), by ordinal, then node.
    [[nodiscard]] std::span<const Copy> of(TaskIndex task) const;
    [[nodiscard]] const Copy* find(TaskIndex task, Ordinal ordinal, NodeIndex node) const;
    /// Of no generation of this store: listed and left alone (conformance (i)).
    [[nodiscard]] bool is_foreign(const Copy& copy) const {
        return copy.reported && workload_.is_foreign(copy.generation);
    }
    /// Nothing this store ever ordered there.
    [[nodiscard]] bool is_stray(const Copy& copy) const {
        return is_foreign(copy) || (copy.reported && copy.origin == Origin::claimed);
    }
    /// Nodes hold so many instances, and report so many that count.
    [[nodiscard]] bool adds_up(std::size_t held, std::size_t counted) const;
    /// No node holds and no order names the task.
    [[nodiscard]] bool is_unused(TaskIndex task) const;
    /// Tasks whose copies changed since the last call, each once.
    [[nodiscard]] std::vector<TaskIndex> take_touched();
    void touch(TaskIndex task);

    /// A node holds, or does not hold any more, an instance of the task, counted or not.
    void refer_to(TaskIndex task) { ++entry(task).references; }
    void unrefer(TaskIndex task);

    /// The node reports it so, and counts. `may_be_known`: there may be a copy of it already.
    void on_reported(NodeIndex node, const ReportedInstance& instance, bool may_be_known);
    /// The node does not report it any more, or does not count. `started`: what a start that is in
    /// flight is to make of it. False: it was no copy.
    bool on_gone(NodeIndex node, const ReportedInstance& instance,
                 std::optional<Generation> started);
    /// The order is in flight.
    const Copy& on_launched(const Order& order);
    /// An order is not in flight any more; of the same copy only such are still on their way.
    void on_resolved(const Order& order, bool starting, bool stopping);
    void set_origin(TaskIndex task, Ordinal ordinal, NodeIndex node, Origin origin);
    /// A move is over: its target is a copy like any other.
    void on_arrived(TaskIndex task, Ordinal ordinal, NodeIndex node);
    /// Notes which of the task's copies have run for its min_healthy since a pass first saw them
    /// run. Gives when the next of the others will have; nothing: no other runs.
    std::optional<Instant> note_health(Instant now, TaskIndex task);

private:
    friend struct CoreFields;

    struct Entry {
        std::vector<Copy> copies;  // Sorted up to `sorted`; then a few new ones.
        std::uint32_t sorted = 0;
        std::uint32_t references = 0;
        bool holed = false;  // Has erased copies.
        bool touched = false;
    };

    Entry& entry(TaskIndex task) { return made_at(tasks_, task, workload_.bound()); }
    static void tidy(Entry& entry);
    static Copy* find(Entry& entry, Ordinal ordinal, NodeIndex node);
    /// That must be there.
    Copy& at(TaskIndex task, Ordinal ordinal, NodeIndex node);
    Copy& insert(TaskIndex task, Ordinal ordinal, NodeIndex node);
    void erase(TaskIndex task, Copy& copy);

    const Workload& workload_;
    mutable std::vector<Entry> tasks_;  // Sorted when read.
    std::vector<TaskIndex> touched_;
};

}  // namespace muster::coordinator
