#include <csignal>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/harness.hpp"

namespace muster::integration {

namespace {

bool says(const std::string& text, const std::string& word) {
    return text.find(word) != std::string::npos;
}

std::string file_of(const Cluster& cluster, const std::string& name, const std::string& text) {
    const auto path = cluster.directory() + "/" + name;
    write_text(path, text);
    return path;
}

}  // namespace

// Goal: scripts can rely on how `muster` ends.
// Method: bring about each exit code, with the words an operator would type.
TEST_CASE("the operator's command ends with the code of its outcome", "[integration][command]") {
    Cluster cluster{{.nodes = {"n1"}}};
    const auto file = file_of(cluster, "tasks.toml", cluster.task_file("web", 1));
    const auto code = [&](std::vector<std::string> words) {
        INFO(Json(words).dump());
        return cluster.muster(std::move(words)).exit.code;
    };

    CHECK(code({"plan", "-f", file}) == 3);
    CHECK(code({"apply", "-f", file}) == 0);
    CHECK(code({"wait", "web", "--timeout", "20s"}) == 0);
    CHECK(code({"plan", "-f", file}) == 0);
    CHECK(code({"status", "--check"}) == 0);
    CHECK(code({"task", "show", "nothing"}) == 1);
    CHECK(code({"frobnicate"}) == 2);
    CHECK(code({"task", "scale", "web"}) == 2);
    CHECK(code({"task", "scale", "web", "2"}) == 0);
    CHECK(code({"status", "--check"}) == 3);
    CHECK(code({"status", "--coordinator", free_endpoints().operators, "--timeout", "300ms"}) == 4);
    CHECK(code({"wait", "web", "--timeout", "300ms"}) == 5);
    CHECK(code({"task", "add", "web", "--", "/bin/sleep", "1000"}) == 6);
    CHECK(code({"task", "remove", "web", "--yes"}) == 0);
}

// Goal: every read has a form for programs, and so has every error.
// Method: ask for JSON and parse it.
TEST_CASE("the operator's command answers in JSON when asked to", "[integration][command]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto json = [&](std::vector<std::string> words) {
        words.insert(words.end(), {"-o", "json"});
        return Json::parse(cluster.muster(std::move(words)).output);
    };
    CHECK(json({"status"}).at("running") == 1);
    CHECK(json({"node", "list"}).at("nodes").at(0).at("name") == "n1");
    CHECK(json({"node", "show", "n1"}).at("instances").at(0).at("task") == "web");
    CHECK(json({"task", "list", "w*"}).at("tasks").at(0).at("name") == "web");
    CHECK(json({"task", "show", "web"}).at("instances").at(0).at("node") == "n1");
    CHECK(json({"task", "show", "nothing"}).at("error").at("code") == "not_found");
}

// Goal: a task file is taken whole or not at all, and the fault is found at once.
// Method: files with a good task before the fault.
TEST_CASE("a faulty task file changes nothing", "[integration][command]") {
    Cluster cluster{{.nodes = {"n1"}}};
    const auto good = cluster.task_file("good", 1);
    const auto refuse = [&](const std::string& text, const std::string& word) {
        const auto file = file_of(cluster, "faulty.toml", good + text);
        const auto applied = cluster.muster({"apply", "-f", file});
        INFO(applied.errors);
        CHECK(applied.exit.code > 0);
        CHECK(says(applied.errors, file + ":"));
        CHECK(says(applied.errors, word));
        CHECK(cluster.status().at("tasks") == 0);
    };
    refuse("[[task]]\nname = \"a\"\nargv = [\"x\"]\ninstancs = 2\n", "instances");
    refuse("[[task]]\nname = \"a\"\nargv = [\"x\"]\ninstances = \"two\"\n", "instances");
    refuse("[[task]]\nname = \"a\"\nargv = [\"x\"]\ninstances = -1\n", "instances");
    refuse("[[task]]\nname = \"a\"\nargv = [\"x\"]\ninstances = 999999999\n", "instances");
    refuse("[[task]]\nname = \"a\"\nargv = []\n", "argv");
    refuse("[[task]]\nname = \"../x\"\nargv = [\"x\"]\n", "name");
    refuse("[[task]]\nname = \"" + std::string(64, 'a') + "\"\nargv = [\"x\"]\n", "name");
    refuse("[[task]]\nname = \"a\\u0007\"\nargv = [\"x\"]\n", "name");
    refuse("[[task]]\nname = \"good\"\nargv = [\"x\"]\n", "good");
    refuse("[[task]\n", "");
    CHECK(cluster.muster({"apply", "-f", cluster.directory() + "/absent.toml"}).exit.code > 0);
}

