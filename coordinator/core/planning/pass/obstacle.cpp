#include "coordinator/core/planning/pass/obstacle.hpp"

#include <array>
#include <cstddef>

namespace muster::coordinator {

namespace {

struct Meaning {
    std::string_view code;
    std::string_view missing;       // Of an instance without a place.
    std::string_view blocked = "";  // Of one that is to leave its node, if it is something else.
};

// In the order of the obstacles.
constexpr std::array<Meaning, static_cast<std::size_t>(Obstacle::planned) + 1> meanings{{
    {"", ""},
    {"no_nodes", "no node serves"},
    {"not_serving", "of the nodes that suit none serves at present"},
    {"pool", "no serving node is of the task's pool"},
    {"label", "no serving node's labels meet the constraints"},
    {"cpu", "no node that suits has the cpu left"},
    {"memory", "no node that suits has the memory left"},
    {"slots", "no node that suits has the slots left"},
    {"max_per_node", "every serving node that suits has max_per_node copies of the task"},
    {"full", "every serving node that suits has as many instances as a node may"},
    {"recovering", "may run already; nothing is placed before every known node has reported"},
    {"refused", "the nodes that could take it refuse it, or it failed there"},
    {"rescheduling", "its node is lost, and reschedule_after is not over"},
    {"frozen", "its node is lost, and nothing is rescheduled in the freeze"},
    {"lease",
     "it may still run under its lease where nobody can see it, or no node that suits "
     "has said yet that it keeps leases"},
    {"starts_per_round", "starts_per_round allows no more now; see 'muster limit list'"},
    {"max_unavailable", "max_surge and max_unavailable leave no room for the roll-out",
     "another instance of the task is down and must run first"},
    {"starting", "", "its copy, elsewhere or here, is about to run"},
    {"target_down", "", "its copy elsewhere has ended and does not run yet"},
    {"stopping", "", "it is being stopped"},
    {"max_surge", "", "another copy of the task must go first"},
    {"no_orders", "", "the node takes no orders at present"},
    {"stray", "", "this store never ordered it, so it is left alone"},
    {"every_node", "", "it belongs to this node, and to no other"},
    {"planned", "", "looked at in the next pass"},
}};

// In the order of the verdicts.
constexpr std::array by_verdict{
    Obstacle::none,     Obstacle::not_serving, Obstacle::pool,
    Obstacle::label,    Obstacle::cpu,         Obstacle::memory,
    Obstacle::slots,    Obstacle::full,        Obstacle::max_per_node,
    Obstacle::starting,  // It has a copy.
    Obstacle::refused,   // It failed.
};
static_assert(by_verdict.size() == verdicts);

const Meaning& meaning_of(Obstacle obstacle) {
    return meanings[static_cast<std::size_t>(obstacle)];
}

}  // namespace

std::string_view to_string(Obstacle obstacle) { return meaning_of(obstacle).code; }

std::string_view describe(Obstacle obstacle) { return meaning_of(obstacle).missing; }

std::string_view describe_blocker(Obstacle obstacle) {
    const Meaning& meaning = meaning_of(obstacle);
    return meaning.blocked.empty() ? meaning.missing : meaning.blocked;
}

Obstacle obstacle_of(Verdict verdict) { return by_verdict.at(static_cast<std::size_t>(verdict)); }

}  // namespace muster::coordinator
