#include "common/config/spec_toml.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

using namespace muster;

namespace {

struct Refusal {
    std::string_view text;
    std::string_view begins;    ///< Start of the sentence: file and line,
    std::string_view mentions;  ///< and text that it must contain.
};

void check_refused(const Refusal& refusal) {
    CAPTURE(refusal.text);
    const auto tasks = tasks_from_toml(refusal.text, "tasks.toml");
    REQUIRE_FALSE(tasks);
    CHECK(tasks.error().code == Errc::invalid);
    CAPTURE(tasks.error().detail);
    CHECK(tasks.error().detail.starts_with(refusal.begins));
    CHECK(tasks.error().detail.find(refusal.mentions) != std::string::npos);
}

}  // namespace

TEST_CASE("a task file gives its tasks in file order", "[toml]") {
    const auto tasks = tasks_from_toml(R"(
[[task]]
name = "web"
instances = 3
argv = ["server", "--port", "80"]
env = { LANG = "C", EMPTY = "" }
workdir = "/srv/web"
stop_signal = "INT"
grace = "2m"
restart = "on-failure"
max_per_node = 2
update = { max_surge = 2, max_unavailable = 0, min_healthy = "1m" }

[[task]]
name = "batch"
argv = ["work"]
)",
                                       "tasks.toml");
    REQUIRE(tasks);
    REQUIRE(tasks->size() == 2);
    WantedTask web;
    web.name = "web";
    web.instances = 3;
    web.spec.argv = {"server", "--port", "80"};
    web.spec.env = {{"EMPTY", ""}, {"LANG", "C"}};
    web.spec.workdir = "/srv/web";
    web.spec.stop_signal = "INT";
    web.spec.grace = 2min;
    web.spec.restart.policy = RestartPolicy::on_failure;
    web.spec.max_per_node = 2;
    web.spec.update = {2, 0, 1min};
    CHECK((*tasks)[0] == web);
    WantedTask batch;
    batch.name = "batch";
    batch.spec.argv = {"work"};
    CHECK((*tasks)[1] == batch);
}

TEST_CASE("a task file sets where its tasks can run", "[toml][placement]") {
    const auto tasks = tasks_from_toml(R"(
[[task]]
name = "web"
argv = ["server"]
pool = "gpu"
constraints = ["rack != r7", "cores >= 16"]
resources = { cpu_milli = 1500, memory_bytes = 536_870_912, slots = 2 }
spread = "zone"
group = "front"
pinned = true
priority = -5
reschedule_after = "5m"
reconcile = "replacement"

[[task]]
name = "watch"
argv = ["work"]
every_node = true
)",
                                       "tasks.toml");
    REQUIRE(tasks);
    REQUIRE(tasks->size() == 2);
    PlacementRule rule;
    rule.pool = "gpu";
    rule.constraints = {*parse_constraint("rack != r7"), *parse_constraint("cores >= 16")};
    rule.request = {.cpu_milli = 1500, .memory_bytes = 536'870'912, .slots = 2};
    rule.spread = "zone";
    rule.group = "front";
    rule.pinned = true;
    rule.priority = -5;
    rule.reschedule_after = 5min;
    rule.reconcile = Reconcile::replacement;
    CHECK((*tasks)[0].place == rule);
    CHECK((*tasks)[1].place.every_node);
}

