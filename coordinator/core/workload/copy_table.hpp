#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "coordinator/core/workload/order.hpp"
#include "coordinator/core/workload/reported_instances.hpp"

namespace muster::coordinator {

class NodeTable;

/// The copies that count, by task: 32 bytes each, sorted when read. Reports and orders in flight
/// change them through the on_...() functions.
///
/// Owned by Placements.
class CopyTable {
public:
    explicit CopyTable(const Workload& workload) : workload_{workload} {}
    /// A copy for another workload with the same indices.
    CopyTable(const CopyTable& other, const Workload& workload)
        : workload_{workload}, tasks_{other.tasks_}, touched_{other.touched_} {}

    /// The copies that count (none on lost nodes), by ordinal, then node.
    [[nodiscard]] std::span<const Copy> of(TaskIndex task) const;
    [[nodiscard]] const Copy* find(TaskIndex task, Ordinal ordinal, NodeIndex node) const;
    /// The generation is not of this store: listed and left alone (conformance (i)).
    [[nodiscard]] bool is_foreign(const Copy& copy) const {
        return copy.reported && workload_.is_foreign(copy.generation);
    }
    /// This store never ordered the copy there.
    [[nodiscard]] bool is_stray(const Copy& copy) const {
        return is_foreign(copy) || (copy.reported && copy.origin == Origin::unordered);
    }
    /// Checks the totals: instances that nodes report, and those among them that count.
    [[nodiscard]] bool is_consistent(std::size_t held, std::size_t counted) const;
    /// No node reports the task, and no order names it.
    [[nodiscard]] bool is_unused(TaskIndex task) const;
    /// Tasks whose copies changed since the last call, each once.
    [[nodiscard]] std::vector<TaskIndex> take_touched();
    void touch(TaskIndex task);

    /// A node reports an instance of the task, or no longer reports it, counted or not.
    void refer_to(TaskIndex task) { ++entry(task).references; }
    void unrefer(TaskIndex task);

    /// A node that counts reports the instance. `may_be_known`: its copy may exist already.
    void on_reported(NodeIndex node, const ReportedInstance& instance, bool may_be_known);
    /// The node no longer reports the instance, or does not count. `started`: the generation of a
    /// start in flight. False: there was no copy.
    bool on_gone(NodeIndex node, const ReportedInstance& instance,
                 std::optional<Generation> started);
    /// The order is in flight now.
    const Copy& on_launched(const Order& order);
    /// The order is not in flight any more. `starting`, `stopping`: whether other orders of the
    /// copy still are.
    void on_resolved(const Order& order, bool starting, bool stopping);
    void set_origin(TaskIndex task, Ordinal ordinal, NodeIndex node, Origin origin);
    /// A move is complete: its target is an ordinary copy now.
    void on_arrived(TaskIndex task, Ordinal ordinal, NodeIndex node);
    /// Marks copies of the task as healthy that have run for min_healthy from the pass that first
    /// saw them run to the last answer of their node. Returns when to look again; nothing if no
    /// other copy runs.
    std::optional<Instant> note_health(Instant now, TaskIndex task, const NodeTable& nodes);

private:
    friend struct CoreFields;

    struct Entry {
        std::vector<Copy> copies;  // Sorted up to `sorted`; then a few new ones.
        std::uint32_t sorted = 0;
        std::uint32_t references = 0;
        bool holed = false;  // Has erased copies.
        bool touched = false;
    };

    Entry& entry(TaskIndex task) { return made_at(tasks_, task); }
    static void tidy(Entry& entry);
    static Copy* find(Entry& entry, Ordinal ordinal, NodeIndex node);
    /// The copy, which must exist.
    Copy& at(TaskIndex task, Ordinal ordinal, NodeIndex node);
    Copy& insert(TaskIndex task, Ordinal ordinal, NodeIndex node);
    void erase(TaskIndex task, Copy& copy);

    const Workload& workload_;
    mutable std::deque<Entry> tasks_;  // Sorted when read. A deque, which moves none as it grows.
    std::vector<TaskIndex> touched_;
};

}  // namespace muster::coordinator
