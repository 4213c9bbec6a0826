#include "coordinator/core/queries/explain_home.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace muster::coordinator {

namespace {

std::string_view describe(ScorePart part) {
    switch (part) {
        case ScorePart::affinity:
            return "of all nodes that can take it, this one suits the task's group best";
        case ScorePart::spread:
            return "of all nodes that can take it, this one's label has the fewest instances of "
                   "the "
                   "task";
        case ScorePart::load:
            return "of all nodes that can take it, this one has the fewest instances";
        case ScorePart::name: break;
    }
    return "other nodes are equally good, and this one is the first by name";
}

/// Why the node was chosen, by present scores.
void explain_choice(const std::vector<NodeVerdict>& all, NodeIndex home, ExplainReply& reply) {
    std::optional<Score> at_home;
    std::optional<Score> other;
    for (const NodeVerdict& one : all) {
        if (one.node == home) {
            at_home = one.score;
        } else if (one.verdict == Verdict::fits && (!other || one.score < *other)) {
            other = one.score;
        }
    }
    if (!at_home || !other) {
        reply.decided_by = "only_choice";
        reply.detail = "no other node can take it now";
    } else if (*at_home < *other) {
        const ScorePart part = decided_by(*at_home, *other);
        reply.decided_by = to_string(part);
        reply.detail = describe(part);
    } else {
        reply.decided_by = "stays";
        reply.detail = "another node would be chosen today, but nothing makes it move";
    }
}

bool fits_elsewhere(const std::vector<NodeVerdict>& all) {
    return std::ranges::find(all, Verdict::fits, &NodeVerdict::verdict) != all.end();
}

/// For an instance whose node would not be chosen today.
std::string describe_departure(const std::string& why, bool is_to_leave, bool fits_elsewhere) {
    const std::string text = "its node would not be chosen today (" + why + ")";
    if (!fits_elsewhere) {
        return text + ", and no other node can take it now";
    }
    return text + (is_to_leave ? ", and it has to leave it" : ", but nothing makes it move");
}

std::string describe_failure(const Task& task, bool is_given_up, bool fits_elsewhere) {
    std::string text = "it failed";
    if (task.is_everywhere()) {
        text += ", and its task runs it on this node only";
    } else if (is_given_up) {
        text += " there and on other nodes, and is not tried again";
    } else if (!fits_elsewhere) {
        text += ", and no node on which it has not failed can take it";
    } else {
        text += ", and is tried on up to two other nodes that can take it";
    }
    return text + "; 'muster task restart " + task.name + "' tries again";
}

std::string describe_move(Instant now, const std::string& target, const InstanceLocation& of,
                          bool is_frozen) {
    std::string text = "; it moves to '" + target + "' ";
    if (is_frozen) {
        return text + "when the freeze ends";
    }
    if (!of.rests_until || *of.rests_until <= now) {
        return text + "in one of the next rounds";
    }
    const auto left = std::chrono::ceil<std::chrono::seconds>(*of.rests_until - now);
    return text + "in " + std::to_string(left.count()) +
           " s at the earliest, because it moved recently";
}

}  // namespace

void explain_home(const Facts& facts, TaskIndex task, Ordinal ordinal, const InstanceLocation& of,
                  const std::vector<NodeVerdict>& all, ExplainReply& reply) {
    const NodeIndex home = *of.home;
    const auto at_home = std::ranges::find(all, home, &NodeVerdict::node);
    const std::string why =
        at_home != all.end() ? why_left(*at_home, facts.nodes[home]) : std::string{};
    if (reply.state == to_string(InstanceState::failed) && of.at == home) {
        reply.decided_by = "failed";
        reply.detail =
            describe_failure(facts.copies.workload[task],
                             facts.planner().is_given_up(task, ordinal), fits_elsewhere(all));
    } else if (!why.empty()) {
        reply.decided_by = fits_elsewhere(all) ? "stays" : "only_choice";
        const bool is_to_leave = at_home->verdict != Verdict::not_serving ||
                                 facts.copies.placements.nodes().evacuation(home);
        reply.detail = describe_departure(why, is_to_leave, fits_elsewhere(all));
    } else {
        explain_choice(all, home, reply);
    }
    if (of.is_to_move) {
        reply.detail += describe_move(facts.now, facts.nodes[home].name, of, facts.freeze.is_on());
    }
}

}  // namespace muster::coordinator
