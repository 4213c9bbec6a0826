#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "sim/scenario/least.hpp"

namespace muster::sim {
namespace {

/// One pool of open nodes with these numbers of processes at the end, and one task.
StepEnds ends(const std::vector<std::size_t>& loads, std::size_t running) {
    StepEnds ends;
    for (std::uint32_t host = 0; host < loads.size(); ++host) {
        ends.nodes.push_back({HostIndex{host}, "default", true, loads[host]});
    }
    ends.tasks.push_back({"web", "default", running});
    return ends;
}

/// The next ordinals of the task run on this host at the beginning.
void add(StepEnds& ends, std::uint32_t host, std::uint32_t count, bool may_stay = true) {
    for (std::uint32_t copy = 0; copy < count; ++copy) {
        const auto ordinal = static_cast<std::uint32_t>(ends.old_copies.size());
        ends.old_copies.push_back({HostIndex{host}, "web", Ordinal{ordinal}, may_stay});
    }
}

void check(const StepEnds& ends, std::uint64_t starts, std::uint64_t stops) {
    const Moves least = least_moves(ends);
    CHECK(least.starts == starts);
    CHECK(least.stops == stops);
}

TEST_CASE("a converged cluster need not be changed", "[scenario][written]") {
    auto same = ends({2, 2}, 4);
    add(same, 0, 2);
    add(same, 1, 2);
    check(same, 0, 0);
}

TEST_CASE("lost copies are started, and surplus ones stopped", "[scenario][written]") {
    auto lost = ends({3, 3}, 6);
    add(lost, 0, 2);
    add(lost, 1, 2);
    check(lost, 2, 0);
    auto surplus = ends({1, 1}, 2);
    add(surplus, 0, 2);
    add(surplus, 1, 2);
    check(surplus, 0, 2);
}

TEST_CASE("a copy that must not stay is stopped and started elsewhere", "[scenario][written]") {
    auto outdated = ends({2, 2}, 4);
    add(outdated, 0, 2, false);
    add(outdated, 1, 2, false);
    check(outdated, 4, 4);
}

TEST_CASE("an even end takes from the fuller nodes", "[scenario][written]") {
    auto joined = ends({2, 2, 2}, 6);
    add(joined, 0, 3);
    add(joined, 1, 3);
    check(joined, 2, 2);
    auto with_rest = ends({3, 2, 2}, 7);
    add(with_rest, 0, 4);
    add(with_rest, 1, 3);
    check(with_rest, 2, 2);
}

TEST_CASE("an end as uneven as the beginning requires no move", "[scenario][written]") {
    auto uneven = ends({4, 4, 0}, 8);
    add(uneven, 0, 4);
    add(uneven, 1, 4);
    check(uneven, 0, 0);
}

TEST_CASE("one of two copies of an instance stays", "[scenario][written]") {
    auto twice = ends({1, 1}, 2);
    twice.old_copies = {{HostIndex{0}, "web", Ordinal{0}, true},
                        {HostIndex{1}, "web", Ordinal{0}, true},
                        {HostIndex{1}, "web", Ordinal{1}, true}};
    check(twice, 0, 1);
}

TEST_CASE("a drained node keeps nothing, and one that could not be drained keeps what it has",
          "[scenario][written]") {
    auto drained = ends({4, 3}, 7);
    drained.nodes[1] = {HostIndex{1}, "default", false, 3};
    add(drained, 0, 2);
    add(drained, 1, 5);
    check(drained, 2, 2);
}

TEST_CASE("pools are balanced separately, and a closed node keeps what it has",
          "[scenario][written]") {
    auto apart = ends({2, 2}, 4);
    add(apart, 0, 2);
    add(apart, 1, 2);
    apart.nodes.push_back({HostIndex{2}, "data", true, 6});
    apart.nodes.push_back({HostIndex{3}, "default", false, 5});
    apart.tasks[0].running = 9;
    apart.tasks.push_back({"db", "data", 6});
    add(apart, 3, 5);
    check(apart, 6, 0);
}

}  // namespace
}  // namespace muster::sim
