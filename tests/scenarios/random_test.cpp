#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/random_run.hpp"
#include "tests/scenarios/support.hpp"

namespace muster::sim {
namespace {

/// Of either kind of random runs.
constexpr std::uint64_t seeds_each = is_sanitized ? 100 : 1'000;

void live_through(std::uint64_t seed, bool exchanges_stores) {
    CAPTURE(seed);
    RandomRun run = drawn_run(seed);
    run.faults_last = 40s;
    run.faults =
        exchanges_stores ? run.faults.with(Fault::stores) : run.faults.without(Fault::stores);
    const RunResult result = carry_out(run);
    CHECK(result.violations == std::vector<std::string>{});
}

// Goal: no promise is broken whatever happens, and when the faults end, wanted is actual.
// Method: for each seed a random subset of the faults, random operations and random deeds for half
// a minute, then healing; every checker looks after every step.
TEST_CASE("random operations under random faults break no promise", "[scenario][random][L1]") {
    for (std::uint64_t seed = 1; seed <= seeds_each; ++seed) {
        live_through(seed, false);
    }
}

// Goal: nor is one when the coordinator finds another store than it left, as often as that happens.
// Method: as above; now and then the store is an old one, empty, or that of another cluster. In the
// end operators accept the one that is there.
TEST_CASE("random operations on exchanged stores break no promise",
          "[scenario][random][L1][S13][S25]") {
    for (std::uint64_t seed = 1; seed <= seeds_each; ++seed) {
        live_through(seed, true);
    }
}

// Goal: a failure replays. Method: the same seed twice, another seed once; compare the hashes.
TEST_CASE("the same seed gives the same run", "[scenario][random]") {
    const auto hash_of = [](std::uint64_t seed) { return carry_out(drawn_run(seed)).hash; };
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        CHECK(hash_of(seed) == hash_of(seed));
        CHECK(hash_of(seed) != hash_of(seed + 1));
    }
}

// Goal: nor does it matter what built it. Method: hashes of traces with all faults that are on
// record; builds of every kind run this. What the cores decide changes them:
// scripts/trace-hashes says how they are then.
TEST_CASE("a seed gives the trace that is on record", "[scenario][random]") {
    std::ifstream file{MUSTER_SOURCE_DIR "/tests/data/trace_hashes.txt"};
    std::uint64_t seed = 0;
    std::string recorded;
    int seeds = 0;
    while (file >> seed >> recorded) {
        RandomRun run = drawn_run(seed);
        run.faults = FaultSet::all();
        CAPTURE(seed);
        CHECK(fmt::format("{:016x}", carry_out(run).hash) == recorded);
        ++seeds;
    }
    CHECK(seeds == 8);
}

// Goal: what is recorded of a core is all that it is. Method: the core is replaced by its restored
// state after every so many steps; the whole run is the same.
TEST_CASE("a coordinator goes on from its recorded state as it would have", "[scenario][random]") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        RandomRun run = drawn_run(seed);
        const RunResult as_it_was = carry_out(run);
        run.restore_every = 1 + static_cast<std::uint32_t>(seed % 29);
        CHECK(carry_out(run).hash == as_it_was.hash);
    }
}

}  // namespace
}  // namespace muster::sim
