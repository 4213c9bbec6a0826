#include <algorithm>
#include <utility>

#include "common/limits.hpp"
#include "coordinator/core/state.hpp"

/// What agents say, and what follows from it at once.
namespace muster {

namespace {

/// Above this, a sequence is no honest agent's; it must not wrap ours.
constexpr Sequence sequence_max{std::uint64_t{1} << 62U};

/// A delta may not let what we hold of a node grow without end; a snapshot is bounded by itself.
constexpr std::size_t held_max = 2 * limits::instances_per_node;

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

std::string why_ahead(const Hello& hello, const Meta& ours) {
    if (!hello.cluster.is_none() && hello.cluster != ours.cluster) {
        return "it belongs to cluster " + to_string(hello.cluster);
    }
    if (hello.epoch >= ours.epoch && hello.leader != ours.leader) {
        return "it has obeyed epoch " + std::to_string(raw(hello.epoch)) + " of another leader";
    }
    return "it has seen change " + std::to_string(raw(hello.counter)) + ", and our last is " +
           std::to_string(raw(ours.counter));
}

}  // namespace

void Coordinator::State::apply(Instant now, const FromAgent& input, Output& output) {
    std::visit([&](const auto& message) { hear(now, input.session, message, output); },
               input.message);
}

void Coordinator::State::apply(Instant /*now*/, const SessionClosed& input, Output& /*output*/) {
    if (const auto index = nodes.find(input.session)) {
        terms.excuse(nodes[*index]);
        contests.end(nodes[*index], *index);
        nodes.detach(*index);
    }
}

void Coordinator::State::hear(Instant now, Session session, const Hello& hello, Output& output) {
    if (!is_valid_name(hello.name)) {
        refuse(session, Errc::invalid, "a node's name is " + std::string{name_rule()}, output);
        return;
    }
    const auto known = nodes.find(hello.name);
    if (!known && nodes.count() >= limits::nodes) {
        refuse(session, Errc::busy,
               "there are " + std::to_string(limits::nodes) + " nodes, and no more are possible",
               output);
        return;
    }
    const Node stranger;
    const Node& node = known ? nodes[*known] : stranger;
    switch (judge(node, hello)) {
        case Standing::stale_incarnation:
            refuse(session, Errc::stale_incarnation,
                   "another life of " + hello.name + " had incarnation " +
                       std::to_string(raw(node.incarnation)) + "; say a higher one",
                   output);
            std::get<Refused>(output.messages.back().message).known = node.incarnation;
            return;
        case Standing::name_in_use: contest(now, *known, session, output); return;
        case Standing::same_life:
        case Standing::new_life:
            welcome(now, known ? *known : add_node(hello.name), session, hello, output);
            return;
    }
}

void Coordinator::State::contest(Instant now, NodeIndex index, Session other, Output& output) {
    Node& node = nodes[index];
    if (contests.open(node, index, now + options.term)) {
        terms.ask(index, node, meta.epoch, output.polls);
    }
    refuse(other, Errc::name_in_use,
           "another agent says it is " + node.name + ", and is being asked whether it still lives",
           output);
    std::get<Refused>(output.messages.back().message).retry_after_ms =
        static_cast<std::uint32_t>(to_ms(options.term));
}

void Coordinator::State::refuse(Session session, Errc code, std::string detail,
                                Output& output) const {
    output.messages.push_back(
        {session, Refused{.code = code, .detail = std::move(detail), .known = {}}});
}

NodeIndex Coordinator::State::add_node(std::string_view name) {
    const NodeIndex index = nodes.add(name);
    placements.add_node(index, name);
    return index;
}

void Coordinator::State::remove_node(NodeIndex index) {
    terms.excuse(nodes[index]);
    contests.end(nodes[index], index);
    recovery.settled(nodes[index]);
    commands.forget(index);
    placements.remove_node(index);
    nodes.remove(index);
}

void Coordinator::State::welcome(Instant now, NodeIndex index, Session session, const Hello& hello,
                                 Output& output) {
    Node& node = nodes[index];
    if (node.incarnation == Incarnation{}) {
        tell(now, "node.joined", node.name, "version " + hello.version);
    }
    if (hello.life != node.life || hello.incarnation != node.incarnation) {
        terms.excuse(node);
        contests.end(node, index);
        commands.forget(index);
        node.life = hello.life;
        node.incarnation = hello.incarnation;
        node.held = Revision{};
        node.reported = false;
        nodes.touch(index);  // It may have come by the route that its last life had.
    }
    node.boot = hello.boot;
    node.version = hello.version;
    node.claim = Claim{hello.cluster, hello.epoch, std::max(hello.counter, node.claim.counter)};
    node.forgetting = false;
    nodes.attach(index, session);
    if (node.gone) {
        node.gone = false;  // It is back, and has the time of anybody else to answer.
        nodes.touch(index);
    }
    if (is_ahead(hello, meta)) {
        mark_ahead(now, index, why_ahead(hello, meta));
    }
    if (node.ahead) {
        node.misses = 0;  // It may refuse our polls for good, but it is there: it has just said so.
    }
    send_welcome(index, output);
    terms.ask(index, node, meta.epoch, output.polls);
}

void Coordinator::State::send_welcome(NodeIndex index, Output& output) {
    const Node& node = nodes[index];
    output.messages.push_back(
        {*node.session, Welcome{.cluster = meta.cluster,
                                .epoch = meta.epoch,
                                .leader = meta.leader,
                                .incarnation = node.incarnation,
                                .term_ms = static_cast<std::uint32_t>(to_ms(options.term))}});
}

void Coordinator::State::mark_ahead(Instant now, NodeIndex index, const std::string& why) {
    Node& node = nodes[index];
    if (!node.ahead) {
        node.ahead = true;
        nodes.touch(index);
        recovery.settled(node);  // It may never report; one liar must not hold up all others.
        tell(now, "node.ahead", node.name, why);
    }
}

void Coordinator::State::hear(Instant now, Session session, const Report& report, Output& output) {
    const auto index = nodes.find(session);
    if (!index) {
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

void Coordinator::State::answered(Instant now, NodeIndex index, const Report& report) {
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
    node.host = report.host;
    node.last_answer = civil(now);
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
        tell(now, "node.returned", node.name);
        node.lost = false;
        nodes.touch(index);
    }
}

bool Coordinator::State::take_in(Instant now, NodeIndex index, const Report& report) {
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
            if (holds_something && report.from == node.held && report.to > report.from) {
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

void Coordinator::State::took_in(Instant now, NodeIndex index, const Report& report,
                                 const Applied& applied) {
    const Node& node = nodes[index];
    news = news || applied.changed;
    if (!applied.sound) {
        tell(now, "node.faulty", node.name, "its report lists an instance twice or out of order");
    }
    if (applied.ended && round == Round::none) {
        round = Round::touched;
    }
    Generation highest{};
    for (const InstanceReport& instance : report.instances) {
        highest = std::max(highest, instance.generation);
    }
    if (highest > workload.counter()) {
        nodes[index].claim.counter = std::max(nodes[index].claim.counter, highest);
        mark_ahead(now, index,
                   "it runs generation " + std::to_string(raw(highest)) + ", and our last is " +
                       std::to_string(raw(workload.counter())));
    }
    if (report.kind != ReportKind::delta) {
        return;  // What was so before is no event.
    }
    for (const InstanceReport& instance : report.instances) {
        if (const auto topic = topic_of(instance.state); !topic.empty()) {
            events.add_of_instance(civil(now), std::string{topic}, instance.id,
                                   "on " + node.name + ending_of(instance));
        }
    }
    for (const InstanceId& id : report.gone) {
        events.add_of_instance(civil(now), "instance.stopped", id, "on " + node.name);
    }
}

void Coordinator::State::hear(Instant now, Session session, const Ack& ack, Output& output) {
    const auto index = nodes.find(session);
    if (!index) {
        refuse(session, Errc::hello_required, "say hello first", output);
        return;
    }
    const Node& node = nodes[*index];
    if (ack.epoch != meta.epoch || ack.incarnation != node.incarnation) {
        return;
    }
    for (const Refusal& refusal : ack.refusals) {
        placements.refused(*index, refusal.id, refusal.generation);
        const auto task = workload.find(refusal.id.task);
        if (task && refusal.code == Errc::spec_unknown) {
            commands.forget(*index, *task);
            round = std::max(round, Round::touched);
        } else {
            const std::string why =
                refusal.detail.empty() ? std::string{to_string(refusal.code)} : refusal.detail;
            events.add_of_instance(civil(now), "instance.refused", refusal.id,
                                   "by " + node.name + ": " + why);
        }
    }
}

void Coordinator::State::hear(Instant now, Session session, const Goodbye& goodbye,
                              Output& output) {
    const auto index = nodes.find(session);
    if (!index) {
        refuse(session, Errc::hello_required, "say hello first", output);
        return;
    }
    Node& node = nodes[*index];
    if (goodbye.incarnation != node.incarnation) {
        return;
    }
    tell(now, "node.left", node.name, "said goodbye");
    node.gone = true;
    node.away_since = now;
    terms.excuse(node);
    contests.end(node, *index);
    recovery.settled(node);
    placements.settle(*index, Placements::everything);  // It obeys nothing any more.
    nodes.detach(*index);
    nodes.touch(*index);
}

}  // namespace muster
