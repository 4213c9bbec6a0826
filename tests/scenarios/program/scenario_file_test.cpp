#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "sim/scenario/file.hpp"
#include "tests/temporary_directory.hpp"

namespace muster::sim {
namespace {

constexpr std::string_view two_racks = R"([[node]]
name = "a"
count = 3
labels = { rack = "r1" }
[[node]]
name = "b"
count = 3
labels = { rack = "r2" }
[[node]]
name = "db"
pool = "data"
capacity = { slots = 4 }
[[task]]
name = "web"
instances = 6
argv = ["serve"]
)";

Scenario read_sound(const std::string& text) {
    const auto scenario = scenario_from_toml(text, "s.toml");
    INFO((scenario ? "" : scenario.error().detail));
    REQUIRE(scenario.has_value());
    return *scenario;
}

std::string fault(const std::string& text) {
    const auto scenario = scenario_from_toml(text, "s.toml");
    return scenario ? "none" : scenario.error().detail;
}

/// The error of a step whose keys begin on line 18.
std::string fault_of_step(const std::string& keys) {
    return fault(std::string{two_racks} + "[[step]]\n" + keys);
}

std::vector<std::string> nodes_of(const std::string& words) {
    const auto scenario =
        read_sound(std::string{two_racks} + "[[step]]\ndo = \"partition " + words + "\"\n");
    return scenario.steps.at(0).action.nodes;
}

using Names = std::vector<std::string>;

TEST_CASE("a scenario file is read completely", "[scenario][written]") {
    const Scenario scenario =
        read_sound("seed = 7\npatience = \"2m\"\n" + std::string{two_racks} + R"(
[cluster]
round = "500ms"
lost_after = 5
rebalance = "off"
[nodes]
flaky_tasks = "move"
[network]
delay = "5ms"
jitter = "2ms"
loss = 3
[[step]]
at = "60s"
do = ["drain a0", "restart a0 empty"]
down = "90s"
force = true
[[step]]
after = "5s"
do = "flap b1"
times = 4
period = "8s"
[[step]]
do = "join 2"
name = "c"
pool = "data"
labels = { rack = "r3" }
[[step]]
do = "apply"
[[step.task]]
name = "api"
argv = ["exit", "1", "500"]
)");
    CHECK(scenario.options.seed == 7);
    CHECK(scenario.patience == 2min);
    CHECK(scenario.options.coordinator.round == 500ms);
    CHECK(scenario.options.coordinator.loss.after == 5);
    CHECK(scenario.options.coordinator.rebalance == coordinator::Rebalance::off);
    CHECK(scenario.options.coordinator.flaky_tasks == coordinator::FlakyTasks::move);
    CHECK(scenario.options.delay.least == 5ms);
    CHECK(scenario.options.delay.most == 7ms);
    CHECK(scenario.options.loss == 3);
    REQUIRE(scenario.nodes.size() == 7);
    CHECK(scenario.nodes[2].name == "a2");
    CHECK(scenario.nodes[3].offer.labels.at("rack") == "r2");
    CHECK(scenario.nodes[6].name == "db");
    CHECK(scenario.nodes[6].offer.pool == "data");
    CHECK(scenario.nodes[6].offer.capacity.slots == 4);
    REQUIRE(scenario.tasks.size() == 1);
    CHECK(scenario.tasks[0].instances == 6);

    REQUIRE(scenario.steps.size() == 5);
    CHECK(scenario.steps[0].at == 60s);
    CHECK(scenario.steps[0].force);
    CHECK(scenario.steps[1].action.verb == Verb::restart);
    CHECK(scenario.steps[1].action.empty);
    CHECK(scenario.steps[1].down == 90s);
    CHECK_FALSE(scenario.steps[1].at);
    CHECK(scenario.steps[2].after == 5s);
    CHECK(scenario.steps[2].times == 4);
    CHECK(scenario.steps[2].period == 8s);
    REQUIRE(scenario.steps[3].join.size() == 2);
    CHECK(scenario.steps[3].join[1].name == "c1");
    CHECK(scenario.steps[3].join[1].offer.pool == "data");
    REQUIRE(scenario.steps[4].tasks.size() == 1);
    CHECK(scenario.steps[4].tasks[0].name == "api");
}

TEST_CASE("omitted values have the coordinator's defaults", "[scenario][written]") {
    const Scenario scenario = read_sound("[[node]]\ncount = 2\n");
    CHECK(scenario.options.seed == 1);
    CHECK(scenario.nodes[1].name == "n1");
    CHECK(scenario.options.coordinator.move_cooldown ==
          coordinator::CoordinatorOptions{}.move_cooldown);
    CHECK(scenario.options.coordinator.lease == coordinator::CoordinatorOptions{}.lease);
}

TEST_CASE("nodes are selected one by one, by pattern and by label", "[scenario][written]") {
    CHECK(nodes_of("b1") == Names{"b1"});
    CHECK(nodes_of("b1 a0 b1") == Names{"a0", "b1"});
    CHECK(nodes_of("a*") == Names{"a0", "a1", "a2"});
    CHECK(nodes_of("a[0,2]") == Names{"a0", "a2"});
    CHECK(nodes_of("rack=r2") == Names{"b0", "b1", "b2"});
    CHECK(nodes_of("rack=r* db").size() == 7);
    CHECK(nodes_of("node=b?") == Names{"b0", "b1", "b2"});
    CHECK(nodes_of("all").size() == 7);
}

TEST_CASE("a joining node takes a number that is free", "[scenario][written]") {
    const Scenario scenario = read_sound(
        "[[node]]\nname = \"n1\"\n[[node]]\ncount = 2\n[[step]]\ndo = \"join 2\"\n"
        "[[step]]\ndo = \"crash n[0-4]\"\n");
    CHECK(scenario.nodes[2].name == "n2");
    CHECK(scenario.steps[0].join[1].name == "n4");
    CHECK(scenario.steps[1].action.nodes.size() == 5);
}

TEST_CASE("nodes of two tables of the same name are numbered consecutively",
          "[scenario][written]") {
    const Scenario scenario = read_sound("[[node]]\ncount = 2\n[[node]]\ncount = 2\n");
    REQUIRE(scenario.nodes.size() == 4);
    CHECK(scenario.nodes[3].name == "n3");
}

TEST_CASE("tasks are read from a file beside the scenario", "[scenario][written]") {
    const TemporaryDirectory directory;
    const auto write = [&](const std::string& name, const std::string& text) {
        std::ofstream{directory.below(name)} << text;
        return directory.below(name);
    };
    write("tasks.toml", "[[task]]\nname = \"web\"\nargv = [\"serve\"]\n");
    const std::string file = write("s.toml", "tasks = \"tasks.toml\"\n[[node]]\ncount = 1\n");
    const auto scenario = read_scenario(file);
    REQUIRE(scenario.has_value());
    CHECK(scenario->tasks.at(0).name == "web");

    const auto both = scenario_from_toml(
        "tasks = \"tasks.toml\"\n[[node]]\ncount = 1\n[[task]]\nname = \"web\"\nargv = [\"x\"]\n",
        file);
    REQUIRE_FALSE(both);
    CHECK_THAT(both.error().detail, Catch::EndsWith("s.toml:1: task 'web' is in tasks.toml, and "
                                                    "here, too"));
    write("tasks.toml", "[[task]]\nname = \"web\"\nargs = [\"serve\"]\n");
    const auto broken = read_scenario(file);
    REQUIRE_FALSE(broken);
    CHECK_THAT(broken.error().detail, Catch::Contains("s.toml:1: tasks: ") &&
                                          Catch::Contains("tasks.toml:3: unknown key 'args' in "
                                                          "[[task]]; did you mean 'argv'?"));
    CHECK_THAT(read_scenario(directory.below("none.toml")).error().detail,
               Catch::Contains("none.toml' cannot be opened: No such file"));
}

TEST_CASE("a scenario that makes no sense is refused with the line", "[scenario][written]") {
    const std::vector<std::pair<std::string, std::string>> faults{
        {"[[node]\n", "s.toml:1: this is not TOML: "},
        {"", "s.toml:1: there is no node; write [[node]] and count = 12 below it"},
        {"sed = 3\n", "s.toml:1: unknown key 'sed' in the scenario; did you mean 'seed'?"},
        {"[cluster]\nterm = \"1s\"\n", "s.toml:2: term is now called round; rename the key"},
        {"[[node]]\ncount = 1\nnam = \"a\"\n",
         "s.toml:3: unknown key 'nam' in [[node]]; did you mean 'name'?"},
        {"[[node]]\n", "s.toml:1: name is ''; "},
        {"[[node]]\ncount = 0\n", "s.toml:2: count is 0; write one from 1 to 10000"},
        {"[[node]]\nname = \"a\"\n[[node]]\nname = \"a\"\n",
         "s.toml:3: there is a node 'a' already; give it another name"},
        {"[[node]]\nname = \"a\"\nlabels = { Rack = \"r1\" }\n", "s.toml:3: labels "},
        {"[cluster]\nlost_after = 1\n", "s.toml:2: lost_after must be a whole number from 3"},
        {"[cluster]\nlost_after = 3\n", "s.toml:2: silent_after is 3 and lost_after is 3"},
        {"[cluster]\nlostafter = 1\n",
         "s.toml:2: unknown key 'lostafter' in [cluster]; did you mean 'lost_after'?"},
        {"[network]\ndelay = \"1h\"\n", "s.toml:1: delay and jitter are at most 1m together"},
        {"[[node]]\ncount = 1\n[[task]]\nname = \"x\"\nargv = [\"exit\", \"now\"]\n",
         "s.toml:1: task 'x': write argv = [\"exit\", \"1\", \"500\"]"},
        {"[[node]]\ncount = 1\n[[task]]\nname = \"a\"\nargv = [\"x\"]\n"
         "[[task]]\nname = \"a\"\nargv = [\"x\"]\n",
         "s.toml:6: task 'a' is already on line 3; each name is given once"},
    };
    for (const auto& [text, sentence] : faults) {
        INFO(text);
        CHECK_THAT(fault(text), Catch::StartsWith(sentence));
    }
}

TEST_CASE("a step that cannot be done is refused with the valid choices", "[scenario][written]") {
    const std::vector<std::pair<std::string, std::string>> faults{
        {"at = \"9s\"\n", ":17: the step does nothing; write do = \"crash n3\""},
        {"do = \"crsh a0\"\n", ":18: 'crsh a0': there is no verb 'crsh'; perhaps 'crash'"},
        {"do = \"\"\n", ":18: '': there is no verb ''; the verbs are crash, boot, "},
        {"do = 3\n", ":18: do is a text, or a list of texts"},
        {"do = \"crash\"\n", ":18: 'crash': write crash n3"},
        {"do = \"crash a9\"\n", ":18: 'crash a9': there is no node 'a9'; perhaps 'a0'"},
        {"do = \"crash rack=r9\"\n", ":18: 'crash rack=r9': no node has rack=r9; rack is r1, r2"},
        {"do = \"crash rak=r1\"\n", ":18: 'crash rak=r1': there is no label 'rak'; perhaps 'rack'"},
        {"do = \"crash a[1-\"\n", ":18: 'crash a[1-': "},
        {"do = \"boot a0\"\n", ":18: 'boot a0': a0 is up; it has to be off"},
        {"do = [\"crash a0\", \"crash a*\"]\n", ":18: 'crash a*': a0 is off; it has to be on"},
        {"do = [\"pause a0\", \"stop a0\"]\n", ":18: 'stop a0': a0 is paused; it has to be up"},
        {"do = [\"leave a0\", \"pause a0\"]\n",
         ":18: 'pause a0': a0 is without an agent; it has to be up"},
        {"do = \"resume-coordinator\"\n",
         ":18: 'resume-coordinator': the coordinator is up; it has to be paused"},
        {"do = [\"crash-coordinator\", \"restart-coordinator\"]\n",
         ":18: 'restart-coordinator' would wait forever, because no coordinator works"},
        {"do = \"scale web\"\n", ":18: 'scale web': write scale web 40"},
        {"do = \"scale web -1\"\n",
         ":18: 'scale web -1': '-1' is not a whole number from 0 to 100000"},
        {"do = \"scale wep 3\"\n", ":18: 'scale wep 3': there is no task 'wep'; perhaps 'web'"},
        {"do = [\"remove web\", \"restart-task web\"]\n",
         ":18: 'restart-task web': there is no task 'web'; there are none"},
        {"do = \"freeze of\"\n", ":18: 'freeze of': write freeze on, or freeze off"},
        {"do = \"join 0\"\n", ":18: 'join 0': '0' is not a whole number from 1 to 20000"},
        {"do = \"apply\"\n", ":17: no task is applied; write [[step.task]] below it"},
        {"do = []\n", ":17: the step does nothing; write do = \"crash n3\""},
        {"do = \"flap a0\"\nperiod = \"0s\"\n", ":17: period is 0s; write one like \"20s\""},
        {"do = \"crash a0\"\ndown = \"9s\"\n", ":19: 'down' belongs to restart"},
        {"do = \"crash a0\"\nforce = true\n", ":19: 'force' belongs to drain"},
        {"do = \"restart a0\"\ndwon = \"9s\"\n",
         ":19: unknown key 'dwon' in this step; did you mean 'do'?"},
        {"at = \"9s\"\nafter = \"9s\"\ndo = \"crash a0\"\n",
         ":19: a step has `at`, since the beginning, or `after`, since the step before"},
        {"at = \"9s\"\ndo = \"crash a0\"\n[[step]]\nat = \"8s\"\ndo = \"boot a0\"\n",
         ":21: at is 8s, but a step above it is at 9s; steps are in the order of time"},
        {"at = \"9\"\ndo = \"crash a0\"\n", ":18: at: '9' is not a duration"},
    };
    for (const auto& [keys, sentence] : faults) {
        INFO(keys);
        CHECK_THAT(fault_of_step(keys), Catch::StartsWith("s.toml" + sentence));
    }
}

}  // namespace
}  // namespace muster::sim