// Goal: an amount is written with its unit, and old keys with the unit in their name still work.
// Method: the same task in both forms.
TEST_CASE("a task file has amounts with their units", "[toml][placement]") {
    const auto task_with = [](const std::string& lines) {
        const auto tasks =
            tasks_from_toml("[[task]]\nname = 'a'\nargv = ['x']\n" + lines, "t.toml");
        INFO((tasks ? "" : tasks.error().detail));
        REQUIRE(tasks);
        return tasks->front();
    };
    const auto plain = task_with(
        "resources = { cpu_milli = 1500, memory_bytes = 67108864 }\n"
        "limits = { cpu_milli = 2000, memory_bytes = 134217728 }\n"
        "log = { max_bytes = 1048576 }\n"
        "rlimits = { stack = 8388608 }\n");
    CHECK(plain.place.request.cpu_milli == 1'500);
    CHECK(plain.place.request.memory_bytes == 67'108'864);
    CHECK(task_with("resources = { cpu = '1.5', memory = '64MiB' }\n"
                    "limits = { cpu = 2, memory = '128MiB' }\n"
                    "log = { max = '1MiB' }\n"
                    "rlimits = { stack = '8MiB' }\n") == plain);
    CHECK(task_with("resources = { cpu_milli = '1.5', memory_bytes = '64MiB' }\n"
                    "limits = { cpu = 2.0, memory = '0.125GiB' }\n"
                    "log = { max = '1024KiB' }\n"
                    "rlimits = { stack = { soft = '8MiB', hard = 8388608 } }\n") == plain);
}

TEST_CASE("an invalid placement is refused with the line of its key", "[toml][placement]") {
    const auto with = [](const std::string& line) {
        return "[[task]]\nname = 'a'\nargv = ['x']\n" + line;
    };
    const std::vector<std::pair<std::string, std::string>> lines{
        {"constraint = ['rack = r7']", "did you mean 'constraints'?"},
        {"constraints = 'rack = r7'", "write constraints = [\"rack = r7\"]"},
        {"constraints = ['rack = r7', 3]", "constraints[1] is not a text"},
        {"constraints = ['rack is r7']", "write rack = r7, rack != r7"},
        {"constraints = ['cores > 99999999999999999999']", "no whole number of 64 bits"},
        {"constraints = ['rack = r7', 'rack = r8']", "leave no value of rack"},
        {"resources = 3", "write resources = { cpu = \"0.5\""},
        {"resources = { cpus = 3 }", "did you mean 'cpu'?"},
        {"resources = { cpu_milli = -1 }", "cpu_milli is -1; write one from 0"},
        {"resources = { cpu_milli = -0.5 }", "cpu_milli: cores are a number"},
        {"resources = { cpu = '0.5', cpu_milli = 500 }", "are the same; write only cpu"},
        {"resources = { cpu = '500m' }", "'500m' is not a number of cores"},
        {"resources = { cpu = '99999999' }", "cpu is 99999999 cores; it is 0 cores to"},
        {"resources = { memory = 67108864 }", "a size is a text in quotes with its unit"},
        {"resources = { memory = '64M' }", "memory: '64M' is not a size; write 512KiB"},
        {"log = { max = '1KiB' }", "max is 1KiB; it is "},
        {"resources = { memory_bytes = 9223372036854775807 }",
         "memory_bytes is 9223372036854775807"},
        {"resources = { slots = 4097 }", "slots is 4097; write one from 0 to 4096"},
        {"pool = ''", "pool is ''; a name is 1 to 63"},
        {"spread = \"ra\\u0007ck\"", "a name is 1 to 63"},
        {"every_node = 1", "write every_node = true"},
        {"priority = 1001", "priority is 1001; write one from -1000 to 1000"},
        {"reschedule_after = '25h'", "it is 0s to 24h"},
        {"reconcile = 'newest'", "it is one of original, replacement"},
        {"instances = 2\nevery_node = true", "instances is 2 beside every_node"},
    };
    for (const auto& [line, mentions] : lines) {
        check_refused({with(line), "tasks.toml:4: ", mentions});
    }
}

TEST_CASE("a file without tasks wants no tasks", "[toml]") {
    const auto tasks = tasks_from_toml("# nothing yet\n", "tasks.toml");
    REQUIRE(tasks);
    CHECK(tasks->empty());
}

TEST_CASE("an unknown key is refused with its line, the most similar key and all keys", "[toml]") {
    check_refused(
        {"[[task]]\nname = 'a'\nargv = ['x']\ninstance = 3\n", "tasks.toml:4: ",
         "'instance' in [[task]]; did you mean 'instances'? the keys are name, instances"});
    check_refused({"[[task]]\nname = 'a'\nargv = ['x']\n[task.update]\nmax_serge = 3\n",
                   "tasks.toml:5: ", "did you mean 'max_surge'?"});
    check_refused({"[[tasks]]\nname = 'a'\n", "tasks.toml:1: ", "did you mean 'task'?"});
    check_refused({"[[task]]\nname = 'a'\nargv = ['x']\nzzzzzzzz = 3\n",
                   "tasks.toml:4: ", "in [[task]]; the keys are"});
}

TEST_CASE("a value of the wrong type is refused with its line and the right form", "[toml]") {
    check_refused({"[[task]]\nname = 7\nargv = ['x']", "tasks.toml:2: ", "write name = \"...\""});
    check_refused(
        {"[[task]]\nname = 'a'\nargv = 'x'", "tasks.toml:3: ", "write argv = [\"program\""});
    check_refused({"[[task]]\nname = 'a'\nargv = ['x', 3]",
                   "tasks.toml:3: ", "argv[1] is not a text; put it in quotes"});
    check_refused({"[[task]]\nname = 'a'\nargv = ['x']\ninstances = '3'",
                   "tasks.toml:4: ", "instances is no whole number; write one from 0 to"});
    check_refused({"[[task]]\nname = 'a'\nargv = ['x']\ninstances = 3.0",
                   "tasks.toml:4: ", "as in instances = 3"});
    check_refused({"[[task]]\nname = 'a'\nargv = ['x']\nenv = ['A']", "tasks.toml:4: ", "table"});
    check_refused({"[[task]]\nname = 'a'\nargv = ['x']\nenv = { A = 1 }",
                   "tasks.toml:4: ", "env.A is not a text"});
    check_refused(
        {"[[task]]\nname = 'a'\nargv = ['x']\ngrace = 10", "tasks.toml:4: ", "grace = \"10s\""});
    check_refused(
        {"[[task]]\nname = 'a'\nargv = ['x']\ngrace = '10'", "tasks.toml:4: ", "grace = \"10s\""});
    check_refused({"[[task]]\nname = 'a'\nargv = ['x']\nrestart = 'often'",
                   "tasks.toml:4: ", "always, on-failure, never"});
    check_refused(
        {"[[task]]\nname = 'a'\nargv = ['x']\nupdate = 1", "tasks.toml:4: ", "max_surge = 1"});
    check_refused({"[task]\nname = 'a'\nargv = ['x']", "tasks.toml:1: ", "[[task]]"});
    check_refused({"task = [1]", "tasks.toml:1: ", "[[task]]"});
}

TEST_CASE("a value that breaks a rule is refused with the line of its key", "[toml]") {
    check_refused({"[[task]]\nname = '../x'\nargv = ['x']", "tasks.toml:2: ", "1 to 63 of a-z"});
    check_refused({"[[task]]\nname = \"a\\u001b\"\nargv = ['x']", "tasks.toml:2: ", "1 to 63"});
    check_refused({"[[task]]\nname = ''\nargv = ['x']", "tasks.toml:2: ", "1 to 63"});
    check_refused({"[[task]]\nname = 'a'\nargv = []", "tasks.toml:3: ", "argv is empty"});
    check_refused(
        {"[[task]]\nname = 'a'\nargv = ['']", "tasks.toml:3: ", "argv begins with an empty word"});
    for (const std::string number : {"-1", "100001", "9223372036854775807"}) {
        check_refused(
            {"[[task]]\nname = 'a'\nargv = ['x']\ninstances = " + number,
             "tasks.toml:4: ", "instances is " + number + "; write one from 0 to 100000"});
    }
    check_refused({"[[task]]\nname = 'a'\nargv = ['x']\nmax_per_node = 0",
                   "tasks.toml:4: ", "max_per_node is 0; write one from 1 to 4096"});
    check_refused({"[[task]]\nname = 'a'\nargv = ['x']\nupdate = {max_surge=100001}",
                   "tasks.toml:4: ", "max_surge is 100001; write one from 0 to 100000"});
    check_refused({"[[task]]\nname = 'a'\nargv = ['x']\nupdate = {max_surge=0, max_unavailable=0}",
                   "tasks.toml:4: ", "one of them is 1 or more"});
    check_refused({"[[task]]\nname = 'a'\nargv = ['x']\ngrace = '2h'",
                   "tasks.toml:4: ", "grace is 2h; it is 0s to 1h"});
    check_refused({"[[task]]\nname = 'a'\nargv = ['x']\ngrace = '9999h'",
                   "tasks.toml:4: ", "grace: '9999h' is longer than a year"});
}

// Goal: one run of the command shows everything to correct.
// Method: a file with errors in two tasks, not in the order in which keys are read.
TEST_CASE("all errors of a file are reported at once, in the order of its lines", "[toml]") {
    const auto tasks = tasks_from_toml(
        "[[task]]\n"
        "name = 'A'\n"
        "zeal = 1\n"
        "argv = 'x'\n"
        "grace = '9'\n"
        "[[task]]\n"
        "name = 'B'\n"
        "argv = ['x']\n"
        "[[task]]\n"
        "argv = ['x']\n"
        "instances = -1\n",
        "tasks.toml");
    REQUIRE_FALSE(tasks);
    const std::string& detail = tasks.error().detail;
    CAPTURE(detail);
    std::vector<std::string> begins;
    std::istringstream lines{detail};
    for (std::string line; std::getline(lines, line);) {
        begins.push_back(line.substr(0, line.find(' ')));
    }
    CHECK(begins == std::vector<std::string>{
                        "tasks.toml:2:", "tasks.toml:3:", "tasks.toml:4:", "tasks.toml:5:",
                        "tasks.toml:7:", "tasks.toml:9:", "tasks.toml:11:"});
    CHECK(detail.find("the task has no name") != std::string::npos);
}

// Goal: a file full of errors does not fill the terminal.
// Method: more wrong keys than are shown.
TEST_CASE("only the first twenty errors in a file are reported", "[toml]") {
    std::string file = "[[task]]\nname = 'a'\nargv = ['x']\n";
    for (int at = 0; at < 2'000; ++at) {
        file += "wrong_key_" + std::to_string(at) + " = 1\n";
    }
    const auto tasks = tasks_from_toml(file, "tasks.toml");
    REQUIRE_FALSE(tasks);
    const std::string& detail = tasks.error().detail;
    CHECK(std::ranges::count(detail, '\n') == 20);
    CHECK(detail.starts_with("tasks.toml:4: "));
    CHECK(detail.ends_with("tasks.toml: and more errors, which are not shown"));
}

// Goal: a person who knows another orchestrator finds the key at once.
// Method: keys of others; the key missing in their place is not reported as well.
TEST_CASE("a key of another orchestrator is refused with muster's key", "[toml]") {
    const auto detail_of = [](const std::string& line) {
        const auto tasks = tasks_from_toml("[[task]]\nname = 'a'\n" + line, "tasks.toml");
        return tasks ? std::string{} : tasks.error().detail;
    };
    CHECK(detail_of("command = ['x']")
              .starts_with("tasks.toml:3: unknown key 'command' in "
                           "[[task]]; did you mean 'argv'? the keys are"));
    CHECK(detail_of("command = ['x']").find("has no argv") == std::string::npos);
    CHECK(detail_of("argv = ['x']\nreplicas = 3").find("did you mean 'instances'?") !=
          std::string::npos);
    CHECK(detail_of("argv = ['x']\nkill_timeout = '3s'").find("did you mean 'grace'?") !=
          std::string::npos);
}

TEST_CASE("a task without a name or a program is refused", "[toml]") {
    check_refused({"[[task]]\nargv = ['x']", "tasks.toml:1: ", "no name"});
    check_refused({"\n[[task]]\nname = 'a'", "tasks.toml:2: ", "no argv"});
}

TEST_CASE("a name given twice is refused with both lines", "[toml]") {
    check_refused({"[[task]]\nname = 'a'\nargv = ['x']\n[[task]]\nname = 'a'\nargv = ['y']",
                   "tasks.toml:4: ", "already on line 1"});
}

TEST_CASE("each error is one line without terminal escapes", "[toml]") {
    check_refused({"name =  i\n[", "tasks.toml:1: ", "saw 'i?'"});
    check_refused({"\"a\\n\\u001b[31m\" = 1", "tasks.toml:1: ", "'a??[31m'"});
}

TEST_CASE("text that is not TOML is refused with its line", "[toml]") {
    check_refused({"[[task]]\nname = \n", "tasks.toml:2: ", "not TOML"});
    check_refused({"[[task]]\nname = 'a'\nname = 'b'", "tasks.toml:3: ", "not TOML"});
    check_refused({"\xff\xfe", "tasks.toml:1: ", "not TOML"});
    check_refused({std::string(100'000, '['), "tasks.toml:1: ", "not TOML"});
    check_refused({"a = " + std::string(100'000, '['), "tasks.toml:1: ", "not TOML"});
}
