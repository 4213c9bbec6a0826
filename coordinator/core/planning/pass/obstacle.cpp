#include "coordinator/core/planning/pass/obstacle.hpp"

#include <array>
#include <cstddef>

namespace muster::coordinator {

namespace {

struct Meaning {
    std::string_view code;
    std::string_view missing;       // For an instance without a place.
    std::string_view blocked = "";  // For an instance that must leave its node, if different.
};

// In the order of the obstacles.
constexpr std::array<Meaning, static_cast<std::size_t>(Obstacle::planned) + 1> meanings{{
    {"", ""},
    {"no_nodes", "no node serves"},
    {"not_serving", "no suitable node serves now"},
    {"pool", "no serving node is in the task's pool"},
    {"label", "no serving node has labels that meet the constraints"},
    {"cpu", "no suitable node has enough free cpu"},
    {"memory", "no suitable node has enough free memory"},
    {"slots", "no suitable node has enough free slots"},
    {"max_per_node", "every suitable node already runs max_per_node instances of the task"},
    {"full", "every suitable node already runs the most instances that a node may run"},
    {"recovering", "it may already run; nothing is placed until every known node has reported"},
    {"refused", "it failed on the suitable nodes, or they refused it"},
    {"rescheduling", "its node is lost, and reschedule_after has not passed"},
    {"frozen", "its node is lost, and nothing is rescheduled during a freeze"},
    {"lease",
     "it may still run under its lease on a node that does not answer, or no suitable "
     "node keeps leases yet"},
    {"starts_per_round",
     "starts_per_round allows no more starts in this round; see 'muster limit list'"},
    {"max_unavailable", "max_surge and max_unavailable leave no room for the roll-out",
     "another instance of the task is down and must run first"},
    {"starting", "", "its copy, here or on another node, is starting"},
    {"target_down", "", "its copy on another node has ended and does not run yet"},
    {"stopping", "", "it is being stopped"},
    {"max_surge", "", "another copy of the task must stop first"},
    {"min_healthy", "",
     "a copy of the task's new generation must first run for min_healthy; 'muster task show' shows "
     "whether the roll-out is halted"},
    {"no_orders", "", "the node takes no orders now"},
    {"stray", "", "this store never ordered it, so muster does not stop it"},
    {"every_node", "", "its task runs one instance on every node, and this one belongs here"},
    {"planned", "", "the next pass moves it"},
}};

// In the order of the verdicts.
constexpr std::array by_verdict{
    Obstacle::none,     Obstacle::not_serving, Obstacle::pool,
    Obstacle::label,    Obstacle::cpu,         Obstacle::memory,
    Obstacle::slots,    Obstacle::full,        Obstacle::max_per_node,
    Obstacle::starting,  // It has a copy.
    Obstacle::refused,   // It failed.
    Obstacle::refused,
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
