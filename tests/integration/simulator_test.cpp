#include <string>

#include "tests/integration/harness.hpp"

namespace muster::integration {

// Method: more processes than seeds, too, and the seeds of both soaks are the same.
TEST_CASE("the simulator carries out every seed, however many at a time", "[integration][sim]") {
    const Directory directory;
    for (const std::string jobs : {"1", "3", "9"}) {
        const Finished done = run(directory.path(), {program("muster-sim"), "soak", "--first", "5",
                                                     "--seeds", "7", "--jobs", jobs});
        INFO(done.output << done.errors);
        CHECK(done.exit == Exit{.code = 0});
        CHECK(done.output.starts_with("0 of 7 seeds broken; 0.01 simulated days in "));
        CHECK(done.errors.empty());
    }
}

TEST_CASE("the simulator says what is wrong with what it is asked", "[integration][sim]") {
    const Directory directory;
    const auto refused = [&](std::vector<std::string> words, const std::string& why) {
        words.insert(words.begin(), program("muster-sim"));
        const Finished done = run(directory.path(), {.argv = words});
        INFO(done.output << done.errors);
        CHECK(done.exit == Exit{.code = 2});
        CHECK(says(done.errors, why));
    };
    refused({}, "A subcommand is required");
    refused({"replay"}, "SEED|FILE is required");
    refused({"replay", "17", "--faults", "late,flood"}, "'flood' is no fault: it is all, none, or");
    refused({"replay", "17", "--nodes", "0"}, "not in range");
    refused({"soak", "--first", "18446744073709551615", "--seeds", "5"}, "not in range");
    refused({"shrink", "17"}, "seed 17 breaks no promise, so there is nothing to shrink");
}

}  // namespace muster::integration
