#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/program/random_run.hpp"
#include "tests/scenarios/support.hpp"

namespace muster::sim {
namespace {

/// For both kinds of random runs.
constexpr std::uint64_t seeds_each = share_of(1'000);

void live_through(std::uint64_t seed, bool exchanges_stores) {
    CAPTURE(seed);
    RandomRun run = drawn_run(seed);
    run.faults_last = 40s;
    run.faults =
        exchanges_stores ? run.faults.with(Fault::stores) : run.faults.without(Fault::stores);
    const RunResult result = carry_out(run);
    CHECK(result.violations == std::vector<std::string>{});
}

// Goal: no promise is broken whatever happens, and the cluster converges after the faults end.
// Method: for each seed a random subset of the faults, random operations and random actions for
// half a minute, then healing; every checker runs after every step.
TEST_CASE("random operations under random faults break no promise", "[scenario][random][L1]") {
    for (std::uint64_t seed = 1; seed <= seeds_each; ++seed) {
        live_through(seed, false);
    }
}

// Goal: the same when the coordinator repeatedly finds another store than it left.
// Method: as above; sometimes the store is an old one, empty, or that of another cluster. At the
// end operators accept the present one.
TEST_CASE("random operations on exchanged stores break no promise",
          "[scenario][random][L1][S13][S25]") {
    for (std::uint64_t seed = 1; seed <= seeds_each; ++seed) {
        live_through(seed, true);
    }
}

// Goal: these runs break no promise, though checkers once reported them. They contain an order that
// a shim never received, a change that a paused coordinator did not know, a start that replaces
// what a byzantine host reports, a halted roll-out whose instance no host can run any more, a task
// that came to run on every node, the stop of what another cluster ordered, and durable rows that
// the coordinator applies one by one.
TEST_CASE("seeds on which checkers were wrong break no promise", "[scenario][random]") {
    for (const std::uint64_t seed : {900002186U, 910010653U, 910025231U, 911014071U, 1500016831U,
                                     1700002455U, 1700008445U, 1900019616U}) {
        CAPTURE(seed);
        RandomRun run = drawn_run(seed);
        run.faults = run.faults.without(Fault::keys);  // Hosts had none then.
        CHECK(carry_out(run).violations == std::vector<std::string>{});
    }
    for (const std::uint64_t seed : {914300209U, 914300450U, 914300777U, 914301219U, 914301312U}) {
        CAPTURE(seed);
        RandomRun run = drawn_run(seed);
        run.faults = run.faults.without(Fault::keys);
        run.rows_of_step = 1;
        CHECK(carry_out(run).violations == std::vector<std::string>{});
    }
    // Of the last three: the polls of a host that used the name and key of another, twice, and a
    // denial of a request that had an answer.
    for (const std::uint64_t seed : {1900012675UL, 2300006451UL, 4600010487UL, 2300017963UL}) {
        CAPTURE(seed);
        CHECK(carry_out(drawn_run(seed)).violations == std::vector<std::string>{});
    }
    // A coordinator that resumes may lead only after another election.
    CHECK(carry_out(drawn_run(4600005081)).violations == std::vector<std::string>{});
    // What was a stray before an operator accepted its store is not stopped at once.
    CHECK(carry_out(drawn_run(2200000782)).violations == std::vector<std::string>{});
    // A version whose roll-out is halted like that of the one before.
    CHECK(carry_out(drawn_run(2300017065)).violations == std::vector<std::string>{});
    // A job whose end an agent learns only while it shuts down does not run again.
    CHECK(carry_out(drawn_run(2300006243)).violations == std::vector<std::string>{});
    // A node whose key was revoked may return for as long as any other that left.
    CHECK(carry_out(drawn_run(5300018587)).violations == std::vector<std::string>{});
}

// Goal: a failure can be replayed. Method: run the same seed twice, another seed once; compare the
// hashes.
TEST_CASE("the same seed gives the same run", "[scenario][random]") {
    const auto hash_of = [](std::uint64_t seed) { return carry_out(drawn_run(seed)).hash; };
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        CHECK(hash_of(seed) == hash_of(seed));
        CHECK(hash_of(seed) != hash_of(seed + 1));
    }
}

constexpr std::uint64_t pinned_seeds = 200;

/// Runs the seed as scripts/trace-hashes does.
RandomRun pinned_run(std::uint64_t seed) {
    RandomRun run = drawn_run(seed);
    run.faults_last = 20s;
    run.hash_outputs = true;
    if (seed % 2 == 1) {
        const FaultSet all = FaultSet::all();
        run.faults = seed % 4 == 1 ? all.without(Fault::keys) : all;
    }
    return run;
}

/// One line per seed: the seed, the hash of its trace, the hash of its outputs.
std::vector<std::string> lines_on_record() {
    std::ifstream file{MUSTER_SOURCE_DIR "/tests/data/trace_hashes.txt"};
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        lines.push_back(line);
    }
    return lines;
}

void compare_with_record(std::uint64_t first, std::uint64_t last) {
    const auto recorded = lines_on_record();
    REQUIRE(recorded.size() == pinned_seeds);
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        if (is_sanitized && seed % 10 != first % 10) {
            continue;
        }
        const RunResult result = carry_out(pinned_run(seed));
        CHECK(fmt::format("{} {:016x} {:016x}", seed, result.hash, result.outputs_hash) ==
              recorded[seed - 1]);
    }
}

// Goal: a seed gives the same run in every build, and a change of the cores' decisions is noticed.
// Method: 200 short runs, every other one with all faults, every fourth with keys; the hashes of
// their traces and of all outputs of their cores are on record. Every build compares them;
// sanitizer builds every tenth. After an intended change run scripts/trace-hashes.
TEST_CASE("seeds 1 to 50 give the traces and outputs on record", "[scenario][random]") {
    compare_with_record(1, 50);
}
TEST_CASE("seeds 51 to 100 give the traces and outputs on record", "[scenario][random]") {
    compare_with_record(51, 100);
}
TEST_CASE("seeds 101 to 150 give the traces and outputs on record", "[scenario][random]") {
    compare_with_record(101, 150);
}
TEST_CASE("seeds 151 to 200 give the traces and outputs on record", "[scenario][random]") {
    compare_with_record(151, pinned_seeds);
}

// Goal: no promise depends on a change being made in one step. Method: random runs with all faults
// in which each row takes a step.
TEST_CASE("changes in several steps break no promise under faults", "[scenario][random]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        RandomRun run = drawn_run(seed);
        run.faults = FaultSet::all();
        run.rows_of_step = 1;
        const RunResult result = carry_out(run);
        CAPTURE(command_of(run), result.violations);
        CHECK(result.is_good());
    }
}

// Goal: the recorded state of a core is complete. Method: replace the core by its restored state
// every few steps; the whole run is the same. Sanitizer builds try every tenth.
TEST_CASE("a coordinator continues from its recorded state as it would have",
          "[scenario][random]") {
    for (std::uint64_t seed = 1; seed <= 40; seed += is_sanitized ? 10 : 1) {
        CAPTURE(seed);
        RandomRun run = drawn_run(seed);
        run.hash_outputs = true;
        const RunResult as_it_was = carry_out(run);
        run.restore_every = 1 + static_cast<std::uint32_t>(seed % 29);
        const RunResult restored = carry_out(run);
        CHECK(restored.hash == as_it_was.hash);
        CHECK(restored.outputs_hash == as_it_was.outputs_hash);
    }
}

}  // namespace
}  // namespace muster::sim
