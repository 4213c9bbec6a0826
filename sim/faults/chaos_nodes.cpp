#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/faults/chaos.hpp"

// Operations on nodes and on the cluster, and queries.
namespace muster::sim {

namespace {

constexpr std::uint64_t longest_deadline_ms = 8'000;

}  // namespace

/// The name of a host, or a name that never joins.
std::string Chaos::any_name() {
    return random_.chance(1, 12) ? "ghost" : cluster_.host(any_host()).name();
}

ListedNode Chaos::any_listed(std::string name) {
    static constexpr std::array pools{"", "", "edge", "default"};
    const char* const pool = pools.at(random_.below(pools.size()));
    // A node of a provider stays in the pool that it was made for.
    const bool is_provided = cluster_.is_provided(name);
    return {std::move(name), is_provided ? "" : pool};
}

void Chaos::operate_nodes() {
    switch (random_.below(11)) {
        case 0: cluster_.ask(NodeOfflineRequest{any_name(), {}}); break;
        case 1:
        case 2:
        case 3:
            cluster_.ask(NodeDrainRequest{
                .pattern = any_name(),
                .deadline_ms = random_.chance(1, 2) ? random_.below(longest_deadline_ms) : 0,
                .force = random_.chance(1, 4),
                .why = {}});
            break;
        case 4:
        case 5:
        case 6: cluster_.ask(NodeOnlineRequest{any_name(), {}}); break;
        case 7: cluster_.ask(NodeAddRequest{{any_listed(any_name())}, {}}); break;
        case 8: list_all(random_.chance(1, 2)); break;
        default:
            cluster_.ask(
                NodeRemoveRequest{.pattern = any_name(), .force = random_.chance(1, 2), .why = {}});
    }
}

// May leave out some nodes, which then leave.
void Chaos::list_all(bool only_some) {
    std::vector<ListedNode> nodes;
    for (const std::string& label : cluster_.labels()) {
        const AgentHost& host = cluster_.host(label);
        const bool is_listed = std::ranges::any_of(
            nodes, [&](const ListedNode& node) { return node.name == host.name(); });
        if (!is_listed && !host.is_scrapped() && (!only_some || random_.chance(3, 4))) {
            nodes.push_back(any_listed(host.name()));
        }
    }
    if (only_some) {
        cluster_.ask(NodeApplyRequest{.nodes = std::move(nodes), .force = random_.chance(1, 2)});
    } else {
        cluster_.ask(NodeAddRequest{std::move(nodes), {}});
    }
}

void Chaos::set_limit() {
    const bool of_starts = random_.chance(1, 2);
    LimitSetRequest change{of_starts ? "starts_per_round" : "moves_per_round"};
    if (!random_.chance(1, 3)) {
        change.value = static_cast<std::uint32_t>(1 + random_.below(4));
    }
    cluster_.ask(change);
}

void Chaos::observe() {
    switch (random_.below(10)) {
        case 0: cluster_.ask(NodeListRequest{}); break;
        case 8: cluster_.ask(RoundNowRequest{}); break;
        case 1: cluster_.ask(NodeShowRequest{any_name()}); break;
        case 2: cluster_.ask(TaskShowRequest{any_task()}); break;
        case 3: cluster_.ask(ReportedRequest{}); break;
        case 4: cluster_.ask(GroupListRequest{}); break;
        case 5: cluster_.ask(ExplainRequest{Subject::instance, any_task() + ".0"}); break;
        case 6: cluster_.ask(ExplainRequest{Subject::task, any_task()}); break;
        case 7: cluster_.ask(ExplainRequest{Subject::node, any_name()}); break;
        default:
            cluster_.ask(PlanRequest{.fail = {"node=" + any_name()},
                                     .without_tasks = {},
                                     .add_nodes = static_cast<std::uint32_t>(random_.below(3)),
                                     .rebalance = random_.chance(1, 2)});
    }
}

// Allows everything again, except what an operator may well leave closed.
void Chaos::open_all() {
    cluster_.ask(LimitSetRequest{"starts_per_round", {}});
    cluster_.ask(LimitSetRequest{"moves_per_round", {}});
    list_all(false);
    if (random_.chance(3, 4)) {
        cluster_.ask(NodeOnlineRequest{"*", {}});
    }
}

}  // namespace muster::sim
