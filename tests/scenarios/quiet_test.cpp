#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/scenarios/support.hpp"

// How rarely a node is suspected without cause (L9).
namespace muster::sim {
namespace {

constexpr std::uint32_t fleet = 200;

/// The number of node rounds to run in total. `TEST_NODE_ROUNDS` overrides it.
std::uint64_t node_rounds(std::uint64_t usual) {
    const char* const text = std::getenv("TEST_NODE_ROUNDS");
    return text != nullptr ? std::stoull(text) : usual;
}

/// The nodes that were lost or suspended while this number of polls was answered or missed.
std::size_t suspicions(const ClusterOptions& options, std::uint64_t node_rounds) {
    Cluster cluster{options};
    cluster.run(5s);
    const std::size_t before = cluster.suspicions();
    cluster.run(options.coordinator.round * static_cast<std::int64_t>(node_rounds / fleet));
    require_no_violations(cluster);
    return cluster.suspicions() - before;
}

}  // namespace

// Method: a fleet without faults whose answers take up to a tenth of a second.
TEST_CASE("a fleet without faults suspends no node", "[scenario][L9]") {
    CHECK(suspicions({.nodes = fleet, .delay = {1ms, 50ms}}, node_rounds(20'000)) == 0);
}

// Method: one poll in twenty is lost, on its way there or back. By chance, 125 nodes in a million
// miss three in a row and are lost.
TEST_CASE("a poll that is lost now and then moves the work of few nodes", "[scenario][L9]") {
    const std::uint64_t asked = node_rounds(100'000);
    const std::size_t found = suspicions({.nodes = fleet, .drop = 25}, asked);
    CHECK(found > 0);
    CHECK(found <= asked * 150 / 1'000'000);
    ClusterOptions patient{.nodes = fleet, .drop = 25};
    patient.coordinator.loss.after = 5;
    CHECK(suspicions(patient, asked) <= std::max<std::uint64_t>(1, asked / 1'000'000));
}

}  // namespace muster::sim
