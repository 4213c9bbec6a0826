#include "coordinator/core/reports/reports.hpp"

#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"
#include "coordinator/core/nodes/notes.hpp"

namespace muster::coordinator {

namespace {

/// Above this, a sequence is no honest agent's; it must not wrap ours.
constexpr Sequence sequence_max{std::uint64_t{1} << 62U};

/// A delta may not let what we hold of a node grow without end; a snapshot is bounded by itself.
constexpr std::size_t held_max = 2 * limits::instances_per_node;

/// Said by an agent of all that a batch orders: it is not from its leader, or not for its life.
bool is_of_whole_batch(Errc code) {
    return code == Errc::stale_epoch || code == Errc::foreign_cluster ||
           code == Errc::stale_incarnation;
}

/// Something is said, and its times can be reckoned with.
bool is_sound(const HostVitals& vitals) {
    const auto is_time = [](CivilMs at) { return raw(at) >= 0 && at <= limits::civil_most; };
    return vitals.at != CivilMs{} && is_time(vitals.at) && is_time(vitals.spawned) &&
           is_time(vitals.written);
}

std::string_view topic_of(InstanceState state) {
    switch (state) {
        case InstanceState::running: return "instance.started";
        case InstanceState::backoff: return "instance.backoff";
        case InstanceState::exited: return "instance.exited";
        case InstanceState::failed: return "instance.failed";
        case InstanceState::pending:
        case InstanceState::starting:
        case InstanceState::stopping: return "";
    }
    return "";
}

std::string told_claims(const Applied& applied) {
    const InstanceReport& first = *applied.claimed;
    const std::size_t others = applied.claims - 1;
    return "it reports " + to_string(first.id) + " in generation " +
           std::to_string(raw(first.generation)) + ", which was never ordered there" +
           (others > 0 ? ", and " + std::to_string(others) + " more such instances" : "");
}

std::string ending_of(const InstanceReport& instance) {
    if (instance.state == InstanceState::running) {
        return {};
    }
    if (instance.exit_signal != 0) {
        return ": ended by signal " + std::to_string(instance.exit_signal);
    }
    if (!instance.detail.empty()) {
        return ": " + instance.detail;
    }
    return ": exit code " + std::to_string(instance.exit_code);
}

}  // namespace

void Reports::on_report(StepContext& step, Session session, const Report& report,
                        Effects& effects) {
    const auto index = nodes_.find(session);
    if (!index) {
        nodes_.count_unknown_sender();
        step.refuse(session, Errc::hello_required, "say hello first");
        return;
    }
    Node& node = nodes_.edit(*index);
    if (report.epoch != meta_.epoch || report.incarnation != node.incarnation) {
        return;
    }
    if (report.term == Term{}) {
        if (report.kind == ReportKind::delta && apply(step, *index, report, effects)) {
            effects.wake_waits = true;
        }
        return;
    }
    if (liveness_.rounds().answered(node, report)) {
        on_answer(step, *index, report, effects);
    }
}

void Reports::on_answer(StepContext& step, NodeIndex index, const Report& report,
                        Effects& effects) {
    Node& node = nodes_.edit(index);
    membership_.end_conflict(index);
    if (std::exchange(node.vanished, false)) {
        suspension_.add(step, index, Misdeed::vanished_instance);
    }
    const bool is_current = apply(step, index, report, effects);
    if (!node.reported) {
        // It was asked for all it runs and did not say: as good as silent, or recovery waits for it
        // for ever.
        ++node.misses;
        ++node.route_misses;
        return;
    }
    node.misses = 0;
    node.route_misses = 0;
    node.silent_routes = 0;
    heard_from(node).host = report.host;
    if (is_sound(report.vitals)) {
        heard_from(node).vitals = report.vitals;
        heard_from(node).clock_ahead = raw(report.vitals.at) - raw(step.civil());
    }
    if (std::exchange(node.passed_over, false)) {
        nodes_.touch(index);
    }
    node.last_answer = step.civil();
    copies_.leases.on_stamp(step.now, index, report.stamp);
    suspension_.on_answer(step, index, report);
    if (report.obeyed > node.issued && report.obeyed < sequence_max) {
        node.issued = report.obeyed;  // We have forgotten this life; what we send must be above.
    }
    if (is_current && node.settled != node.asked_issued) {
        node.settled = node.asked_issued;
        settle(step, index, report, effects);
    }
    // Until it is known what a lost node runs by now, it does not serve, and its copies do not
    // count.
    if (node.lost && is_current) {
        nodes_.transition(step, index, NodeChange::returned, "answered");
        copies_.leases.release(node.life);
        liveness_.expect_return(step.now, index);
    }
    judge_readiness(step, index);
}

// What the host says of itself goes first. A check that fails makes it unready, also between polls;
// only one that ended since then makes it
// ready again, however often it has to be asked.
void Reports::judge_readiness(StepContext& step, NodeIndex index) {
    Node& node = nodes_.edit(index);
    const HostFacts& host = said_by(node).host;
    const bool is_unready = health_of(node) == Health::unready;
    if (host.unable) {
        if (node.able) {
            nodes_.transition(step, index, NodeChange::unready, told_unable(said_by(node)));
        }
    } else if (host.readiness == Readiness::failed && node.able) {
        node.stale_checks = host.checks;
        nodes_.transition(step, index, NodeChange::unready, told_check(host));
    } else if (host.readiness == Readiness::none && is_unready) {
        nodes_.transition(step, index, NodeChange::ready, "no check is asked for");
    } else if (host.readiness == Readiness::passed && is_unready &&
               host.checks > node.stale_checks) {
        nodes_.transition(step, index, NodeChange::ready, "its check passed");
    }
}

bool Reports::apply(StepContext& step, NodeIndex index, const Report& report, Effects& effects) {
    Node& node = nodes_.edit(index);
    const bool holds_something = node.held != Revision{};
    switch (report.kind) {
        case ReportKind::same:
            if (report.to == node.held && node.reported) {
                return true;
            }
            break;
        case ReportKind::delta:
            if (copies_.placements.reported().count(index) + report.instances.size() > held_max) {
                break;
            }
            // It may have been asked for before an unasked one came, and so reach further back.
            if (holds_something && report.from <= node.held && report.to > node.held) {
                node.held = report.to;
                on_applied(step, index, report,
                           copies_.placements.change(index, report.instances, report.gone,
                                                     trust_in(node, false)),
                           effects);
                return true;
            }
            if (holds_something && report.to == node.held) {
                return true;  // It crossed the poll: an unasked delta brought the same before.
            }
            if (holds_something && report.term == Term{} && report.to < node.held) {
                return false;  // A late copy of what we have left behind.
            }
            break;
        case ReportKind::snapshot: {
            const bool is_first = !std::exchange(node.reported, true);
            node.held = report.to;
            Applied applied =
                copies_.placements.replace(index, report.instances, trust_in(node, is_first));
            if (is_first) {
                applied.vanished.clear();  // With its last life, or with the host.
                const bool was_here =
                    node.from_store || said_by(node).claim.cluster == meta_.cluster;
                applied.claimed = was_here ? nullptr : applied.claimed;
            }
            on_applied(step, index, report, applied, effects);
            if (is_first) {
                // Whatever was ordered of an earlier life died with it.
                copies_.placements.orders().resolve(index, OrdersInFlight::everything);
                liveness_.recovery().settled(node);
                nodes_.touch(index);
            }
            return true;
        }
    }
    node.held = Revision{};
    return false;
}

// What a life reports first may run there by an order of an earlier leadership; nobody ordered what
// it reports later.
Trust Reports::trust_in(const Node& node, bool is_first) const {
    Trust trust{.origin = node.ahead || is_first ? Origin::unasked : Origin::claimed};
    if (is_first && node.from_store) {
        trust.believed = liveness_.recovery().held_back().value_or(Generation{});
    }
    return trust;
}

void Reports::blame_claims(StepContext& step, NodeIndex index, std::string why) {
    nodes_.transition(step, index, NodeChange::faulty, std::move(why));
    suspension_.add(step, index, Misdeed::claimed_instance);
}

// The answer shows what became of the orders that its poll named.
void Reports::settle(StepContext& step, NodeIndex index, const Report& report, Effects& effects) {
    const Sequence settled = nodes_[index].settled;
    if (const auto first = copies_.placements.orders().disown(index, settled, report.obeyed)) {
        const InstanceId id{std::string{copies_.workload.name(first->task)}, first->ordinal};
        blame_claims(step, index,
                     "it obeyed the stop of " + to_string(id) + " and still reports it");
    }
    const auto vain = copies_.placements.orders().obeyed_in_vain(index, settled, report.obeyed);
    note_vanished(step, index, vain, "it obeyed the start, and does not report the instance",
                  effects);
    // An exclusive instance may be gone because its lease was over, and the word of that lost.
    if (has_unexclusive(vain)) {
        suspension_.add(step, index, Misdeed::vanished_instance);
    }
    copies_.placements.orders().resolve(index, settled);
    effects.wake_waits = true;
}

bool Reports::has_unexclusive(std::span<const Vanished> all) const {
    return std::ranges::any_of(
        all, [&](const Vanished& one) { return !copies_.workload[one.task].spec.exclusive; });
}

void Reports::on_applied(StepContext& step, NodeIndex index, const Report& report,
                         const Applied& applied, Effects& effects) {
    Node& node = nodes_.edit(index);
    node.at_stake = node.at_stake || copies_.placements.has_wanted_copies(index);
    effects.wake_waits = effects.wake_waits || applied.changed;
    if (!applied.sound) {
        nodes_.transition(step, index, NodeChange::faulty,
                          "its report lists an instance twice or out of order");
        suspension_.add(step, index, Misdeed::bad_report);
    }
    if (applied.claimed != nullptr && !node.ahead) {
        blame_claims(step, index, told_claims(applied));
    }
    note_vanished(step, index, applied.vanished,
                  "it reported the instance no more, nor how it ended", effects);
    // What is exclusive ends with its lease, and an agent that leaves ends all.
    node.vanished = node.vanished || has_unexclusive(applied.vanished);
    if (applied.ended) {
        effects.plan_at_least(PlanReason::touched);
    }
    if (const InstanceReport* other = applied.not_ours) {
        Claim& claim = heard_from(node).claim;
        claim.counter = std::max(claim.counter, other->generation);
        membership_.mark_ahead(step, index,
                               "it runs " + to_string(other->id) + " in generation " +
                                   std::to_string(raw(other->generation)) +
                                   ", which this store never gave it");
    }
    // One that ends, perhaps because its lease did, says nothing of others.
    for (const InstanceReport* instance : applied.instances) {
        if (instance->state != InstanceState::exited && instance->state != InstanceState::failed &&
            instance->state != InstanceState::stopping) {
            copies_.leases.on_reported(step.now, instance->id);
        }
    }
    if (report.kind != ReportKind::delta) {
        return;  // What was so before is no event.
    }
    for (const InstanceReport* instance : applied.instances) {
        if (const auto topic = topic_of(instance->state); !topic.empty()) {
            step.events.add_of_instance(step.civil(), std::string{topic}, instance->id,
                                        "on " + node.name + ending_of(*instance));
        }
    }
    for (const InstanceId* id : applied.gone) {
        step.events.add_of_instance(step.civil(), "instance.stopped", *id, "on " + node.name);
    }
}

void Reports::note_vanished(StepContext& step, NodeIndex index, std::span<const Vanished> all,
                            std::string_view how, Effects& effects) {
    for (const Vanished& one : all) {
        const std::string why = "by " + nodes_[index].name + ": " + std::string{how};
        step.events.add_of_instance(step.civil(), "instance.vanished",
                                    {std::string{copies_.workload.name(one.task)}, one.ordinal},
                                    why);
        effects.vanished.push_back({one.task, one.ordinal, index, why});
        effects.plan_at_least(PlanReason::touched);
    }
}

void Reports::on_ack(StepContext& step, Session session, const Ack& ack, Effects& effects) {
    const auto index = nodes_.find(session);
    if (!index) {
        nodes_.count_unknown_sender();
        step.refuse(session, Errc::hello_required, "say hello first");
        return;
    }
    const Node& node = nodes_[*index];
    if (ack.incarnation != node.incarnation || ack.epoch < meta_.epoch) {
        return;
    }
    bool obeys_another = ack.epoch > meta_.epoch;
    bool is_at_fault = false;
    for (const Refusal& refusal : ack.refusals) {
        const std::string why =
            "by " + node.name + ": " +
            (refusal.detail.empty() ? std::string{to_string(refusal.code)} : refusal.detail);
        if (is_of_whole_batch(refusal.code)) {
            // Perhaps a late one: what is in flight is settled by the answer to the next poll.
            obeys_another = obeys_another || (refusal.code != Errc::stale_incarnation &&
                                              copies_.placements.orders().is_ordered(
                                                  *index, refusal.id, refusal.generation));
            step.events.add_of_instance(step.civil(), "instance.refused", refusal.id, why);
            continue;
        }
        const bool was_start =
            copies_.placements.orders().refused(*index, refusal.id, refusal.generation, ack.obeyed);
        const auto task = copies_.workload.find(refusal.id.task);
        if (task && refusal.code == Errc::spec_unknown) {
            effects.specs_lacking.emplace_back(*index, *task);
            effects.plan_at_least(PlanReason::touched);
            continue;
        }
        // The lease had expired on arrival, perhaps because the network was slow. The next start
        // carries a later lease, so it does not count against the node.
        const bool is_late = refusal.code == Errc::lease_over;
        is_at_fault = is_at_fault || !is_late;
        if (was_start && is_late) {
            effects.plan_at_least(PlanReason::touched);
        } else if (was_start) {
            effects.refused.push_back({*task, refusal.id.ordinal, *index, why});
            effects.plan_at_least(PlanReason::touched);  // Some other node may take it.
        }
        step.events.add_of_instance(step.civil(), "instance.refused", refusal.id, why);
    }
    copies_.placements.orders().obeyed(*index, ack.obeyed);
    if (is_at_fault) {
        suspension_.add(step, *index, Misdeed::refused_commands);
    }
    if (obeys_another) {  // Since its hello, by a message that came late.
        step.refuse(session, Errc::hello_required, "say hello again, for you obey another leader");
    }
}

void Reports::on_undecodable(StepContext& step, Session session) {
    if (const auto index = nodes_.find(session)) {
        suspension_.add(step, *index, Misdeed::bad_report);
    }
}

}  // namespace muster::coordinator
