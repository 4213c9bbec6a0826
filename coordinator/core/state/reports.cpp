#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"
#include "coordinator/core/queries/notes.hpp"
#include "coordinator/core/state/state.hpp"

/// What agents report, and what follows from it at once.
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

void State::apply(Instant now, const FromAgent& input, Output& output) {
    std::visit([&](const auto& message) { hear(now, input.session, message, output); },
               input.message);
}

void State::hear(Instant now, Session session, const Report& report, Output& output) {
    const auto index = nodes.find(session);
    if (!index) {
        ++unknown_senders;
        refuse(session, Errc::hello_required, "say hello first", output);
        return;
    }
    Node& node = nodes[*index];
    if (report.epoch != meta.epoch || report.incarnation != node.incarnation) {
        return;
    }
    if (report.term == Term{}) {
        if (report.kind == ReportKind::delta && take_in(now, *index, report)) {
            news = true;
        }
        return;
    }
    if (terms.answered(node, report)) {
        answered(now, *index, report);
    }
}

void State::answered(Instant now, NodeIndex index, const Report& report) {
    Node& node = nodes[index];
    contests.end(node, index);
    const bool is_current = take_in(now, index, report);
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
        heard_from(node).clock_ahead = raw(report.vitals.at) - raw(civil(now));
    }
    if (std::exchange(node.passed_over, false)) {
        nodes.touch(index);
    }
    node.last_answer = civil(now);
    leases.heard(now, index, report.stamp);
    count_answer(now, index, report);
    if (report.obeyed > node.issued && report.obeyed < sequence_max) {
        node.issued = report.obeyed;  // We have forgotten this life; what we send must be above.
    }
    if (is_current && node.settled != node.asked_issued) {
        node.settled = node.asked_issued;
        placements.settle(index, node.settled);
        news = true;
    }
    // Until it is known what a lost node runs by now, it does not serve, and its copies do not
    // count.
    if (node.lost && is_current) {
        change(now, index, NodeChange::returned, "answered");
        leases.release(node.life);
        expect_return(now, index);
    }
    judge_readiness(now, index);
}

// What the host says of itself goes first. A check that fails makes it unready, also between polls;
// only one that ended since then makes it
// ready again, however often it has to be asked.
void State::judge_readiness(Instant now, NodeIndex index) {
    Node& node = nodes[index];
    const HostFacts& host = said_by(node).host;
    const bool is_unready = health_of(node) == Health::unready;
    if (host.unable) {
        if (node.able) {
            change(now, index, NodeChange::unready, told_unable(said_by(node)));
        }
    } else if (host.readiness == Readiness::failed && node.able) {
        node.stale_checks = host.checks;
        change(now, index, NodeChange::unready, told_check(host));
    } else if (host.readiness == Readiness::none && is_unready) {
        change(now, index, NodeChange::ready, "no check is asked for");
    } else if (host.readiness == Readiness::passed && is_unready &&
               host.checks > node.stale_checks) {
        change(now, index, NodeChange::ready, "its check passed");
    }
}

bool State::take_in(Instant now, NodeIndex index, const Report& report) {
    Node& node = nodes[index];
    const bool holds_something = node.held != Revision{};
    switch (report.kind) {
        case ReportKind::same:
            if (report.to == node.held && node.reported) {
                return true;
            }
            break;
        case ReportKind::delta:
            if (placements.held(index) + report.instances.size() > held_max) {
                break;
            }
            // It may have been asked for before an unasked one came, and so reach further back.
            if (holds_something && report.from <= node.held && report.to > node.held) {
                node.held = report.to;
                took_in(now, index, report,
                        placements.change(index, report.instances, report.gone));
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
            took_in(now, index, report, placements.replace(index, report.instances));
            if (is_first) {
                // Whatever was ordered of an earlier life died with it.
                placements.settle(index, Placements::everything);
                recovery.settled(node);
                nodes.touch(index);
            }
            return true;
        }
    }
    node.held = Revision{};
    return false;
}

