#include <algorithm>
#include <utility>

#include "coordinator/core/operators/intent_checks.hpp"
#include "coordinator/core/state/state.hpp"

/// What counts against a node, and the suspensions that come of it.
namespace muster::coordinator {

namespace {

/// So many answers in a row by which orders came to nothing count as disobedience: the network
/// loses one now and then.
constexpr std::uint8_t disobeyed_borne = 2;

/// A missed poll weighs as much as there are few of them: what is lost of a hundred polls is the
/// same whether they take a minute or a second.
std::uint32_t weight_in(Duration term, Misdeed misdeed) {
    const std::uint32_t weight = weight_of(misdeed).weight;
    if (misdeed != Misdeed::missed_poll || term >= 1s) {
        return weight;
    }
    return std::max(1U, static_cast<std::uint32_t>(weight * to_ms(term) / 1'000));
}

}  // namespace

void State::count_against(Instant now, NodeIndex index, Misdeed misdeed) {
    if (nodes[index].penalty_until) {
        return;  // It is being punished.
    }
    if (conducts[index].feed(now, civil(now), misdeed, weight_in(options.term, misdeed))) {
        suspend(now, index, misdeed);
    }
}

void State::count_silence(Instant now, const ClosedTerm& term) {
    for (const NodeIndex index : term.silent) {
        // Who would be lost, were there no freeze and no rate, is silent and nothing worse.
        if (!nodes[index].lost && nodes[index].misses <= miss_limit()) {
            count_against(now, index, Misdeed::missed_poll);
        }
    }
}

void State::count_answer(Instant now, NodeIndex index, const Report& report) {
    Node& node = nodes[index];
    if (report.host.spawn_failing) {
        count_against(now, index, Misdeed::spawn_failing);
    }
    if (report.host.journal_failing) {
        count_against(now, index, Misdeed::journal_failing);
    }
    if (node.settled == node.asked_issued) {
        return;  // It had no orders since.
    }
    if (report.obeyed >= node.asked_issued) {
        node.disobeyed = 0;
    } else if (node.disobeyed < disobeyed_borne) {
        ++node.disobeyed;
    } else {
        count_against(now, index, Misdeed::ignored_commands);
    }
}

void State::suspend(Instant now, NodeIndex index, Misdeed last) {
    const Duration length = conducts[index].suspend(now, civil(now), options.max_flaky);
    deadlines.set(index, DueKind::penalty, now + length);
    deadlines.end(index, DueKind::forgive);
    change(now, index, NodeChange::suspended,
           "for " + std::to_string(length / 1s) + " s; the last straw was " +
               std::string{weight_of(last).name},
           now + length);
}

void State::end_penalty(Instant now, NodeIndex index, NodeChange how, std::string why) {
    nodes[index].stale_checks = said_by(nodes[index]).host.checks;
    deadlines.end(index, DueKind::penalty);
    deadlines.set(index, DueKind::forgive, now + Conduct::good_conduct);
    change(now, index, how, std::move(why));
}

void State::forgive(Instant now, NodeIndex index, std::string why) {
    deadlines.end(index, DueKind::forgive);
    conducts.erase(index);
    change(now, index, NodeChange::forgiven, std::move(why));
}

Result<IntentsWritten> State::pardons(Instant now, const NodeForgiveRequest& request) const {
    if (auto sound = check(request.why); !sound) {
        return tl::unexpected{sound.error()};
    }
    const auto names = nodes_matching(request.pattern, fleet(now));
    if (!names) {
        return tl::unexpected{names.error()};
    }
    IntentsWritten written;
    written.why = request.why;
    for (const std::string& name : *names) {
        const auto known = nodes.find(name);
        const auto conduct = known ? conducts.find(*known) : conducts.end();
        if (conduct == conducts.end() ||
            (conduct->second.score(now) == 0 && conduct->second.relapses() == 0)) {
            continue;
        }
        const Node& node = nodes[*known];
        const std::string intent{to_string(node.intent)};
        written.forgiven.push_back(name);
        written.changes.changes.push_back(
            {.node = name,
             .action = "forgive",
             .intent_before = intent,
             .intent_after = intent,
             .detail = node.penalty_until ? "its penalty is over" : "it serves no penalty"});
    }
    if (written.forgiven.empty()) {
        return fail(Errc::refused,
                    names->size() == 1
                        ? "nothing counts against " + names->front()
                        : "nothing counts against any node that matches '" + request.pattern + "'");
    }
    return written;
}

void State::pardon(Instant now, NodeIndex index, const std::string& why) {
    if (!conducts.contains(index)) {
        return;  // Another request was first.
    }
    if (nodes[index].penalty_until) {
        end_penalty(now, index, NodeChange::released, why);
    }
    forgive(now, index, why);
}

ConductView State::conduct_of(Instant now, NodeIndex index) const {
    ConductView view;
    view.threshold = Conduct::threshold;
    const auto found = conducts.find(index);
    if (found == conducts.end()) {
        return view;
    }
    const Conduct& conduct = found->second;
    view.score = conduct.score(now);
    view.relapses = conduct.relapses();
    view.penalty_ends = conduct.penalty_ends();
    for (const Weight& row : misdeed_weights()) {
        const Conduct::Fed& fed = conduct.fed()[static_cast<std::size_t>(row.misdeed)];
        if (fed.times > 0) {
            view.fed.push_back({std::string{row.name}, fed.times, fed.last});
        }
    }
    if (nodes[index].penalty_until && nodes[index].intent != Intent::draining) {
        add_blockers(index, view.blocked_by);
    }
    return view;
}

void State::apply(Instant now, const Undecodable& input, Output& /*output*/) {
    if (const auto index = nodes.find(input.session)) {
        count_against(now, *index, Misdeed::bad_report);
    }
}

}  // namespace muster::coordinator
