#include "coordinator/core/workload/copy_table.hpp"

#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

namespace {

constexpr std::size_t unsorted_most = 32;  // Searched one by one, before they are sorted in.

bool before(const Copy& a, const Copy& b) {
    return std::pair{a.ordinal, a.node} < std::pair{b.ordinal, b.node};
}

}  // namespace

std::span<const Copy> CopyTable::of(TaskIndex task) const {
    if (raw(task) >= tasks_.size()) {
        return {};
    }
    tidy(tasks_[raw(task)]);
    return tasks_[raw(task)].copies;
}

bool CopyTable::is_unused(TaskIndex task) const {
    return raw(task) >= tasks_.size() || (tasks_[raw(task)].references == 0 && of(task).empty());
}

std::vector<TaskIndex> CopyTable::take_touched() {
    for (const TaskIndex task : touched_) {
        entry(task).touched = false;
    }
    return std::exchange(touched_, {});
}

void CopyTable::touch(TaskIndex task) {
    if (!std::exchange(entry(task).touched, true)) {
        touched_.push_back(task);
    }
}

void CopyTable::unrefer(TaskIndex task) {
    ensure(entry(task).references > 0, "each instance held is counted");
    --entry(task).references;
}

// ---- what becomes of a copy ----

void CopyTable::on_reported(NodeIndex node, const ReportedInstance& instance, bool may_be_known) {
    Copy* copy = may_be_known ? find(entry(instance.task), instance.ordinal, node) : nullptr;
    if (copy == nullptr) {
        copy = &insert(instance.task, instance.ordinal, node);
    }
    const bool obeyed = !copy->reported || instance.generation > copy->generation;
    CopyOrders& orders = copy->orders;
    if (obeyed || !orders.starting) {
        orders.replacing = orders.replacing && instance.state == InstanceState::stopping;
        orders.taken_down = orders.taken_down && !has_run(instance.state);
    }
    copy->generation = instance.generation;
    copy->started = instance.started;
    copy->state = instance.state;
    copy->origin = instance.origin;
    copy->faulty = instance.exit_signal != 0 || instance.exit_code > 0;
    copy->reported = true;
}

bool CopyTable::on_gone(NodeIndex node, const ReportedInstance& instance,
                        std::optional<Generation> started) {
    touch(instance.task);
    Copy* const copy = find(entry(instance.task), instance.ordinal, node);
    if (copy == nullptr) {
        return false;
    }
    if (!copy->orders.starting) {
        erase(instance.task, *copy);
        return true;
    }
    // A start is on its way: it may yet come to be.
    copy->reported = false;
    copy->state = InstanceState::pending;
    copy->origin = Origin::ordered;
    copy->started = {};
    copy->generation = started.value_or(copy->generation);
    return true;
}

const Copy& CopyTable::on_launched(const Order& order) {
    Copy* copy = find(entry(order.task), order.ordinal, order.node);
    touch(order.task);
    if (order.action == Order::Action::stop) {
        ensure(copy != nullptr, "only a copy that is there is stopped");
        copy->orders.stopping = true;
        return *copy;
    }
    if (copy == nullptr) {
        copy = &insert(order.task, order.ordinal, order.node);
        copy->generation = order.generation;
        copy->orders.moving = is_move(order.cause);
    } else {
        copy->origin = Origin::ordered;
        copy->orders.replacing = true;
        copy->orders.taken_down = copy->orders.taken_down || copy->state == InstanceState::running;
    }
    copy->orders.starting = true;
    return *copy;
}

