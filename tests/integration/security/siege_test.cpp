#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "tests/integration/support/keyed_cluster.hpp"

namespace muster::integration {
namespace {

std::vector<std::string> agent_names(std::uint64_t count) {
    std::vector<std::string> made;
    for (std::uint64_t i = 1; i <= count; ++i) {
        made.push_back("n" + std::to_string(i));
    }
    return made;
}

}  // namespace

// Goal: strangers at the doors cost no agent anything.
// Method: handshakes that are refused, slow ones that keep thousands of connections open, and
// garbage at every endpoint, from many addresses, while real agents are polled. `scripts/soak
// siege` has the full figures.
TEST_CASE("agents stay live while strangers besiege the coordinator [A15][A16]",
          "[integration][keys][hostile]") {
    const auto agents = number_from("TEST_SIEGE_AGENTS", 4);
    const auto seconds = number_from("TEST_SIEGE_SECONDS", 3);
    const auto sockets = number_from("TEST_SIEGE_SOCKETS", 300);
    const auto rate = number_from("TEST_SIEGE_RATE", 200);
    KeyedCluster cluster{agent_names(agents), {.round = paces(10), .loses_quickly = true}};
    const auto& at = cluster.endpoints();
    const auto pid = cluster.coordinator().pid();
    const auto running = [&] { return cluster.metric("muster_misses_total"); };
    const auto missed_before = running();
    const auto rounds_before = cluster.status().at("round").get<std::uint64_t>();
    const auto refused_before = cluster.metric("muster_handshakes_total", "refused");
    const auto memory_before = resident_bytes(pid);

    const auto outcome =
        lines_of(run(cluster.directory(),
                     hostile("siege.py", {cluster.server_key(), at.agents, at.operators, at.events,
                                          at.enrolment, "--http", at.http, "--seconds",
                                          std::to_string(seconds), "--sockets",
                                          std::to_string(sockets), "--rate", std::to_string(rate)}),
                     {}, Clock::now() + std::chrono::seconds{seconds + 60}))
            .at(0);

    const auto status = cluster.status();
    const auto rounds = status.at("round").get<std::uint64_t>() - rounds_before;
    const auto late = running() - missed_before;
    const auto refused = cluster.metric("muster_handshakes_total", "refused") - refused_before;
    std::cout << "siege: " << outcome.dump() << "\nrefused by key: " << refused
              << "; suspended: " << status.at("health").at("flaky")
              << "; lost: " << status.at("health").at("lost") << "; late: " << late << " of "
              << rounds * agents << " polls; resident: " << memory_before / 1024 << " KiB, then "
              << resident_bytes(pid) / 1024 << " KiB\n";
    CHECK_FALSE(outcome.contains("admitted"));
    CHECK(outcome.at("handshakes") > 0);
    CHECK(outcome.at("most_open") >= sockets / 2);
    CHECK(refused > 0);
    CHECK(status.at("health").at("healthy") == agents);
    CHECK(rounds > 0);
    // The figure of the long run. Of few polls one that is late says nothing.
    constexpr std::uint64_t many_polls = 1'000;
    CHECK((rounds * agents < many_polls || late * 100 <= rounds * agents));
    CHECK(cluster.coordinator().running());
}

}  // namespace muster::integration
