#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <unistd.h>

#include "tests/integration/support/keyed_cluster.hpp"

namespace muster::integration {

// Goal: enrolled peers that send anything neither end nor grow the coordinator.
// Method: fuzzed connections through CURVE with an agent's and an operator's key, after some that
// warm up the memory. The ordinary run has few; `scripts/soak curve-fuzz` has 20,000.
TEST_CASE("a coordinator survives fuzzed connections of enrolled peers",
          "[integration][keys][hostile]") {
    const auto count = number_from("TEST_CURVE_CONNECTIONS", 400);
    const auto seed = number_from("TEST_CURVE_SEED", static_cast<std::uint64_t>(getpid()));
    constexpr std::size_t allowed = 32U * 1024U * 1024U;
    KeyedCluster cluster;
    const auto& at = cluster.endpoints();
    const std::string rogue = cluster.enrolled("rogue");
    const auto pid = cluster.coordinator().pid();
    const auto fuzz = [&](std::uint64_t connections, std::uint64_t with) {
        const auto words =
            hostile("curve_fuzz.py",
                    {cluster.server_key(), std::to_string(connections), std::to_string(with),
                     at.agents, rogue, "DEALER", at.operators, cluster.admin_file(), "DEALER",
                     at.events, cluster.admin_file(), "SUB"});
        return lines_of(run(cluster.directory(), words, {},
                            Clock::now() + std::chrono::seconds{60 + connections / 20}))
            .at(0);
    };
    CAPTURE(seed);
    static_cast<void>(fuzz(200, seed));
    const auto files = open_files(pid);
    const auto before = resident_bytes(pid);
    const auto outcome = fuzz(count, seed + 1);
    CHECK(outcome.at("connections") == count);
    CHECK(outcome.at("proved") > count / 2);
    REQUIRE(cluster.coordinator().pid() == pid);
    REQUIRE(cluster.coordinator().running());
    CHECK(cluster.serving(1));
    CHECK(cluster.refusals() > 0);
    CHECK(until([&] { return open_files(pid) <= files + 2; }));
    const auto after = resident_bytes(pid);
    std::cout << "fuzzed: " << outcome.dump() << ", seed " << seed
              << "; resident: " << before / 1024 << " KiB, then " << after / 1024 << " KiB\n";
    CHECK(after < before + allowed);
    CHECK(cluster.agent("n1").running());
}

}  // namespace muster::integration
