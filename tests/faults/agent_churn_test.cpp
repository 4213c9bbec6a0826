#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <time.h>
#include <vector>

#include "common/base/random.hpp"
#include "tests/faults/holding.hpp"
#include "tests/integration/support/harness.hpp"

// kill -9 of the agent at random moments while operators change the wanted tasks.
namespace muster::faults {

namespace {

using integration::Cluster;
using integration::Json;
using integration::until;

std::size_t kills() {
    const char* const text = std::getenv("TEST_KILLS");
    return text == nullptr ? 50 : std::strtoul(text, nullptr, 10);
}

void pass(std::uint64_t microseconds) {
    const timespec time{.tv_sec = static_cast<time_t>(microseconds / 1'000'000),
                        .tv_nsec = static_cast<long>(microseconds % 1'000'000 * 1'000)};
    nanosleep(&time, nullptr);
}

/// One node under churn, with some tasks that nobody changes.
class Churn {
public:
    static constexpr std::size_t untouched = 10;

    Churn() {
        cluster_.apply({stays_});
        REQUIRE(cluster_.wait("stays"));
        pids_ = cluster_.pids("stays", untouched);
        restart();
        before_ = steady_holding(cluster_, "n1");
    }

    void kill_once() {
        disturb();
        pass(random_.below(60'000));
        cluster_.kill_agent("n1");
        cluster_.start_agent("n1");
        pass(random_.below(20'000));
    }
    void check() {
        // So many restarts in a short time correctly suspend the node, so the test forgives it.
        REQUIRE(until([&] {
            static_cast<void>(cluster_.ask({{"verb", "node forgive"}, {"pattern", "n1"}}));
            return cluster_.status().at("converged").get<bool>();
        }));
        CHECK(cluster_.pids("stays", untouched) == pids_);
        const Json answer = cluster_.ask({{"verb", "task list"}});
        for (const auto& task : answer.at("tasks")) {
            const Json instances = cluster_.instances_of(task.at("name"));
            for (const auto& instance : instances) {
                CHECK(instance.at("restarts") == 0);
            }
        }
    }
    /// After the churn's tasks are removed, the agent holds exactly what it held before them.
    void end() {
        cluster_.apply({stays_}, true);
        check();
        CHECK(until([&] { return cluster_.tasks().size() == untouched; }));
        restart();
        Holding last;
        static_cast<void>(until([&] { return (last = holding()) == before_; }));
        CHECK(last == before_);
    }

private:
    void restart() {
        cluster_.kill_agent("n1");
        cluster_.start_agent("n1");
        REQUIRE(cluster_.serving(1));
    }
    [[nodiscard]] Json task(std::uint64_t number, std::uint32_t instances) {
        auto made = cluster_.task("churn" + std::to_string(number), instances);
        made["max_per_node"] = 8;
        made["env"]["ROUND"] = std::to_string(random_.below(3));
        made["grace_ms"] = 1'000;
        made["limits"] = {{"pids", 64}};
        return made;
    }
    /// Applies or removes one or two tasks.
    void disturb() {
        for (std::uint64_t left = 1 + random_.below(2); left > 0; --left) {
            const std::uint64_t number = random_.below(4);
            if (random_.chance(1, 6)) {
                static_cast<void>(cluster_.ask(
                    {{"verb", "task remove"}, {"pattern", "churn" + std::to_string(number)}}));
            } else {
                cluster_.apply({task(number, static_cast<std::uint32_t>(random_.below(5)))});
            }
        }
    }
    [[nodiscard]] Holding holding() const { return holding_of(cluster_, "n1"); }

    Cluster cluster_{{.nodes = {"n1"}, .round = integration::pace() / 2}};
    Json stays_ = [this] {
        auto made = cluster_.task("stays", untouched);
        made["max_per_node"] = untouched;
        made["limits"] = {{"pids", 64}};
        return made;
    }();
    std::vector<pid_t> pids_;
    Holding before_;
    Random random_{4};
};

}  // namespace

// Goal: an agent can be killed at any moment without an effect on tasks, files and processes.
TEST_CASE("an agent that is killed at random under churn restarts nothing and leaks nothing",
          "[integration][faults][S14]") {
    Churn churn;
    for (std::size_t kill = 1; kill <= kills(); ++kill) {
        CAPTURE(kill);
        churn.kill_once();
        if (kill % 10 == 0) {
            churn.check();
        }
    }
    churn.end();
}

}  // namespace muster::faults
