#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

/// During its lifetime, processes that are started have a civil clock that can be set.
class CivilClock {
public:
    explicit CivilClock(const std::string& file) : file_{file} {
        set(0);
        setenv("CIVIL_CLOCK", file_.c_str(), 1);
        setenv("LD_PRELOAD", MUSTER_CIVIL_CLOCK, 1);
    }
    ~CivilClock() {
        unsetenv("LD_PRELOAD");
        unsetenv("CIVIL_CLOCK");
    }
    CivilClock(const CivilClock&) = delete;
    CivilClock& operator=(const CivilClock&) = delete;

    /// Writes the file in place because the daemons have mapped the same page.
    void set(std::int64_t seconds_ahead) const {
        std::fstream file{file_, std::ios::in | std::ios::out | std::ios::binary};
        if (!file) {
            file.open(file_, std::ios::out | std::ios::binary);
        }
        file.write(reinterpret_cast<const char*>(&seconds_ahead), sizeof seconds_ahead);
        REQUIRE(file.flush());
    }

private:
    std::string file_;
};

constexpr std::int64_t year = 365 * 24 * 3600;

}  // namespace

// Goal: no task and no decision depends on the civil clock; a client from another year gets an
// error that says so. Method: set the clock of both daemons back a year, then forward. Kill an
// agent in between. The operator's command keeps the true time.
TEST_CASE("a clock that is set back a year restarts no task", "[integration][host]") {
    const Directory directory;
    const CivilClock clock{directory.path() + "/offset"};
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto before = cluster.pids("web", 1);
    const auto is_undisturbed = [&] {
        const auto round = cluster.status().at("round").get<int>();
        return until([&] { return cluster.status().at("round").get<int>() > round + 5; }) &&
               cluster.status().at("converged") == true && cluster.pids("web", 1) == before &&
               cluster.instances_of("web").front().at("restarts") == 0 &&
               cluster.node("n1").at("health") == "healthy";
    };

    clock.set(-year);
    CHECK(is_undisturbed());
    Finished refused;
    CHECK(until([&] {
        refused = cluster.muster({"task", "scale", "web", "1"}, {"LD_PRELOAD="});
        return refused.exit.code != 0;
    }));
    CHECK(refused.exit.code == 6);
    CHECK(contains(refused.errors, "over an hour ahead of the coordinator's clock"));
    CHECK(contains(refused.errors, "set the clocks right"));
    const auto file = directory.path() + "/tasks.toml";
    write_text(file, cluster.task_file("late", 1));
    CHECK(cluster.muster({"apply", "-f", file}).exit.code == 0);
    CHECK(cluster.wait("late"));
    cluster.kill_agent("n1");
    cluster.start_agent("n1");
    CHECK(is_undisturbed());
    clock.set(0);
    CHECK(is_undisturbed());
}

}  // namespace muster::integration
