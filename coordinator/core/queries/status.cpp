#include <string>
#include <string_view>

#include "coordinator/core/planning/pass/reading.hpp"
#include "coordinator/core/queries/headcount.hpp"
#include "coordinator/core/queries/queries.hpp"

namespace muster::coordinator {

namespace {

std::string recovery_alarm(const Facts& facts, const SomeNames& awaited) {
    const bool one = facts.liveness.recovery().awaited() == 1;
    return "recovering: the first report of " +
           std::to_string(facts.liveness.recovery().awaited()) +
           (one ? " known node" : " known nodes") + " is missing (" + awaited.text() +
           "); until it arrives nothing moves, " +
           (facts.freeze.is_on()
                ? "and in the freeze no node becomes lost; 'muster freeze off' ends the wait"
                : "and a node that is still silent after recovery_grace (" +
                      std::to_string(facts.options.recovery_grace / 1s) +
                      " s) becomes lost or freezes the cluster");
}

std::vector<std::string> alarms(const Facts& facts, const Headcount& all,
                                const FreezeView& frozen) {
    std::vector<std::string> sentences;
    if (frozen.on) {
        sentences.push_back(freeze_alarm(frozen));
    }
    if (facts.liveness.own().patience() > 1) {
        sentences.push_back("the coordinator was late: for now a node is silent after " +
                            std::to_string(facts.liveness.silent_limit()) +
                            " missed polls instead of " +
                            std::to_string(facts.options.loss.silent_after) + ", and lost after " +
                            std::to_string(facts.liveness.miss_limit()) + " instead of " +
                            std::to_string(facts.options.loss.after));
    }
    if (!facts.liveness.own().degraded_reason().empty()) {
        sentences.push_back(
            std::string{facts.liveness.own().degraded_reason()} +
            "; fewer than half of the nodes answered, so missed polls count against no node");
    }
    if (facts.liveness.recovery().runs()) {
        sentences.push_back(recovery_alarm(facts, all.names.awaited));
    }
    const auto raise = [&](std::string_view sentence, const SomeNames& names,
                           std::string_view advice = "") {
        if (const std::string text = names.text(); !text.empty()) {
            sentences.push_back(std::string{sentence} + text + std::string{advice});
        }
    };
    raise("ahead: ", all.names.ahead,
          "; these nodes know a later store or another one and get no orders; restore the right "
          "store, or take the nodes over with 'muster store accept'");
    raise("lost: ", all.names.silent);
    raise("left: ", all.names.leaving,
          "; instances left running there count until the agent returns or is lost");
    raise("left and did not return: ", all.names.left);
    raise("draining past the deadline: ", all.names.overdue_drains,
          "; 'muster node show' shows what is still there, and why");
    raise("the host asks for no work: ", all.names.unable, "; 'muster node show' shows why");
    raise("the host cannot make processes: ", all.names.cannot_spawn);
    raise("the agent cannot write its own state: ", all.names.cannot_write);
    for (std::string& sentence : pool_alarms(facts)) {
        sentences.push_back(std::move(sentence));
    }
    if (const auto task = facts.planner().first_halted()) {
        const std::uint64_t others = facts.planner().totals().halted - 1;
        sentences.push_back("task '" + facts.copies.workload.name(*task) +
                            "': " + describe_halt(facts.copies.workload, facts.planner(), *task) +
                            (others > 0 ? "; and so are " + std::to_string(others) + " more" : ""));
    }
    return sentences;
}

}  // namespace

StatusReply counts(const Facts& facts) {
    const Totals totals = facts.planner().totals();
    StatusReply reply;
    reply.cluster = facts.ledger.meta().cluster;
    reply.epoch = facts.ledger.meta().epoch;
    reply.round = facts.liveness.rounds().current();
    reply.counter = facts.ledger.meta().counter;
    const Headcount all = headcount_of(facts);
    reply.freeze = facts.freeze.view(all.census);
    reply.miss_limit = facts.liveness.miss_limit();
    reply.phase = reply.freeze.on                    ? "frozen"
                  : facts.liveness.recovery().runs() ? "recovering"
                                                     : "leading";
    reply.nodes = static_cast<std::uint32_t>(facts.nodes.count());
    reply.serving = all.serving;
    reply.ahead = all.ahead;
    reply.free = all.free;
    reply.busy = all.busy;
    reply.health = all.health;
    reply.intent = all.intent;
    reply.lost = reply.health.lost;
    reply.silent = all.overdue;
    reply.unconfirmed = all.unconfirmed;
    reply.mode = facts.options.listed_only ? "listed" : "open";
    reply.refused = facts.membership.refusals().total();
    reply.refused_names = facts.membership.refusals().recent(facts.liveness.rounds().current());
    reply.unknown_senders = facts.nodes.useless(Useless::unknown_sender);
    reply.tasks = static_cast<std::uint32_t>(facts.copies.workload.wanted_count());
    reply.wanted = static_cast<std::uint32_t>(totals.wanted);
    reply.running = static_cast<std::uint32_t>(totals.running);
    reply.starting = static_cast<std::uint32_t>(totals.starting);
    reply.awaited = static_cast<std::uint32_t>(
        facts.liveness.recovery().runs() ? facts.liveness.recovery().awaited() : 0);
    reply.backoff = static_cast<std::uint32_t>(totals.backoff);
    reply.exited = static_cast<std::uint32_t>(totals.exited);
    reply.failed = static_cast<std::uint32_t>(totals.failed);
    reply.unplaced = static_cast<std::uint32_t>(totals.unplaced);
    reply.rolling = static_cast<std::uint32_t>(totals.rolling);
    reply.stopping = static_cast<std::uint32_t>(totals.stopping);
    reply.strays = static_cast<std::uint32_t>(totals.strays);
    reply.moving = static_cast<std::uint32_t>(totals.moves);
    reply.halted = totals.halted;
    reply.converged = !facts.liveness.recovery().runs() && totals.unconverged == 0;
    for (const Shortage& shortage : facts.planner().shortages()) {
        if (shortage.code == Obstacle::recovering) {  // An alarm reports these.
            (facts.liveness.recovery().runs() ? reply.unseen : reply.starting) += shortage.count;
        }
    }
    reply.alarms = alarms(facts, all, reply.freeze);
    return reply;
}

StatusReply status(const Facts& facts) {
    constexpr std::size_t unconverged_named = 20;
    StatusReply reply = counts(facts);
    reply.unconverged = facts.planner().totals().unconverged;
    if (reply.unconverged > 0) {
        reply.unconverged_tasks = facts.planner().first_unconverged(unconverged_named);
    }
    for (const Shortage& shortage : facts.planner().shortages()) {
        if (shortage.code != Obstacle::recovering) {
            const auto task = facts.planner().first_short(shortage.code);
            const bool is_asked = task && is_of_nodes(shortage.code);
            reply.unplaced_reasons.push_back(facts.reasons().reason_of(
                shortage, task, is_asked ? facts.reasons().of_one_more(*task) : CountedVerdicts{}));
        }
    }
    return reply;
}

std::vector<AheadNode> ahead_nodes(const Facts& facts) {
    std::vector<AheadNode> ahead;
    for (const NodeIndex index : facts.nodes.by_name()) {
        const Node& node = facts.nodes[index];
        if (node.ahead) {
            const Claim& claim = facts_of(node).claim;
            ahead.push_back({node.name, claim.cluster, claim.epoch, claim.counter, {}});
        }
    }
    return ahead;
}

}  // namespace muster::coordinator