// What was reported is true, but for later orders of the same copy that are still on their way.
void CopyTable::on_resolved(const Order& order, bool starting, bool stopping) {
    Copy* const copy = find(entry(order.task), order.ordinal, order.node);
    if (copy == nullptr) {
        return;  // It went with an order that was resolved before.
    }
    touch(order.task);
    CopyOrders& orders = copy->orders;
    orders.starting = starting;
    orders.stopping = stopping;
    if (starting) {
        return;
    }
    if (!copy->reported) {
        erase(order.task, *copy);
    } else if (order.action == Order::Action::start) {
        const bool is_obeyed = copy->generation >= order.generation;
        const bool is_as_it_was = !is_obeyed && copy->state != InstanceState::stopping;
        orders.replacing = orders.replacing && !is_as_it_was;
        // It may have been said to run before the answer that resolves the order.
        orders.taken_down =
            orders.taken_down && !is_as_it_was && !(is_obeyed && has_run(copy->state));
    }
}

void CopyTable::set_origin(TaskIndex task, Ordinal ordinal, NodeIndex node, Origin origin) {
    touch(task);
    at(task, ordinal, node).origin = origin;
}

void CopyTable::on_arrived(TaskIndex task, Ordinal ordinal, NodeIndex node) {
    at(task, ordinal, node).orders.moving = false;
}

// ---- the table ----

void CopyTable::tidy(Entry& entry) {
    std::vector<Copy>& copies = entry.copies;
    if (entry.sorted < copies.size()) {
        const auto middle = copies.begin() + entry.sorted;
        std::sort(middle, copies.end(), before);
        std::inplace_merge(copies.begin(), middle, copies.end(), before);
    }
    if (entry.holed) {
        std::erase_if(copies, [](const Copy& copy) { return copy.erased; });
        entry.holed = false;
        if (copies.empty()) {
            copies.shrink_to_fit();
        }
    }
    entry.sorted = static_cast<std::uint32_t>(copies.size());
}

Copy* CopyTable::find(Entry& entry, Ordinal ordinal, NodeIndex node) {
    std::vector<Copy>& copies = entry.copies;
    if (copies.size() - entry.sorted > unsorted_most) {
        tidy(entry);
    }
    Copy wanted;
    wanted.ordinal = ordinal;
    wanted.node = node;
    const auto middle = copies.begin() + entry.sorted;
    const auto is_it = [&](const Copy& copy) {
        return copy.ordinal == ordinal && copy.node == node && !copy.erased;
    };
    // An erased copy may stand before the one that came after it.
    for (auto found = std::lower_bound(copies.begin(), middle, wanted, before);
         found != middle && found->ordinal == ordinal && found->node == node; ++found) {
        if (is_it(*found)) {
            return &*found;
        }
    }
    const auto found = std::find_if(middle, copies.end(), is_it);
    return found == copies.end() ? nullptr : &*found;
}

const Copy* CopyTable::find(TaskIndex task, Ordinal ordinal, NodeIndex node) const {
    return raw(task) < tasks_.size() ? find(tasks_[raw(task)], ordinal, node) : nullptr;
}

bool CopyTable::adds_up(std::size_t held, std::size_t counted) const {
    std::size_t references = 0;
    std::size_t reported = 0;
    for (const Entry& task : tasks_) {
        references += task.references;
        reported += static_cast<std::size_t>(std::ranges::count_if(
            task.copies, [](const Copy& copy) { return copy.reported && !copy.erased; }));
    }
    return references == held && reported == counted;
}

Copy& CopyTable::at(TaskIndex task, Ordinal ordinal, NodeIndex node) {
    Copy* const copy = find(entry(task), ordinal, node);
    ensure(copy != nullptr, "the copy is there");
    return *copy;
}

Copy& CopyTable::insert(TaskIndex task, Ordinal ordinal, NodeIndex node) {
    Entry& of = entry(task);
    if (of.copies.capacity() == 0) {
        of.copies.reserve(workload_[task].instances);
    }
    Copy copy;
    copy.ordinal = ordinal;
    copy.node = node;
    const bool in_order =
        of.sorted == of.copies.size() && (of.copies.empty() || before(of.copies.back(), copy));
    of.copies.push_back(copy);
    of.sorted += in_order ? 1 : 0;
    return of.copies.back();
}

void CopyTable::erase(TaskIndex task, Copy& copy) {
    copy.erased = true;
    entry(task).holed = true;
    touch(task);
}

}  // namespace muster::coordinator
