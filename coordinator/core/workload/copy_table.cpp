#include "coordinator/core/workload/copy_table.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/base/ensure.hpp"
#include "coordinator/core/workload/node_table.hpp"

namespace muster::coordinator {

namespace {

// This many are searched one by one before they are sorted in.
constexpr Duration check_again = std::chrono::milliseconds{200};  // At the health of a copy.
constexpr std::size_t unsorted_most = 32;

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
    ensure(entry(task).references > 0, "each reported instance is counted");
    --entry(task).references;
}

// ---- changes of a copy ----

namespace {

bool has_ended(InstanceState state, bool faulty) {
    return state == InstanceState::backoff || state == InstanceState::failed ||
           (state == InstanceState::exited && faulty);
}

/// Updates the copy's health from a report, before the copy itself changes. A changed start time
/// shows a restart between two reports.
void note_run(const ReportedInstance& instance, bool faulty, Copy& copy) {
    const bool is_known = copy.reported && copy.generation == instance.generation;
    const bool is_same_run = is_known && copy.started == instance.started;
    const bool had_run = is_known && copy.state == InstanceState::running;
    const bool had_ended = is_known && has_ended(copy.state, copy.faulty);
    const bool runs_on = is_same_run && instance.state == InstanceState::running;
    const bool ended_well = instance.state == InstanceState::exited && !faulty;
    const bool has_lost_run =
        had_run && !runs_on && !ended_well && instance.state != InstanceState::stopping;
    if (!is_known) {
        copy.ended_early = false;
        copy.healthy = false;
    }
    if ((has_ended(instance.state, faulty) && !had_ended) || has_lost_run) {
        copy.ended_early = copy.ended_early || !copy.healthy;
    }
    const bool keeps_health =
        is_same_run && had_run && (runs_on || instance.state == InstanceState::exited);
    copy.healthy = copy.healthy && (keeps_health || (is_same_run && copy.state == instance.state));
    copy.run_seen = copy.run_seen && keeps_health;
}

std::uint32_t ms_of(Instant at) {
    return static_cast<std::uint32_t>(
        std::chrono::floor<std::chrono::milliseconds>(at).time_since_epoch().count());
}

}  // namespace

std::optional<Instant> CopyTable::note_health(Instant now, TaskIndex task, const NodeTable& nodes) {
    if (raw(task) >= tasks_.size()) {
        return std::nullopt;
    }
    tidy(tasks_[raw(task)]);
    const Duration least = workload_[task].spec.update.min_healthy;
    std::optional<Duration> left;
    for (Copy& copy : tasks_[raw(task)].copies) {
        if (!copy.reported || copy.healthy || copy.state != InstanceState::running) {
            continue;
        }
        if (!copy.run_seen) {
            copy.run_seen = true;
            copy.run_seen_ms = ms_of(now);
        }
        // Only an answer shows that the copy still runs. In 32 bits the difference is right,
        // however often the count has begun again.
        const std::chrono::milliseconds runs_for{
            static_cast<std::int32_t>(ms_of(nodes.answered(copy.node)) - copy.run_seen_ms)};
        if (runs_for >= least) {
            copy.healthy = true;
            copy.ended_early = false;
        } else {
            left =
                std::min(left.value_or(least), std::max<Duration>(least - runs_for, check_again));
        }
    }
    return left ? std::optional<Instant>{now + *left} : std::nullopt;
}

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
    const bool faulty = instance.exit_signal != 0 || instance.exit_code > 0;
    note_run(instance, faulty, *copy);
    copy->generation = instance.generation;
    copy->started = instance.started;
    copy->state = instance.state;
    copy->origin = instance.origin;
    copy->faulty = faulty;
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
    // A start is in flight: the copy may still appear.
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
        ensure(copy != nullptr, "only an existing copy is stopped");
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

// The report decides the order, except for later orders of the same copy that are in flight.
void CopyTable::on_resolved(const Order& order, bool starting, bool stopping) {
    Copy* const copy = find(entry(order.task), order.ordinal, order.node);
    if (copy == nullptr) {
        return;  // An order that was resolved before removed the copy.
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
        // A report before this answer may have shown it running.
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
    // An erased copy may be stored before its successor.
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

bool CopyTable::is_consistent(std::size_t held, std::size_t counted) const {
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
    ensure(copy != nullptr, "the copy exists");
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
