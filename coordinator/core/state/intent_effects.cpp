#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "common/base/ensure.hpp"
#include "coordinator/core/planning/pass/reading.hpp"
#include "coordinator/core/queries/notes.hpp"
#include "coordinator/core/state/state.hpp"

/// What follows from what operators want of nodes, once it is durable.
namespace muster::coordinator {

namespace {

NodeChange change_to(Intent intent, bool drained) {
    switch (intent) {
        case Intent::active: return NodeChange::onlined;
        case Intent::draining: return NodeChange::drain_began;
        case Intent::offline: return drained ? NodeChange::drained : NodeChange::offlined;
    }
    ensure(false, "every intent has a change that leads to it");
    return NodeChange::onlined;
}

std::string how_to_join(const std::string& name) {
    return "; 'muster node add " + name + "' lets it join";
}

std::string told_removed(const std::string& name) {
    return "an operator removed " + name + how_to_join(name);
}

}  // namespace

void State::take_effect(Instant now, const IntentsWritten& written, Output& output) {
    for (const Shared<StoredIntent>& row : written.rows) {
        intents.take_effect(row);
        if (row->admission == Admission::listed) {
            refusals.forget(row->name);
        }
        if (!std::ranges::binary_search(written.removed, row->name)) {
            adopt(now, *row, written.drained);
        }
    }
    for (const std::string& name : written.removed) {
        retire(now, name, told_cause(written.why.author, written.why.reason), output);
    }
    for (const std::string& name : written.forgiven) {
        if (const auto index = nodes.find(name)) {
            pardon(now, *index, told_cause(written.why.author, written.why.reason));
        }
    }
    round = std::max(round, Round::touched);
}

void State::load_intent(Instant now, NodeIndex index) {
    Node& node = nodes[index];
    const StoredIntent row = intents.durable(node.name);
    node.intent = row.intent;
    node.admission = row.admission;
    node.since = row.since;
    node.at_stake = node.at_stake || !says_nothing(row);
    watch_drain(now, index, row);
}

void State::adopt(Instant now, const StoredIntent& row, bool drained) {
    const auto known = nodes.find(row.name);
    if (!known && row.admission != Admission::listed) {
        return;
    }
    const NodeIndex index = known ? *known : add_record(row.name);
    if (!known) {
        change(now, index, NodeChange::expected, told_cause(row.author, row.reason));
        nodes.strike(index);
    } else if (nodes[index].admission != row.admission) {
        change(now, index, NodeChange::listed, told_cause(row.author, row.reason));
    }
    if (nodes[index].intent != row.intent) {
        change(now, index, change_to(row.intent, drained), told_cause(row.author, row.reason));
    }
    if (!row.pool.empty() || own_pools.contains(index)) {
        take_offer(index, own_offer(index));
    }
    watch_drain(now, index, row);
    nodes[index].at_stake = true;
    nodes.touch(index);
}

void State::take_offer(NodeIndex index, Offer said) {
    std::string pool = intents.durable(nodes[index].name).pool;
    if (pool.empty()) {
        own_pools.erase(index);
    } else {
        std::swap(pool, said.pool);
        own_pools.insert_or_assign(index, std::move(pool));
    }
    placements.set_offer(index, said);
}

Offer State::own_offer(NodeIndex index) const {
    Offer offer = placements.offer(index);
    if (const auto found = own_pools.find(index); found != own_pools.end()) {
        offer.pool = found->second;
    }
    return offer;
}

void State::retire(Instant now, const std::string& name, std::string cause, Output& output) {
    const auto index = nodes.find(name);
    if (!index) {
        return;
    }
    const Node& node = nodes[*index];
    if (node.session) {
        refuse(*node.session, Errc::refused, told_removed(name), output);
    }
    change(now, *index, NodeChange::removed, std::move(cause));
    const bool row_follows = node.row_pending;
    remove_node(*index);
    if (row_follows) {  // A row of it that is on its way would come back to life.
        persist_nodes({.put = {}, .erased = {name}}, output);
    }
}

std::string State::why_unwelcome(const std::string& name) const {
    const Admission admission = intents.durable(name).admission;
    if (admission == Admission::removed) {
        return told_removed(name);
    }
    const bool is_stranger = !nodes.find(name) && admission != Admission::listed;
    return options.listed_only && is_stranger
               ? name + " is not on the list of nodes" + how_to_join(name)
               : "";
}

void State::watch_drain(Instant now, NodeIndex index, const StoredIntent& row) {
    deadlines.end(index, DueKind::drain);
    if (row.intent != Intent::draining) {
        drains.erase(index);
        return;
    }
    drains.insert(index);
    if (row.deadline != CivilMs{} && civil_time) {
        const auto left = std::max<std::int64_t>(0, raw(row.deadline) - raw(civil(now)));
        deadlines.set(index, DueKind::drain, now + std::chrono::milliseconds{left});
    }
}

std::optional<Evacuation> State::evacuation_of(const Node& node) const {
    if (node.intent == Intent::draining) {
        return Evacuation{.cause = Cause::drain, .force = intents.durable(node.name).force};
    }
    const bool is_left =
        node.penalty_until && options.flaky_tasks == FlakyTasks::move && !freeze.is_on();
    return is_left ? std::optional{Evacuation{.cause = Cause::flaky}} : std::nullopt;
}

void State::tell_overdue(Instant now, NodeIndex index) {
    if (is_drained(index, fleet(now))) {  // Only its row is still to be stored.
        deadlines.set(index, DueKind::drain, now + options.term);
        return;
    }
    const DrainView drain = drain_of(now, index);
    std::string cause = "not empty by its deadline";
    constexpr std::size_t named = 5;
    for (std::size_t at = 0; at < std::min(named, drain.blocked_by.size()); ++at) {
        const DrainBlocker& blocker = drain.blocked_by[at];
        cause += (at == 0 ? ": " : ", ") + blocker.instance +
                 (blocker.instance.empty() ? "" : " ") + blocker.code;
    }
    if (drain.blocked_by.size() > named) {
        cause += " and " + std::to_string(drain.blocked_by.size() - named) + " more";
    }
    change(now, index, NodeChange::drain_overdue, std::move(cause));
}

void State::settle_drains(Instant now, Output& output) {
    IntentsWritten written{.rows = {}, .removed = {}, .drained = true, .changes = {}};
    const Fleet all = fleet(now);
    for (const NodeIndex index : drains) {
        const StoredIntent row = intents.proposed(nodes[index].name);
        if (row.intent != Intent::draining || !is_drained(index, all)) {
            continue;
        }
        StoredIntent after = row.remove ? removed_row(row, all.listed_only) : row;
        if (row.remove) {
            written.removed.push_back(row.name);
            written.why = {.reason = row.reason, .author = row.author};
        } else {
            after.intent = Intent::offline;
            after.since = all.now;
            after.deadline = CivilMs{};
            after.force = false;
        }
        written.rows.emplace_back(std::move(after));
    }
    if (!written.rows.empty()) {
        std::ranges::sort(written.removed);
        persist_intents(std::move(written), output);
    }
}

DrainView State::drain_of(Instant now, NodeIndex index) const {
    const Node& node = nodes[index];
    const StoredIntent row = intents.durable(node.name);
    DrainView view;
    if (row.intent != Intent::draining) {
        return view;
    }
    view.running = true;
    view.deadline = row.deadline;
    view.overdue = is_past(row, civil(now));
    view.force = row.force;
    view.remove = row.remove;
    if (is_lost(node) || !node.reported) {
        view.blocked_by.push_back(
            {"", "silent", "the agent does not answer, so nobody knows what runs there"});
    }
    add_blockers(index, view.blocked_by);
    if (view.blocked_by.empty() && placements.in_flight(index) > 0) {
        view.blocked_by.push_back(
            {"", "settling", "its next answer is to show what became of the last orders"});
    }
    return view;
}

void State::add_blockers(NodeIndex index, std::vector<DrainBlocker>& to) const {
    for (const Blocker& blocker : planner.blocked_on(index)) {
        to.push_back({to_string(blocker.id), std::string{blocker.code},
                      std::string{sentence_of_blocker(blocker.code)}});
    }
}

}  // namespace muster::coordinator
