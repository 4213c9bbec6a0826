#include <algorithm>
#include <utility>

#include "coordinator/core/planning/pass/reading.hpp"
#include "coordinator/core/queries/matching.hpp"
#include "coordinator/core/queries/notes.hpp"
#include "coordinator/core/state/state.hpp"

/// What operators read. Nothing here changes anything.
namespace muster::coordinator {

namespace {

/// Of one task: more is not read.
constexpr std::size_t verdicts_shown = 1'000;

using Names = std::vector<std::string>;
using Views = std::vector<VerdictView>;

std::uint32_t& count_of(Health health, HealthCounts& counts) {
    switch (health) {
        case Health::healthy: return counts.healthy;
        case Health::unready: return counts.unready;
        case Health::flaky: return counts.flaky;
        case Health::lost: return counts.lost;
    }
    return counts.lost;
}

std::uint32_t& count_of(Intent intent, IntentCounts& counts) {
    switch (intent) {
        case Intent::active: return counts.active;
        case Intent::draining: return counts.draining;
        case Intent::offline: return counts.offline;
    }
    return counts.active;
}

}  // namespace

CivilMs State::civil(Instant now) const {
    if (!civil_time) {
        return CivilMs{};
    }
    return static_cast<CivilMs>(raw(civil_time->at) + to_ms(now - civil_told));
}

void State::tell(Instant now, std::string topic, std::string_view name, std::string detail) {
    events.add(civil(now), std::move(topic), name, std::move(detail));
}

StatusReply State::status(Instant now) {
    const Totals totals = planner.totals();
    StatusReply reply;
    reply.cluster = meta.cluster;
    reply.epoch = meta.epoch;
    reply.term = terms.current();
    reply.counter = meta.counter;
    const Headcount all = headcount(now);
    reply.freeze = freeze_view(all.census);
    reply.miss_limit = miss_limit();
    reply.phase = reply.freeze.on ? "frozen" : recovery.runs() ? "recovering" : "leading";
    reply.nodes = static_cast<std::uint32_t>(nodes.count());
    reply.serving = all.serving;
    reply.ahead = all.ahead;
    reply.free = all.free;
    reply.busy = all.busy;
    reply.health = all.health;
    reply.intent = all.intent;
    reply.lost = reply.health.lost;
    reply.silent = all.overdue;
    reply.unconfirmed = all.unconfirmed;
    reply.mode = options.listed_only ? "listed" : "open";
    reply.refused = refusals.total();
    reply.refused_names = refusals.recent(terms.current());
    reply.unknown_senders = unknown_senders;
    reply.tasks = static_cast<std::uint32_t>(workload.wanted_count());
    reply.wanted = static_cast<std::uint32_t>(totals.wanted);
    reply.running = static_cast<std::uint32_t>(totals.running);
    reply.starting = static_cast<std::uint32_t>(totals.starting);
    reply.awaited = static_cast<std::uint32_t>(recovery.runs() ? recovery.awaited() : 0);
    reply.backoff = static_cast<std::uint32_t>(totals.backoff);
    reply.exited = static_cast<std::uint32_t>(totals.exited);
    reply.failed = static_cast<std::uint32_t>(totals.failed);
    reply.unplaced = static_cast<std::uint32_t>(totals.unplaced);
    reply.rolling = static_cast<std::uint32_t>(totals.rolling);
    reply.stopping = static_cast<std::uint32_t>(totals.stopping);
    reply.strays = static_cast<std::uint32_t>(totals.strays);
    reply.moving = static_cast<std::uint32_t>(totals.moves);
    reply.converged = !recovery.runs() && totals.unsettled == 0;
    for (const Shortage& shortage : totals.shortages) {
        if (shortage.code == recovering_code) {  // Of that there is an alarm.
            (recovery.runs() ? reply.unseen : reply.starting) += shortage.count;
        } else {
            const auto task = planner.first_short(shortage.code);
            const auto views = task ? views_if_asked(*task, {&shortage, 1}) : Views{};
            reply.unplaced_reasons.push_back(reason_of(shortage, task, views));
        }
    }
    reply.alarms = alarms(all, reply.freeze);
    return reply;
}

Headcount State::headcount(Instant now) const {
    Headcount all;
    nodes.each([&](NodeIndex index, const Node& node) {
        ++count_of(health_of(node), all.health);
        ++count_of(node.intent, all.intent);
        if (is_serving(node)) {
            ++all.serving;
            ++(placements.held(index) == 0 ? all.free : all.busy);
        }
        count_in(index, all.census);
        if (node.ahead) {
            ++all.ahead;
            all.ahead_names.add(node.name);
        }
        if (node.lost && node.gone) {
            all.left.add(node.name);
        } else if (node.lost && node.incarnation != Incarnation{}) {
            all.silent.add(node.name);
        }
        if (is_overdue(node)) {
            ++all.overdue;
        }
        if (may_return(node)) {
            all.leaving.add(node.name);
        }
        if (is_overdue(node) || may_return(node)) {
            all.unconfirmed += static_cast<std::uint32_t>(placements.held(index));
        }
        if (node.awaited) {
            all.awaited.add(node.name);
        }
        const HostFacts& host = said_by(node).host;
        if (host.unable) {
            all.unable.add(node.name);
        }
        if (host.spawn_failing) {
            all.cannot_spawn.add(node.name);
        }
        if (host.journal_failing) {
            all.cannot_write.add(node.name);
        }
    });
    for (const NodeIndex index : drains) {
        const std::string& name = nodes[index].name;
        if (is_past(intents.durable(name), civil(now))) {
            all.overdue_drains.add(name);
        }
    }
    return all;
}

std::string State::recovery_alarm(const SomeNames& awaited) const {
    const bool one = recovery.awaited() == 1;
    return "recovering: the first report of " + std::to_string(recovery.awaited()) +
           (one ? " known node" : " known nodes") + " is awaited (" + awaited.text() +
           "); until then what was wanted before is left as it is, and " +
           (freeze.is_on()
                ? "as in a freeze nobody is given up, that is until they answer, or until "
                  "'muster freeze off'"
                : "who is still silent when recovery_grace (" +
                      std::to_string(options.recovery_grace / 1s) +
                      " s) is over becomes lost, or freezes the cluster");
}

std::vector<std::string> State::alarms(const Headcount& all, const FreezeView& frozen) const {
    std::vector<std::string> sentences;
    if (frozen.on) {
        sentences.push_back(freeze_alarm(frozen));
    }
    if (own.patience() > 1) {
        sentences.push_back("the coordinator itself was late: for now a node is lost after " +
                            std::to_string(miss_limit()) + " missed polls instead of " +
                            std::to_string(options.lost_after));
    }
    if (!own.ailment().empty()) {
        sentences.push_back(
            std::string{own.ailment()} +
            "; with less than half of the nodes heard, silence counts against none");
    }
    if (recovery.runs()) {
        sentences.push_back(recovery_alarm(all.awaited));
    }
    const auto raise = [&](std::string_view sentence, const SomeNames& names,
                           std::string_view advice = "") {
        if (const std::string text = names.text(); !text.empty()) {
            sentences.push_back(std::string{sentence} + text + std::string{advice});
        }
    };
    raise("ahead: ", all.ahead_names,
          "; a later or another store is known there, and nothing is ordered; restore the right "
          "store, or take over that one with 'muster store accept'");
    raise("lost, without an answer: ", all.silent);
    raise("said goodbye: ", all.leaving,
          "; what was left running there counts until the agent returns or is lost");
    raise("lost, after a goodbye: ", all.left);
    raise("draining beyond the deadline: ", all.overdue_drains,
          "; 'muster node show' says what is still there, and why");
    raise("the host asks for no work: ", all.unable, "; 'muster node show' says why");
    raise("the host cannot make processes: ", all.cannot_spawn);
    raise("the agent cannot write its own state: ", all.cannot_write);
    return sentences;
}

NodeView State::view_of(Instant now, NodeIndex index) const {
    const Node& node = nodes[index];
    const StoredIntent row = intents.durable(node.name);
    return NodeView{.name = node.name,
                    .health = std::string{to_string(health_of(node))},
                    .note = note_of(node),
                    .incarnation = node.incarnation,
                    .instances = static_cast<std::uint32_t>(placements.held(index)),
                    .load_milli = said_by(node).host.load_milli,
                    .last_answer = node.last_answer,
                    .version = said_by(node).version,
                    .intent = std::string{to_string(node.intent)},
                    .since = node.since,
                    .idle = placements.held(index) == 0,
                    .reason = row.reason,
                    .author = row.author,
                    .warm = std::string{planner.groups().warm_for(index)},
                    .missed = node.misses,
                    .penalty_ends = node.penalty_until ? civil(*node.penalty_until) : CivilMs{},
                    .overdue = is_past(row, civil(now)),
                    .listed = row.admission == Admission::listed};
}

Result<ReplyBody> State::list_nodes(Instant now, const std::string& pattern) const {
    std::vector<std::string> names;
    for (const NodeIndex index : nodes.by_name()) {
        names.push_back(nodes[index].name);
    }
    auto matching = names_matching(pattern, std::move(names));
    if (!matching) {
        return tl::unexpected{matching.error()};
    }
    NodeListReply reply;
    for (const std::string& name : *matching) {
        reply.nodes.push_back(view_of(now, *nodes.find(name)));
    }
    if (intents.removed() > 0) {
        std::vector<std::string> removed;
        for (const auto& [name, row] : intents.rows()) {
            if (row->admission == Admission::removed) {
                removed.push_back(name);
            }
        }
        reply.removed = names_matching(pattern, std::move(removed)).value_or(Names{});
    }
    reply.refused = names_matching(pattern, refusals.recent(terms.current())).value_or(Names{});
    return ReplyBody{std::move(reply)};
}

Result<ReplyBody> State::show_node(Instant now, const std::string& name) const {
    const auto index = nodes.find(name);
    if (!index) {
        return fail(Errc::not_found, "no node is called '" + name + "'; see 'muster node list'");
    }
    const Said& said = said_by(nodes[*index]);
    return ReplyBody{NodeShowReply{view_of(now, *index), placements.instances_on(*index),
                                   placements.offer(*index), drain_of(now, *index),
                                   conduct_of(now, *index), said.limits, said.capacity_from,
                                   said.vitals, said.clock_ahead}};
}

Result<ReplyBody> State::list_tasks(const std::string& pattern) const {
    auto matching = wanted_names_matching(pattern, workload);
    if (!matching) {
        return tl::unexpected{matching.error()};
    }
    TaskListReply reply;
    WaitView view{workload, planner};
    for (const std::string& name : *matching) {
        const TaskIndex task = *workload.find(name);
        reply.tasks.push_back(view.shown(task));
    }
    return ReplyBody{std::move(reply)};
}

Result<ReplyBody> State::show_task(Instant now, const std::string& name) const {
    const auto index = workload.find(name);
    if (!index) {
        return fail(Errc::not_found, "no task is called '" + name + "'; see 'muster task list'");
    }
    const Task& task = workload[*index];
    WaitView view{workload, planner};
    const TaskStatus& status = view.status(*index);
    TaskShowReply reply{.task = view.shown(*index),
                        .wanted = WantedTask{task.name, task.instances, task.spec, task.place},
                        .instances = planner.instances_of(*index),
                        .unplaced_reasons = {}};
    for (InstanceView& instance : reply.instances) {
        add_node_note(now, task.spec.exclusive, instance);
        const auto hold = leases.hold_of(now, instance.id);
        if (hold && planner.why_missing(*index, instance.id.ordinal) == lease_code) {
            instance.detail = told_hold(*hold, hold->until - now);
        }
        const auto blocker = planner.blocker_of(*index, instance.id.ordinal);
        if (!blocker.empty() && instance.state == "running" && instance.detail.empty()) {
            instance.detail = "is to leave its node: " + std::string{sentence_of_blocker(blocker)};
        }
    }
    if (status.shortage().count > 0) {
        reply.verdicts = views_if_asked(*index, status.shortages);
        for (const Shortage& shortage : status.shortages) {
            reply.unplaced_reasons.push_back(reason_of(shortage, *index, reply.verdicts));
        }
        reply.verdicts.resize(std::min(reply.verdicts.size(), verdicts_shown));
    }
    return ReplyBody{std::move(reply)};
}

void State::add_node_note(Instant now, bool exclusive, InstanceView& instance) const {
    const auto index = nodes.find(instance.node);
    if (!index) {
        return;
    }
    const Node& node = nodes[*index];
    if (instance.state == "ordered") {  // What keeps it is known of its node alone.
        instance.detail = note_of(node);
    } else if (is_overdue(node) || may_return(node)) {
        const std::string node_note = (node.gone ? "its node " : "its node is ") + note_of(node);
        if (exclusive && leases.is_over(now, *index)) {
            instance.state = "unknown";
            instance.detail = "its lease has ended it, and " + node_note;
        } else {
            instance.detail = "unconfirmed: " + node_note +
                              (instance.detail.empty() ? "" : "; " + instance.detail);
        }
    }
}

std::vector<AheadNode> State::ahead_nodes() const {
    std::vector<AheadNode> ahead;
    for (const NodeIndex index : nodes.by_name()) {
        const Node& node = nodes[index];
        if (node.ahead) {
            const Claim& claim = said_by(node).claim;
            ahead.push_back({node.name, claim.cluster, claim.epoch, claim.counter, {}});
        }
    }
    return ahead;
}

void State::answer_waits(Instant now, Output& output) {
    const auto deadline = waits.next_deadline();
    if (deadline && (news || now >= *deadline)) {
        WaitView view{workload, planner};
        waits.answer(now, durable, view, output.replies);
    }
    news = false;
}

}  // namespace muster::coordinator
