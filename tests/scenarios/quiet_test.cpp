#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/scenarios/support.hpp"

// How seldom a node is suspected without cause (L9).
namespace muster::sim {
namespace {

constexpr std::uint32_t fleet = 200;

/// What is asked of the fleet, all in all. `TEST_NODE_ROUNDS` asks for more.
std::uint64_t node_rounds(std::uint64_t usual) {
    const char* const text = std::getenv("TEST_NODE_ROUNDS");
    return text != nullptr ? std::stoull(text) : usual;
}

/// Nodes that were lost or suspended while that many polls were answered or missed.
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
TEST_CASE("a fleet without faults suspends nobody", "[scenario][L9]") {
    CHECK(suspicions({.nodes = fleet, .delay = {1ms, 50ms}}, node_rounds(20'000)) == 0);
}

// Method: one poll in twenty comes to nothing, on its way there or back. At three in a row a node
// is lost: 125 times in a million by chance.
TEST_CASE("a poll that is lost now and then costs few nodes their work", "[scenario][L9]") {
    const std::uint64_t asked = node_rounds(100'000);
    const std::size_t found = suspicions({.nodes = fleet, .drop = 25}, asked);
    CHECK(found > 0);
    CHECK(found <= asked * 150 / 1'000'000);
    ClusterOptions patient{.nodes = fleet, .drop = 25};
    patient.coordinator.loss.after = 5;
    CHECK(suspicions(patient, asked) <= std::max<std::uint64_t>(1, asked / 1'000'000));
}

}  // namespace muster::sim