void State::took_in(Instant now, NodeIndex index, const Report& report, const Applied& applied) {
    Node& node = nodes[index];
    node.at_stake = node.at_stake || placements.bears_wanted(index);
    news = news || applied.changed;
    if (!applied.sound) {
        change(now, index, NodeChange::faulty,
               "its report lists an instance twice or out of order");
        count_against(now, index, Misdeed::bad_report);
    }
    if (applied.ended && round == Round::none) {
        round = Round::touched;
    }
    if (const InstanceReport* other = applied.not_ours) {
        Claim& claim = heard_from(node).claim;
        claim.counter = std::max(claim.counter, other->generation);
        mark_ahead(now, index,
                   "it runs " + to_string(other->id) + " in generation " +
                       std::to_string(raw(other->generation)) + ", which this store never gave it");
    }
    // One that ends, perhaps because its lease did, says nothing of others.
    for (const InstanceReport* instance : applied.instances) {
        if (instance->state != InstanceState::exited && instance->state != InstanceState::failed &&
            instance->state != InstanceState::stopping) {
            leases.reported(now, instance->id);
        }
    }
    if (report.kind != ReportKind::delta) {
        return;  // What was so before is no event.
    }
    for (const InstanceReport* instance : applied.instances) {
        if (const auto topic = topic_of(instance->state); !topic.empty()) {
            events.add_of_instance(civil(now), std::string{topic}, instance->id,
                                   "on " + node.name + ending_of(*instance));
        }
    }
    for (const InstanceId* id : applied.gone) {
        events.add_of_instance(civil(now), "instance.stopped", *id, "on " + node.name);
    }
}

void State::hear(Instant now, Session session, const Ack& ack, Output& output) {
    const auto index = nodes.find(session);
    if (!index) {
        ++unknown_senders;
        refuse(session, Errc::hello_required, "say hello first", output);
        return;
    }
    const Node& node = nodes[*index];
    if (ack.incarnation != node.incarnation || ack.epoch < meta.epoch) {
        return;
    }
    bool obeys_another = ack.epoch > meta.epoch;
    bool is_at_fault = false;
    for (const Refusal& refusal : ack.refusals) {
        const std::string why =
            "by " + node.name + ": " +
            (refusal.detail.empty() ? std::string{to_string(refusal.code)} : refusal.detail);
        if (is_of_whole_batch(refusal.code)) {
            // Perhaps a late one: what is in flight is settled by the answer to the next poll.
            obeys_another =
                obeys_another || (refusal.code != Errc::stale_incarnation &&
                                  placements.is_ordered(*index, refusal.id, refusal.generation));
            events.add_of_instance(civil(now), "instance.refused", refusal.id, why);
            continue;
        }
        const bool was_start =
            placements.refused(*index, refusal.id, refusal.generation, ack.obeyed);
        const auto task = workload.find(refusal.id.task);
        if (task && refusal.code == Errc::spec_unknown) {
            commands.forget(*index, *task);
            round = std::max(round, Round::touched);
            continue;
        }
        // It came late, by whosever fault: the next one brings a later lease.
        const bool is_late = refusal.code == Errc::lease_over;
        is_at_fault = is_at_fault || !is_late;
        if (was_start && is_late) {
            round = std::max(round, Round::touched);
        } else if (was_start) {
            planner.refused(now, *task, refusal.id.ordinal, *index, why);
            round = std::max(round, Round::touched);  // Some other node may take it.
        }
        events.add_of_instance(civil(now), "instance.refused", refusal.id, why);
    }
    if (is_at_fault) {
        count_against(now, *index, Misdeed::refused_commands);
    }
    if (obeys_another) {  // Since its hello, by a message that came late.
        refuse(session, Errc::hello_required, "say hello again, for you obey another leader",
               output);
    }
}

}  // namespace muster::coordinator
