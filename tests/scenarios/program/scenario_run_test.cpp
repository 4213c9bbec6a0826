#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

#include "sim/scenario/file.hpp"
#include "sim/scenario/run.hpp"
#include "tests/scenarios/written.hpp"

namespace muster::sim {
namespace {

/// Six nodes in two racks, twelve copies. Tests add steps.
constexpr std::string_view six_nodes = R"([cluster]
move_cooldown = "5s"
[[node]]
name = "a"
count = 3
labels = { rack = "r1" }
[[node]]
name = "b"
count = 3
labels = { rack = "r2" }
[[task]]
name = "web"
instances = 12
argv = ["/usr/bin/web"]
max_per_node = 6
)";

ScenarioResult played_text(const std::string& text, const PlayOptions& options = {}) {
    return play_soundly(scenario_from_toml(text, "s.toml"), options);
}

/// Runs one step after the other, each as soon as the cluster has converged.
ScenarioResult played_steps(const std::string& steps) {
    auto result = played_text(std::string{six_nodes} + "[[step]]\ndo = [" + steps + "]\n");
    CHECK(result.converged);
    return result;
}

bool contains(const StepResult& step, std::string_view words) {
    return std::ranges::any_of(
        step.notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

TEST_CASE("a scenario begins with all nodes up and all tasks placed", "[scenario][written]") {
    const auto result = played_text(std::string{six_nodes});
    REQUIRE(result.steps.size() == 1);
    const StepResult& begin = result.steps[0];
    CHECK(begin.text == "begin");
    CHECK(begin.plans == 1);
    check_moves(begin, 12, 0);
    CHECK(begin.short_most == 12);
    CHECK(begin.load_least == 2);
    CHECK(begin.load_most == 2);
    CHECK(begin.unplaced == 0);
    CHECK(begin.messages > 0);
    CHECK(begin.bytes > begin.messages);
    CHECK(result.is_good());
}

TEST_CASE("a host that crashes and one that boots cost only their copies", "[scenario][written]") {
    const auto result = played_steps(R"("crash a0", "boot a0")");
    const StepResult& crash = result.steps[1];
    check_moves(crash, 2, 0);
    CHECK(crash.short_most == 2);
    CHECK(crash.short_for < *crash.converged);
    CHECK(crash.load_least == 2);
    CHECK(crash.load_most == 3);
    check_moves(result.steps[2], 2, 2);
    CHECK(result.steps[2].short_most == 0);
}

// Method: two seconds are less than ten missed polls, and a minute is more.
TEST_CASE("a host that is restarted runs its work again, here or elsewhere",
          "[scenario][written]") {
    const auto quick =
        played_text(std::string{six_nodes} + "[[step]]\ndo = \"restart a0\"\ndown = \"2s\"\n");
    check_moves(quick.steps[1], 2, 0);
    const auto slow = played_text(std::string{six_nodes} +
                                  "[[step]]\ndo = \"restart a0 empty\"\ndown = \"1m\"\n");
    CHECK(slow.converged);
    CHECK(*slow.steps[1].converged > 1min);
    CHECK(slow.steps[1].made.starts == 4);
    CHECK(slow.steps[1].made.stops == 2);
    CHECK(slow.steps[1].least->starts == 2);
}

TEST_CASE("an agent can stop with its work, or leave it running", "[scenario][written]") {
    const auto stopped = played_steps(R"("stop a0", "start-agent a0")");
    check_moves(stopped.steps[1], 2, 0);
    check_moves(stopped.steps[2], 2, 2);
    const auto left = played_steps(R"("leave a0", "start-agent a0")");
    CHECK(left.steps[1].short_most == 0);
    check_moves(left.steps[1], 2, 0);
    check_moves(left.steps[2], 0, 2);
    const auto killed = played_steps(R"("crash-agent a0", "start-agent a0")");
    CHECK(killed.steps[1].short_most == 0);
    check_moves(killed.steps[2], 0, 2);
    const auto paused = played_steps(R"("pause a0", "resume a0")");
    CHECK(paused.steps[1].short_most == 0);
    check_moves(paused.steps[2], 0, 2);
}

TEST_CASE("a cut node is short of copies until they run elsewhere", "[scenario][written]") {
    for (const std::string cut : {"partition", "cut-inbound", "cut-outbound"}) {
        const auto result = played_steps("\"" + cut + " a0\", \"heal a0\"");
        CHECK(result.steps[1].short_most == 2);
        check_moves(result.steps[1], 2, 0);
        check_moves(result.steps[2], 0, 2);
    }
}

TEST_CASE("a slow link costs nothing until its answers are as late as a lost node's",
          "[scenario][written]") {
    const std::string slow = std::string{six_nodes} + "[[step]]\ndo = \"slow a0\"\nby = ";
    check_moves(played_text(slow + "\"100ms\"\n").steps[1], 0, 0);
    const auto late = played_text(slow + "\"7s\"\n[[step]]\nafter = \"60s\"\ndo = \"heal a0\"\n");
    CHECK(late.steps[1].made.starts == 2);
    CHECK(late.steps[1].short_most == 0);
    CHECK(late.converged);
}

// Method: cut for one second of two, so that no node is lost.
TEST_CASE("a flapping link is cut and healed the given number of times", "[scenario][written]") {
    const auto result = played_text(
        std::string{six_nodes} + "[[step]]\ndo = \"flap a0\"\ntimes = 4\nperiod = \"2s\"\n",
        {.trace = true});
    CHECK(result.converged);
    check_moves(result.steps[1], 0, 0);
    CHECK(result.steps[1].short_most == 2);
    CHECK(result.steps[1].short_for == 4s);
    const auto count = [&](std::string_view words) {
        std::size_t times = 0;
        for (auto at = result.trace.find(words); at != std::string::npos;
             at = result.trace.find(words, at + 1)) {
            ++times;
        }
        return times;
    };
    CHECK(count("a0 is cut off") == 4);
    CHECK(count("a0 is reached again") == 4);
    CHECK(count("--- flap a0") == 1);
}

TEST_CASE("half of a fleet that falls silent freezes rescheduling", "[scenario][written]") {
    const auto result = played_text(std::string{six_nodes} + R"(
[[step]]
at = "30s"
do = "partition rack=r1"
[[step]]
after = "30s"
do = "heal all"
[[step]]
do = "freeze on"
[[step]]
do = "freeze off"
)");
    CHECK(result.converged);
    CHECK(result.steps[1].at == 30s);
    CHECK_FALSE(result.steps[1].converged);
    CHECK_FALSE(result.steps[1].least);
    CHECK(contains(result.steps[1], "rescheduling is frozen"));
    CHECK(contains(result.steps[1], "one more of web could run on b0"));
    CHECK(result.steps[1].short_most == 6);
    CHECK(result.steps[1].short_for == 30s);
    CHECK(result.steps[2].at == 60s);
    check_moves(result.steps[2], 0, 0);
    CHECK(result.steps[3].converged);
    CHECK(result.steps[4].converged);
}

TEST_CASE("the first step finds a cluster that silence can freeze", "[scenario][written]") {
    const auto result = played_text("patience = \"30s\"\n" + std::string{six_nodes} +
                                    "[[step]]\ndo = \"partition rack=r1\"\n");
    CHECK_FALSE(result.converged);
    CHECK(contains(result.steps[1], "rescheduling is frozen"));
    CHECK(result.steps[1].made.starts == 0);
}

TEST_CASE("nodes join and are drained with as few moves as an even spread takes",
          "[scenario][written]") {
    const auto result = played_steps(R"("join 2", "drain n0", "offline a0", "online n0")");
    check_moves(result.steps[1], 2, 2);
    CHECK(result.steps[1].load_least == 1);
    CHECK(result.nodes == 8);
    check_moves(result.steps[2], 1, 1);
    CHECK(result.steps[2].short_most == 0);
    check_moves(result.steps[3], 0, 0);
}

TEST_CASE("tasks are applied, scaled, restarted and removed", "[scenario][written]") {
    const auto result = played_text(std::string{six_nodes} + R"(
[[step]]
do = ["scale web 18", "restart-task web", "scale web 6"]
[[step]]
do = "apply"
[[step.task]]
name = "api"
instances = 6
argv = ["/usr/bin/api"]
[[step]]
do = "remove web"
)");
    CHECK(result.converged);
    check_moves(result.steps[1], 6, 0);
    CHECK(result.steps[2].least->starts == 18);
    CHECK(result.steps[2].least->stops == 18);
    CHECK(result.steps[3].least->stops == 12 + result.steps[3].least->starts);
    CHECK(result.steps[4].made.starts >= 6);
    CHECK(result.steps[5].made.stops == 6);
    CHECK(result.steps[5].load_most == 1);
}

TEST_CASE("without a coordinator nothing is repaired, and nothing stops", "[scenario][written]") {
    const auto result = played_text(std::string{six_nodes} + R"(
[[step]]
do = "crash-coordinator"
[[step]]
after = "20s"
do = "crash a0"
[[step]]
after = "20s"
do = "restart-coordinator"
[[step]]
do = "pause-coordinator"
[[step]]
after = "20s"
do = "resume-coordinator"
)");
    CHECK(result.converged);
    CHECK_FALSE(result.steps[1].unplaced);
    CHECK(contains(result.steps[1], "no coordinator runs"));
    CHECK(result.steps[2].short_most == 2);
    CHECK(result.steps[2].short_for == 20s);
    check_moves(result.steps[3], 2, 0);
    CHECK(contains(result.steps[4], "the coordinator is paused"));
    check_moves(result.steps[5], 0, 0);
}

TEST_CASE("an instance without room is unplaced, and a refused request is reported",
          "[scenario][written]") {
    const auto result = played_text(R"([[node]]
count = 2
capacity = { slots = 3 }
[[task]]
name = "web"
instances = 8
argv = ["/usr/bin/web"]
max_per_node = 8
[[step]]
do = "drain all"
)");
    CHECK(result.steps[0].unplaced == 2);
    CHECK(contains(result.steps[0], "2 unplaced, slots"));
    CHECK(result.steps[0].short_most == 8);
    CHECK(contains(result.steps[1], "refused: n1 is the last node"));
    CHECK(contains(result.steps[1], "force = true allows it"));
    CHECK(contains(result.steps[1], "n0 is not drained: web."));
    CHECK(result.steps[1].refused == 1);
    CHECK(result.refused == 1);
    CHECK_FALSE(result.is_good());
}

TEST_CASE("a drain that cannot end reports its blocker", "[scenario][written]") {
    const std::string text = R"([[node]]
count = 2
[[task]]
name = "web"
instances = 2
max_per_node = 1
argv = ["/usr/bin/web"]
[[step]]
do = "drain n0"
)";
    const auto stuck = played_text(text);
    CHECK(stuck.steps[1].converged);
    CHECK(contains(
        stuck.steps[1],
        "n0 is not drained: web.0 has no other place; force = true stops instances without "
        "another place"));
    const auto forced = played_text(text + "force = true\n");
    CHECK_FALSE(contains(forced.steps[1], "n0 is not drained"));
    CHECK(forced.steps[1].made.stops == 1);
}

TEST_CASE("a cluster that has not converged in time is not a good end", "[scenario][written]") {
    const auto result = played_text("patience = \"20s\"\n" + std::string{six_nodes} +
                                    "[[step]]\nat = \"30s\"\ndo = \"partition rack=r1\"\n");
    CHECK_FALSE(result.converged);
    CHECK_FALSE(result.is_good());
    CHECK(result.steps[1].at + 20s == result.simulated);
}

TEST_CASE("a task that never runs is not converged", "[scenario][written]") {
    const std::string steps = "[[step]]\ndo = \"apply\"\n[[step.task]]\nname = \"";
    const auto missing = played_text(std::string{six_nodes} + steps +
                                     "api\"\ninstances = 6\nargv = [\"missing\"]\n");
    CHECK(missing.steps[0].converged);
    CHECK_FALSE(missing.steps[1].converged);
    CHECK(contains(missing.steps[1], "api: api.0 failed on "));
    CHECK(contains(missing.steps[1], "and 5 more like it"));
    CHECK_FALSE(missing.is_good());
    CHECK(missing.simulated < 1min);
    const auto looping =
        played_text(std::string{six_nodes} + steps + "api\"\nargv = [\"exit\", \"1\", \"50\"]\n");
    CHECK(contains(looping.steps[1], "api: api.0 ended and is to start again on "));
    CHECK_FALSE(looping.is_good());
    const auto over = played_text(std::string{six_nodes} + steps +
                                  "api\"\nargv = [\"exit\", \"0\", \"50\"]\n"
                                  "restart = { policy = \"on-failure\" }\n");
    CHECK(over.is_good());
}

// Method: the last roll-out of a task that now ends by itself returns it to a process that stays.
TEST_CASE("the stops of a step count, even if the task changes later", "[scenario][written]") {
    const std::string to =
        "[[step]]\ndo = \"apply\"\n[[step.task]]\nname = \"web\"\n"
        "instances = 12\nmax_per_node = 6\nargv = [";
    const std::string batch = "\"exit\", \"0\", \"50\"]\nrestart = { policy = \"never\" }\n";
    const auto result = played_text(std::string{six_nodes} + to + batch + to + "\"serve\"]\n");
    CHECK(result.is_good());
    CHECK(result.steps[1].made.starts == 0);
    CHECK(result.steps[1].made.stops == 12);
    CHECK(result.steps[2].least->starts == 12);
    CHECK(result.steps[2].least->stops == 0);
    std::string full = std::string{six_nodes} + to + "\"missing\"]\n";
    for (auto at = full.find("= 6"); at != std::string::npos; at = full.find("= 6", at)) {
        full.replace(at, 3, "= 2");  // No room for a copy beside the old one.
    }
    const auto broken = played_text(full);
    CHECK(broken.steps[1].made.stops == 1);
}

TEST_CASE("only listed nodes join a listed fleet, and the nodes of a scenario are listed",
          "[scenario][written]") {
    const auto result = played_text(std::string{six_nodes} + R"(
[[step]]
do = "join 1"
[nodes]
mode = "listed"
)");
    CHECK(result.converged);
    CHECK(result.steps[1].load_least == 1);
}

TEST_CASE("the same scenario has the same result, traced or not", "[scenario][written]") {
    const std::string text =
        "seed = 3\n" + std::string{six_nodes} +
        "[network]\ndelay = \"5ms\"\njitter = \"20ms\"\nloss = 5\n[[step]]\ndo = \"crash a0\"\n";
    const auto one = played_text(text);
    const auto other = played_text(text, {.trace = true});
    CHECK(one.hash == other.hash);
    CHECK(one.simulated == other.simulated);
    CHECK(one.hash != played_text("seed = 4\n" + text.substr(9)).hash);
}

}  // namespace
}  // namespace muster::sim
