#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"
#include "coordinator/core/state/state.hpp"

/// Who speaks: an agent comes with its hello, and goes with its goodbye or its route.
namespace muster::coordinator {

namespace {

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

void State::hear(Instant now, Session session, const Hello& hello, Output& output) {
    if (!is_valid_name(hello.name)) {
        refuse(session, Errc::invalid, "no node can be called that; " + std::string{name_rule()},
               output);
        return;
    }
    if (const auto fault = fault_of(hello.offer)) {
        refuse(session, Errc::invalid,
               "what the node offers cannot be: " + std::string{fault->field} + " " + fault->what,
               output);
        return;
    }
    if (turns_away(now, session, hello.name, output)) {
        return;
    }
    if (const auto speaker = nodes.find(session); speaker && nodes[*speaker].name != hello.name) {
        refuse(session, Errc::refused,
               "this connection speaks for " + nodes[*speaker].name +
                   "; another agent needs a connection of its own",
               output);
        return;
    }
    const auto known = nodes.find(hello.name);
    if (!known && is_full()) {
        refuse(session, Errc::busy, why_full(hello.name), output);
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
            close_route(session);  // By it another life speaks now: none that we know obeys there.
            return;
        case Standing::too_far_ahead:
            refuse(session, Errc::invalid,
                   "incarnation " + std::to_string(raw(hello.incarnation)) + " of " + hello.name +
                       " is too far above the last one known, " +
                       std::to_string(raw(node.incarnation)) +
                       ", to be a count of its starts; start it on an empty state directory",
                   output);
            return;
        case Standing::name_in_use: contest(now, *known, session, output); return;
        case Standing::same_life:
        case Standing::new_life:
            welcome(now, known ? *known : add_node(now, hello.name), session, hello, output);
            return;
    }
}

void State::contest(Instant now, NodeIndex index, Session other, Output& output) {
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

void State::refuse(Session session, Errc code, std::string detail, Output& output) const {
    output.messages.push_back(
        {session, Refused{.code = code, .detail = std::move(detail), .known = {}}});
}

bool State::turns_away(Instant now, Session session, const std::string& name, Output& output) {
    std::string why = why_unwelcome(name);
    if (why.empty()) {
        refusals.forget(name);
        return false;
    }
    if (refusals.add(name, terms.current())) {
        tell(now, "node.refused", name, why);
    }
    refuse(session, Errc::refused, std::move(why), output);
    return true;
}

std::string State::why_full(const std::string& name) const {
    if (nodes.count() >= limits::nodes) {
        return "there are " + std::to_string(nodes.count()) +
               " nodes, and no more are possible until one is removed, or lost and forgotten";
    }
    return "there are " + std::to_string(joiners()) +
           " nodes that no operator listed, and no more are possible until one is lost and "
           "forgotten; 'muster node add " +
           name + "' lets it join";
}

NodeIndex State::add_record(std::string_view name) {
    const NodeIndex index = nodes.add(name);
    nodes[index].issued = nodes[index].settled = forgotten_sequences;
    placements.add_node(index, name);
    freeze.add(index, terms.current(), false);
    has_filled = has_filled || is_full();
    return index;
}

NodeIndex State::add_node(Instant now, std::string_view name) {
    const NodeIndex index = add_record(name);
    load_intent(now, index);
    return index;
}

void State::remove_node(NodeIndex index) {
    forgotten_sequences = std::max(forgotten_sequences, nodes[index].issued);
    terms.excuse(nodes[index]);
    contests.end(nodes[index], index);
    recovery.settled(nodes[index]);
    hold_all_on(index);
    leases.forget(index);
    commands.forget(index);
    deadlines.end_all(index);
    conducts.erase(index);
    drains.erase(index);
    own_pools.erase(index);
    placements.remove_node(index);
    nodes.remove(index);
}

void State::welcome(Instant now, NodeIndex index, Session session, const Hello& hello,
                    Output& output) {
    Node& node = nodes[index];
    const bool is_first = node.life.is_none();  // In this leadership.
    const bool is_same_life = hello.life == node.life && hello.incarnation == node.incarnation;
    if (node.incarnation == Incarnation{}) {
        change(now, index, NodeChange::joined, "version " + hello.version);
    } else if (!is_first && !is_same_life) {
        change(now, index, NodeChange::restarted,
               "incarnation " + std::to_string(raw(hello.incarnation)));
    }
    if (!is_same_life) {
        terms.excuse(node);
        contests.end(node, index);
        commands.forget(index);
        hold_all_on(index);  // It may be another host, or have lost its disk.
        leases.begin_life(index);
        node.life = hello.life;
        node.incarnation = hello.incarnation;
        node.held = Revision{};
        node.reported = false;
        node.stale_checks = 0;
        nodes.touch(index);  // It may have come by the route that its last life had.
    }
    Said& said = heard_from(node);
    said.version = hello.version;
    said.limits = hello.limits;
    said.capacity_from = hello.capacity_from;
    said.claim = Claim{hello.cluster, hello.epoch, std::max(hello.counter, said.claim.counter)};
    take_offer(index, hello.offer);
    node.forgetting = false;
    const bool was_here = !is_first && !node.gone && now >= links_return_until;
    if (was_here && node.session != session) {
        count_against(now, index, Misdeed::reconnect);
    }
    if (node.session != session) {
        terms.excuse(node);  // What was asked by the other route may never have come.
    }
    nodes.attach(index, session);
    if (node.gone && !node.lost) {  // It is back, and has the time of anybody else to answer.
        change(now, index, NodeChange::returned, "said hello again after its goodbye");
        expect_return(now, index);
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

void State::send_welcome(NodeIndex index, Output& output) {
    const Node& node = nodes[index];
    output.messages.push_back(
        {*node.session, Welcome{.cluster = meta.cluster,
                                .epoch = meta.epoch,
                                .leader = meta.leader,
                                .incarnation = node.incarnation,
                                .term_ms = static_cast<std::uint32_t>(to_ms(options.term))}});
}

void State::mark_ahead(Instant now, NodeIndex index, const std::string& why) {
    if (!nodes[index].ahead) {
        change(now, index, NodeChange::ahead, why);
    }
}

void State::change(Instant now, NodeIndex index, NodeChange what, std::string cause,
                   std::optional<Instant> until) {
    Node& node = nodes[index];
    const Health health = health_of(node);
    const Intent intent = node.intent;
    enter(node, what, until);
    if (health_of(node) != health || node.intent != intent) {
        node.since = civil(now);
    }
    ++node_changes_seen[static_cast<std::size_t>(what)];
    nodes.touch(index);
    tell(now, "node." + std::string{transition_of(what).name}, node.name, std::move(cause));
}

void State::hear(Instant now, Session session, const Goodbye& goodbye, Output& /*output*/) {
    const auto index = nodes.find(session);
    if (!index) {
        ++unknown_senders;  // Who was not there cannot leave, and needs no answer.
        return;
    }
    Node& node = nodes[*index];
    if (goodbye.incarnation != node.incarnation) {
        return;
    }
    node.leaves_work = goodbye.instances > 0;
    change(now, *index, NodeChange::left, "said goodbye");
    expect_return(now, *index);
    terms.excuse(node);
    contests.end(node, *index);
    if (!node.leaves_work) {
        recovery.settled(node);
        placements.settle(*index, Placements::everything);  // It obeys nothing any more.
        placements.replace(*index, {});  // Nor does it run anything: its last report may be lost.
        node.held = Revision{};
    }
    nodes.detach(*index);
}

void State::apply(Instant /*now*/, const SessionClosed& input, Output& /*output*/) {
    close_route(input.session);
}

/// Nobody whom we know can be reached by it any more.
void State::close_route(Session session) {
    if (const auto index = nodes.find(session)) {
        terms.excuse(nodes[*index]);
        contests.end(nodes[*index], *index);
        nodes.detach(*index);
    }
}

}  // namespace muster::coordinator
