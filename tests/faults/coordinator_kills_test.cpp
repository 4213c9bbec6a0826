#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "common/base/random.hpp"
#include "tests/faults/changes.hpp"
#include "tests/integration/support/harness.hpp"

// kill -9 of the coordinator at operations on its store, while operators change the wanted tasks.
namespace muster::faults {

namespace {

using integration::Cluster;
using integration::Exit;
using integration::Process;
using integration::soon;

std::size_t coordinator_kills() {
    const char* const text = std::getenv("TEST_COORDINATOR_KILLS");
    return text == nullptr ? 60 : std::strtoul(text, nullptr, 10);
}

}  // namespace

// Goal: S1, S3, S11: wherever the coordinator is killed while it uses its store, it keeps what it
// acknowledged, a retry takes effect once, and no instance is disturbed.
// Method: a coordinator kills itself before or during the n-th operation on its store, for each n
// in turn, then at random. Clients request changes all the time.
TEST_CASE("a coordinator killed at any operation on its store loses nothing acknowledged",
          "[faults][death][S1][S3]") {
    Cluster cluster{{.nodes = {"n1", "n2"}}};
    cluster.apply({cluster.task("keep", 2)});
    REQUIRE(cluster.wait("keep"));
    const auto kept = cluster.pids("keep", 2);
    cluster.kill_coordinator();

    Changes changes{cluster, cluster.endpoints().operators};
    Random random{17};
    constexpr std::uint64_t each_in_turn = 50;
    constexpr std::uint64_t usual = 120;
    std::uint64_t most = usual;
    for (std::size_t kill = 0; kill < coordinator_kills(); ++kill) {
        const std::uint64_t at = kill < each_in_turn ? kill + 1 : 1 + random.below(most);
        const std::string fault = (kill % 2 == 0 ? "kill:" : "torn:") + std::to_string(at);
        CAPTURE(kill, fault);
        auto command = cluster.coordinator_command();
        command.argv.front() = integration::program("muster-coordinator-faulty");
        command.env.push_back("TEST_FILE_FAULT=" + fault);
        Process coordinator{command};
        // A long write-ahead log is read before anything is served, so a killed coordinator gets
        // more operations next time.
        const bool has_served = changes.request_until_dead(coordinator) > 0;
        most = has_served || kill < each_in_turn ? usual : 2 * most;
        REQUIRE(coordinator.wait(soon()) == Exit{.signal = SIGKILL});
    }
    cluster.start_coordinator();
    changes.await_answers();
    INFO("changes: " << changes.count());
    changes.check();
    REQUIRE(cluster.serving(2));
    CHECK(cluster.wait("*"));
    CHECK(cluster.pids("", 2) == kept);
}

}  // namespace muster::faults