// Goal: what is shown before a removal is what will be removed, and plan does nothing.
// Method: plan and apply a file with --replace.
TEST_CASE("plan shows what apply would do and does nothing", "[integration][command]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("old", 1)});
    REQUIRE(cluster.wait("old"));
    const auto file = file_of(cluster, "tasks.toml", cluster.task_file("new", 1));

    const auto plan = cluster.muster({"plan", "-f", file, "--replace"});
    CHECK(plan.exit.code == 3);
    CHECK(says(plan.output, "old"));
    CHECK(says(plan.output, "new"));
    CHECK(cluster.tasks("old").size() == 1);
    CHECK(cluster.status().at("tasks") == 1);

    const auto applied = cluster.muster({"apply", "-f", file, "--replace", "--yes"});
    CHECK(applied.exit.code == 0);
    CHECK(says(applied.output + applied.errors, "old"));
    CHECK(cluster.wait("new"));
    CHECK(until([&] { return cluster.tasks("old").empty(); }));
}

// Goal: events can be followed by a script.
// Method: follow them in JSON while something happens, then interrupt.
TEST_CASE("the operator's command follows events until it is interrupted",
          "[integration][command]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("before", 0)});
    const auto output = cluster.directory() + "/followed";
    Process follower{
        {.argv = {program("muster"), "events", "--follow", "--since", "0", "-o", "json"},
         .env = {"MUSTER_COORDINATOR=" + cluster.endpoints().operators,
                 "MUSTER_EVENTS=" + cluster.endpoints().events,
                 "TEST_CLUSTER=" + cluster.directory()},
         .output = output,
         .errors = output + ".errors"}};
    const auto seen = [&](const std::string& name) {
        return until([&] { return says(text_of(output), "\"" + name + "\""); });
    };
    CHECK(seen("before"));
    cluster.apply({cluster.task("after", 0)});
    CHECK(seen("after"));
    follower.signal(SIGINT);
    const auto exit = follower.wait(soon());
    REQUIRE(exit);
    CHECK(*exit == Exit{.code = -1, .signal = SIGINT});  // As a shell expects it of an interrupt.
    std::istringstream lines{text_of(output)};
    std::uint64_t last = 0;
    for (std::string line; std::getline(lines, line);) {
        const auto sequence = Json::parse(line).at("sequence").get<std::uint64_t>();
        CHECK(sequence > last);
        last = sequence;
    }
}

// Goal: requests and answers of any allowed size go through, although one message is at most
// 64 KiB.
// Method: apply a file of thousands of tasks and list them; both are several times that large.
TEST_CASE("requests and answers larger than one message arrive whole", "[integration][command]") {
    constexpr std::size_t count = 2'000;
    Cluster cluster{{.nodes = {"n1"}}};
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += cluster.task_file("t" + std::to_string(i), 0);
    }
    REQUIRE(text.size() > 128U * 1024U);
    CHECK(cluster.muster({"apply", "-f", file_of(cluster, "many.toml", text)}).exit ==
          Exit{.code = 0});
    const auto listed = cluster.muster({"task", "list", "-o", "json"});
    CHECK(listed.output.size() > 128U * 1024U);
    CHECK(Json::parse(listed.output).at("tasks").size() == count);
    CHECK(cluster.status().at("tasks") == count);
}

}  // namespace muster::integration
