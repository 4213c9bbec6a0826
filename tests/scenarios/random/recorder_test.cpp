#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

#include "common/base/read_file.hpp"
#include "coordinator/recorder/replay.hpp"
#include "sim/program/random_run.hpp"
#include "tests/scenarios/support.hpp"
#include "tests/temporary_directory.hpp"

namespace muster::sim {
namespace {

/// The number of inputs in a file. Each must give the output on record.
std::size_t replay_all(const std::string& path) {
    const auto bytes = read_file(path, std::size_t{1} << 30U);
    REQUIRE(bytes);
    auto replay = coordinator::Replay::open(*bytes);
    REQUIRE(replay);
    for (std::size_t inputs = 0;; ++inputs) {
        const auto done = replay->step();
        REQUIRE(done);
        if (!*done) {
            return inputs;
        }
        CAPTURE(inputs);
        REQUIRE_FALSE((*done)->output_differs);
    }
}

}  // namespace

// Goal: any file of a record replays alone, byte for byte, whatever happened to its coordinator.
// Method: record random runs; each file, except those of very short lives, begins in the middle of
// one.
TEST_CASE("the record of a coordinator replays byte for byte", "[scenario][random][recorder]") {
    std::size_t files = 0;
    std::size_t inputs = 0;
    for (std::uint64_t seed = 1; seed <= (is_sanitized ? 3U : 20U); ++seed) {
        CAPTURE(seed);
        const TemporaryDirectory directory;
        RandomRun run = drawn_run(seed);
        run.record = directory.below("record");
        run.record_bytes = 500'000;
        CHECK(carry_out(run).is_good());
        for (const auto& entry : std::filesystem::directory_iterator{run.record}) {
            inputs += replay_all(entry.path().string());
            ++files;
        }
    }
    CHECK(files > (is_sanitized ? 3 : 40));
    CHECK(inputs > 500 * files / 10);
}

}  // namespace muster::sim
