#include "coordinator/core/membership/membership.hpp"

#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"
#include "coordinator/core/nodes/node_rows.hpp"
#include "coordinator/core/nodes/readiness.hpp"

namespace muster::coordinator {

namespace {

std::string why_ahead(const Hello& hello, const Meta& ours) {
    if (!hello.cluster.is_none() && hello.cluster != ours.cluster) {
        return "it belongs to cluster " + to_string(hello.cluster);
    }
    if (hello.epoch >= ours.epoch && hello.leader != ours.leader) {
        return "it has obeyed epoch " + std::to_string(raw(hello.epoch)) + " of another leader";
    }
    return "it has seen change " + std::to_string(raw(hello.counter)) +
           ", and the last change of this store is " + std::to_string(raw(ours.counter));
}

std::string how_to_join(const std::string& name) {
    return "; 'muster node add " + name + "' lets it join";
}

}  // namespace

std::string describe_removed(const std::string& name) {
    return "an operator removed " + name + how_to_join(name);
}

void Membership::restore(const StepContext& step) {
    for (const NodeIndex index : in_.nodes.by_name()) {
        const Node& node = in_.nodes[index];
        in_.copies.placements.add_node(index, node.name);
        load_intent(step, index);
        // According to the store, these nodes served before this leadership.
        in_.freeze.add(index, !node.lost && !node.gone && !node.ahead);
    }
    in_.freeze.restore();
    in_.ledger.intents().rows().each([&](const std::string& name, const StoredIntent& row) {
        if (row.admission == Admission::listed && !in_.nodes.find(name)) {  // It never joined.
            const NodeIndex index = add_record(name);
            in_.nodes.expect(index);
            load_intent(step, index);
        }
        if (const auto index = in_.nodes.find(name)) {
            pools_.update(*index, row.name);
            in_.nodes.count_toward_freeze(*index);
            in_.nodes.touch(*index);
        }
    });
    for (const NodeIndex index : in_.nodes.by_name()) {
        in_.liveness.expect_return(step.now, index);
    }
    // Only now are all records there, so only now is it known whether the fleet is full.
    static_cast<void>(in_.room.take_became_full());
    in_.room.note_if_full();
}

FleetView Membership::fleet(CivilMs now) const {
    return {.nodes = in_.nodes,
            .intents = in_.ledger.intents(),
            .placements = in_.copies.placements,
            .pools = pools_,
            .now = now,
            .listed_only = options_.listed_only};
}

// ---- agents ----

void Membership::on_hello(StepContext& step, const FromAgent& input, const Hello& hello,
                          Effects& effects) {
    const Session session = input.session;
    if (!is_valid_name(hello.name)) {
        step.refuse(session, Errc::invalid,
                    "the name of the node is not valid; " + std::string{name_rule()});
        return;
    }
    if (const auto fault = fault_of(hello.offer)) {
        step.refuse(
            session, Errc::invalid,
            "the offer of the node is not valid: " + std::string{fault->field} + " " + fault->what);
        return;
    }
    if (const auto admitted = in_.access.may_join(input.by, hello.name, step.civil()); !admitted) {
        step.refuse(session, admitted.error().code, admitted.error().detail);
        return;
    }
    if (reject_unless_admitted(step, session, hello.name)) {
        return;
    }
    if (const auto speaker = in_.nodes.find(session);
        speaker && in_.nodes[*speaker].name != hello.name) {
        step.refuse(session, Errc::refused,
                    "this connection belongs to " + in_.nodes[*speaker].name +
                        "; another agent needs a connection of its own");
        return;
    }
    const auto known = in_.nodes.find(hello.name);
    if (!known && in_.room.is_full()) {
        step.refuse(session, Errc::busy, in_.room.why_full(hello.name));
        return;
    }
    const Node stranger;
    const Node& node = known ? in_.nodes[*known] : stranger;
    switch (judge(node, hello)) {
        case HelloVerdict::stale_incarnation:
            step.refuse(session, Errc::stale_incarnation,
                        "an earlier start of " + hello.name + " already used incarnation " +
                            std::to_string(raw(node.incarnation)) +
                            "; send hello with a higher incarnation");
            std::get<Refused>(step.output.messages.back().message).known = node.incarnation;
            // Another life uses the connection now, so no known node is reached by it.
            on_connection_closed(session);
            return;
        case HelloVerdict::too_far_ahead:
            step.refuse(session, Errc::invalid,
                        "incarnation " + std::to_string(raw(hello.incarnation)) + " of " +
                            hello.name + " is too far above the last known one, " +
                            std::to_string(raw(node.incarnation)) +
                            "; start the agent with an empty state directory");
            return;
        case HelloVerdict::name_in_use: reject_name_in_use(step, *known, session); return;
        case HelloVerdict::same_life:
        case HelloVerdict::new_life:
            welcome(step, known ? *known : add_node(step, hello.name), input, hello, effects);
            return;
    }
}

void Membership::reject_name_in_use(StepContext& step, NodeIndex index, Session other) {
    if (conflicts_.open(index, step.now + options_.round)) {
        in_.liveness.rounds().ask(index, in_.ledger.meta().epoch, step.output.polls);
    }
    step.refuse(other, Errc::name_in_use,
                "another agent uses the name " + in_.nodes[index].name +
                    "; the coordinator asks whether it still runs");
    std::get<Refused>(step.output.messages.back().message).retry_after_ms =
        static_cast<std::uint32_t>(to_ms(options_.round));
}

std::string Membership::admission_error(const std::string& name) const {
    const Admission admission = in_.ledger.intents().durable(name).admission;
    if (admission == Admission::removed) {
        return describe_removed(name);
    }
    // A provider has made it, and the configuration names that provider. Once it has joined it has
    // a record, until an operator or its pool removes it.
    const StoredPoolNode* const row = in_.ledger.pool_nodes().rows().find(name);
    const bool is_provided = row != nullptr && row->state == PoolNodeState::requested;
    const bool is_stranger =
        !in_.nodes.find(name) && admission != Admission::listed && !is_provided;
    return options_.listed_only && is_stranger
               ? name + " is not on the list of nodes" + how_to_join(name)
               : "";
}

bool Membership::reject_unless_admitted(StepContext& step, Session session,
                                        const std::string& name) {
    std::string why = admission_error(name);
    if (why.empty()) {
        refusals_.forget(name);
        return false;
    }
    if (refusals_.add(name, in_.liveness.rounds().current())) {
        step.emit("node.refused", name, why);
    }
    step.refuse(session, Errc::refused, std::move(why));
    return true;
}

void Membership::welcome(StepContext& step, NodeIndex index, const FromAgent& input,
                         const Hello& hello, Effects& effects) {
    const Session session = input.session;
    const Node& node = in_.nodes[index];
    const bool is_first = node.life.is_none();  // In this leadership.
    const bool is_same_life = hello.life == node.life && hello.incarnation == node.incarnation;
    if (node.incarnation == Incarnation{}) {
        in_.nodes.transition(step, index, NodeChange::joined, "version " + hello.version);
    } else if (!is_first && !is_same_life) {
        in_.nodes.transition(step, index, NodeChange::restarted,
                             "incarnation " + std::to_string(raw(hello.incarnation)));
    }
    LifeFacts& life = in_.nodes.edit(index, WriteKey<LifeFacts>{});
    const bool lacks_proofs = in_.copies.proofs.is_required_of_agents() && !hello.keeps_proofs;
    if (std::exchange(life.lacks_proofs, lacks_proofs) != lacks_proofs) {
        in_.nodes.touch(index);
    }
    if (!is_same_life) {
        in_.liveness.rounds().cancel_poll(index);
        conflicts_.end(index);
        effects.resets.push_back(index);
        in_.copies.begin_life(index);
        NodeReadiness{in_.nodes}.begin_life(index);
        life.life = hello.life;
        life.incarnation = hello.incarnation;
        // attach() changes nothing if the new life has the same connection.
        in_.nodes.touch(index);
    }
    HelloFacts& facts = in_.nodes.edit(index, WriteKey<HelloFacts>{});
    facts.version = hello.version;
    facts.limits = hello.limits;
    facts.capacity_from = hello.capacity_from;
    facts.keeps_proofs = hello.keeps_proofs;
    const Generation seen = is_same_life ? facts.claim.counter : Generation{};  // From its reports.
    facts.claim = Claim{hello.cluster, hello.epoch, std::max(hello.counter, seen)};
    pools_.take_offer(index, node.name, hello.offer);
    NodeRows{in_.nodes}.end_forgetting(index);
    const bool was_here = !is_first && !node.gone && !in_.liveness.is_reconnect_grace(step.now);
    // An agent that replaces its key changes the connection because it was asked to.
    const bool is_renewal = in_.renewals.on_hello(step, index, input.by.key);
    if (was_here && node.session != session && !is_renewal) {
        in_.suspension.add(step, index, FlapCause::reconnect);
    }
    if (node.session != session) {
        in_.liveness.rounds().on_new_connection(index);
    }
    in_.nodes.attach(index, session, input.by.key);
    if (node.gone && !node.lost) {  // The node is back, and has the usual time to answer.
        in_.nodes.transition(step, index, NodeChange::returned,
                             "its agent connected again after it left");
        in_.liveness.expect_return(step.now, index);
    }
    const Meta& meta = in_.ledger.meta();
    if (is_ahead(hello, meta)) {
        mark_ahead(step, index, hello.counter, why_ahead(hello, meta));
    }
    if (node.ahead) {
        in_.liveness.rounds().clear_miss_count(index);
    }
    send_welcome(step, index);
    in_.liveness.rounds().ask(index, meta.epoch, step.output.polls);
}

void Membership::send_welcome(StepContext& step, NodeIndex index) {
    const Node& node = in_.nodes[index];
    const Meta& meta = in_.ledger.meta();
    step.output.messages.push_back(
        {*node.session, Welcome{.cluster = meta.cluster,
                                .epoch = meta.epoch,
                                .leader = meta.leader,
                                .incarnation = node.incarnation,
                                .round_ms = static_cast<std::uint32_t>(to_ms(options_.round))}});
}

void Membership::on_store_accepted(StepContext& step, const Rows<StoredNode>& accepted) {
    for (const Shared<StoredNode>& row : accepted.put) {
        if (const auto index = in_.nodes.find(row->name)) {
            in_.nodes.transition(step, *index, NodeChange::accepted,
                                 "an operator accepted the store that it knows");
            in_.nodes.edit(*index, WriteKey<HelloFacts>{}).claim = Claim{};
            NodeRows{in_.nodes}.on_accepted(*index, recorded(*row));
            in_.copies.placements.exempt(*index);
        }
    }
    for (const NodeIndex index : in_.nodes.by_name()) {
        if (const auto session = in_.nodes[index].session) {
            step.refuse(*session, Errc::hello_required, "send hello again: the store was accepted");
            send_welcome(step, index);
        }
    }
}

void Membership::mark_ahead(StepContext& step, NodeIndex index, Generation seen,
                            const std::string& why) {
    Claim& claim = in_.nodes.edit(index, WriteKey<HelloFacts>{}).claim;
    claim.counter = std::max(claim.counter, seen);
    if (!in_.nodes[index].ahead) {
        in_.nodes.transition(step, index, NodeChange::ahead, why);
    }
}

void Membership::on_departure(StepContext& step, Session session, const Departure& departure,
                              Effects& effects) {
    const auto index = in_.nodes.find(session);
    if (!index) {
        in_.nodes.count_useless(Useless::unknown_sender);  // Only a known node can leave.
        return;
    }
    const Node& node = in_.nodes[*index];
    if (departure.incarnation != node.incarnation) {
        return;
    }
    leave(step, *index, departure.instances > 0, "its agent announced its departure", effects);
}

void Membership::leave(StepContext& step, NodeIndex index, bool leaves_instances, std::string why,
                       Effects& effects) {
    in_.nodes.edit(index, WriteKey<LifeFacts>{}).left_instances_running = leaves_instances;
    in_.nodes.transition(step, index, NodeChange::left, std::move(why));
    in_.liveness.expect_return(step.now, index);
    in_.liveness.rounds().cancel_poll(index);
    conflicts_.end(index);
    in_.copies.on_departure(index);
    if (!leaves_instances) {
        effects.departed.push_back(index);  // It ended all its instances when it left.
        in_.liveness.recovery().resolved(index);
    }
    in_.nodes.detach(index);
}

// Its silence is our decision, so it begins no freeze: the node left.
void Membership::check_key(StepContext& step, std::string_view name, Effects& effects) {
    const auto index = in_.nodes.find(name);
    if (!index || !in_.nodes[*index].session) {
        return;
    }
    const Node& node = in_.nodes[*index];
    if (!in_.access.still_speaks(node.key, node.name, step.civil())) {
        const std::string why = "its key is not admitted any more";
        step.refuse(*node.session, Errc::denied, node.name + ": " + why);
        leave(step, *index, true, why, effects);
    }
}

void Membership::check_key_of(StepContext& step, Session session, Effects& effects) {
    if (in_.ledger.keys().count().ends.empty()) {
        return;  // No key ends by itself.
    }
    if (const auto index = in_.nodes.find(session)) {
        check_key(step, in_.nodes[*index].name, effects);
    }
}

void Membership::on_connection_closed(Session session) {
    if (const auto index = in_.nodes.find(session)) {
        in_.liveness.rounds().cancel_poll(*index);
        conflicts_.end(*index);
        in_.nodes.detach(*index);
    }
}

}  // namespace muster::coordinator
