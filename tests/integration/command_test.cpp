#include <csignal>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

std::string file_of(const Cluster& cluster, const std::string& name, const std::string& text) {
    auto path = cluster.directory() + "/" + name;
    write_text(path, text);
    return path;
}

}  // namespace

// Goal: scripts can rely on the exit codes of `muster`.
// Method: cause each exit code with a command that an operator would type.
TEST_CASE("the operator's command ends with the code of its outcome", "[integration][command]") {
    Cluster cluster{{.nodes = {"n1"}}};
    const auto file = file_of(cluster, "tasks.toml", cluster.task_file("web", 1));
    const auto code = [&](std::vector<std::string> words) {
        INFO(Json(words).dump());
        return cluster.muster(std::move(words)).exit.code;
    };

    CHECK(code({"plan", "-f", file}) == 3);
    CHECK(code({"apply", "-f", file}) == 0);
    CHECK(code({"wait", "web", "--timeout", in_ms(paces(200))}) == 0);
    CHECK(code({"plan", "-f", file}) == 0);
    CHECK(code({"status", "--check"}) == 0);
    CHECK(code({"task", "show", "nothing"}) == 1);
    CHECK(code({"frobnicate"}) == 2);
    CHECK(code({"task", "scale", "web"}) == 2);
    CHECK(code({"status", "--watch", "--check"}) == 2);
    CHECK(code({"task", "scale", "web", "2"}) == 0);
    CHECK(code({"status", "--check"}) == 3);
    CHECK(code({"status", "--coordinator", free_endpoints().operators, "--timeout",
                in_ms(paces(3))}) == 4);
    CHECK(code({"wait", "web", "--timeout", in_ms(paces(10))}) == 5);
    CHECK(code({"task", "add", "web", "--", "/bin/sleep", "1000"}) == 6);
    CHECK(code({"task", "remove", "web", "--yes"}) == 0);
}

// Goal: every read and every error has a form for programs.
// Method: ask for JSON and parse it.
TEST_CASE("the operator's command answers in JSON on request", "[integration][command]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto json = [&](std::vector<std::string> words) {
        words.insert(words.end(), {"-o", "json"});
        const auto answered = cluster.muster(std::move(words));
        CHECK(answered.errors.empty());
        CHECK(answered.output.find('\n') == answered.output.size() - 1);
        return Json::parse(answered.output);  // Throws unless the output is one document.
    };
    CHECK(json({"status"}).at("running") == 1);
    CHECK(json({"node", "list"}).at("nodes").at(0).at("name") == "n1");
    CHECK(json({"node", "show", "n1"}).at("instances").at(0).at("task") == "web");
    CHECK(json({"task", "list", "w*"}).at("tasks").at(0).at("name") == "web");
    CHECK(json({"task", "show", "web"}).at("instances").at(0).at("node") == "n1");
    CHECK(json({"task", "show", "nothing"}).at("error").at("code") == "not_found");
    const auto file = file_of(cluster, "tasks.toml", cluster.task_file("new", 1));
    const auto plan = json({"plan", "-f", file});
    CHECK(plan.at("dry_run") == true);
    CHECK(plan.at("changes").at(0).at("task") == "new");
    CHECK(json({"ping"}).at("epoch") == 1);
    CHECK(json({"events"}).at("events").at(0).at("topic") == "leader.elected");
    CHECK(json({"events", "--since", "1"}).at("events").at(0).at("sequence") == 2);
    CHECK(json({"help"}).at("verbs").at(0).at("verb") == "apply");
    CHECK(json({"help", "plan"}).at("verbs").size() == 1);
}

// Goal: a task file is applied whole or not at all, and its error is reported at once.
// Method: files with a good task before the error.
TEST_CASE("a faulty task file changes nothing", "[integration][command]") {
    Cluster cluster{{.nodes = {"n1"}}};
    const auto good = cluster.task_file("good", 1);
    const auto refuse = [&](const std::string& text, const std::string& word) {
        const auto file = file_of(cluster, "faulty.toml", good + text);
        const auto applied = cluster.muster({"apply", "-f", file});
        INFO(applied.errors);
        CHECK(applied.exit == Exit{.code = 6});
        CHECK(contains(applied.errors, file + ":"));
        CHECK(contains(applied.errors, word));
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
    refuse("[[task]\n", "this is not TOML");
    const auto absent = cluster.muster({"apply", "-f", cluster.directory() + "/absent.toml"});
    CHECK(absent.exit == Exit{.code = 1});
    CHECK(contains(absent.errors, "absent.toml' cannot be opened"));
}

// Goal: the plan shows exactly what will be removed, and changes nothing.
// Method: plan and apply a file with --replace.
TEST_CASE("plan shows what apply would do and changes nothing", "[integration][command]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("old", 1)});
    REQUIRE(cluster.wait("old"));
    const auto file = file_of(cluster, "tasks.toml", cluster.task_file("new", 1));

    const auto plan = cluster.muster({"plan", "-f", file, "--replace"});
    CHECK(plan.exit.code == 3);
    CHECK(contains(plan.output, "old"));
    CHECK(contains(plan.output, "new"));
    CHECK(cluster.tasks("old").size() == 1);
    CHECK(cluster.status().at("tasks") == 1);

    const auto applied = cluster.muster({"apply", "-f", file, "--replace", "--yes"});
    CHECK(applied.exit.code == 0);
    CHECK(contains(applied.output + applied.errors, "old"));
    CHECK(cluster.wait("new"));
    CHECK(until([&] { return cluster.tasks("old").empty(); }));
}

// Goal: a mistake in a script removes little.
// Method: patterns without a terminal, with and without --yes; a name needs no --yes.
TEST_CASE("a removal by pattern requires a confirmation", "[integration][command]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("one", 0), cluster.task("three", 0), cluster.task("two", 0)});
    const auto refused = cluster.muster({"task", "remove", "*"});
    CHECK(refused.exit == Exit{.code = 6});
    CHECK(refused.errors ==
          "muster: this removes 3 tasks: one, three, two; there is no terminal to "
          "ask on: use --yes to do it\n");
    const auto empty = file_of(cluster, "empty.toml", "# none\n");
    const auto replaced = cluster.muster({"apply", "-f", empty, "--replace"});
    CHECK(replaced.exit == Exit{.code = 6});
    CHECK(
        contains(replaced.errors, "muster: " + empty + " has no [[task]], so it wants nothing\n"));
    CHECK(contains(replaced.errors, "this removes 3 tasks"));
    CHECK(cluster.status().at("tasks") == 3);

    CHECK(cluster.muster({"task", "remove", "one"}).exit == Exit{.code = 0});
    const auto removed = cluster.muster({"task", "remove", "t*", "--yes"});
    CHECK(removed.exit == Exit{.code = 0});
    CHECK(contains(removed.errors, "this removes 2 tasks: three, two\n"));
    CHECK(cluster.status().at("tasks") == 0);
    CHECK(cluster.muster({"task", "remove", "t*"}).exit == Exit{.code = 1});
}

// Goal: a script never mistakes a lost answer for success.
// Method: a full disk, a closed output, and an output that was closed before sockets were opened.
TEST_CASE("an answer that cannot be written is an error", "[integration][command]") {
    Cluster cluster{{.nodes = {"n1"}}};
    const auto errors = cluster.directory() + "/errors";
    const std::vector<std::vector<std::string>> reads{{"status"},
                                                      {"task", "list", "-o", "json"},
                                                      {"events", "--follow", "--since", "0"},
                                                      {"ping", "--watch"},
                                                      {"help"},
                                                      {"version"},
                                                      {"completion", "bash"}};
    for (const auto& words : reads) {
        INFO(Json(words).dump());
        std::vector<std::string> argv{program("muster")};
        argv.insert(argv.end(), words.begin(), words.end());
        Process muster{{.argv = argv,
                        .env = {"MUSTER_COORDINATOR=" + cluster.endpoints().operators,
                                "MUSTER_EVENTS=" + cluster.endpoints().events,
                                "TEST_CLUSTER=" + cluster.directory()},
                        .output = "/dev/full",
                        .errors = errors}};
        CHECK(muster.wait(soon()) == Exit{.code = 1});
        CHECK(text_of(errors) ==
              "muster: standard output cannot be written to: No space left on device\n");
        write_text(errors, "");
    }
    for (const std::string closed : {">&-", "<&- >&-"}) {
        const auto command = "exec " + program("muster") + " status " + closed;
        const auto ended = run(cluster.directory(), {"/bin/sh", "-c", command},
                               {"MUSTER_COORDINATOR=" + cluster.endpoints().operators});
        CHECK(ended.exit == Exit{.code = 1});
        CHECK(contains(ended.errors, "standard output cannot be written to: Bad file descriptor"));
    }
}

// Goal: a pattern that lists nodes and tasks also shows them.
// Method: show several nodes and tasks as text and as one document; then patterns without a match.
TEST_CASE("nodes and tasks are shown by pattern", "[integration][command]") {
    Cluster cluster{{.nodes = {"n1", "n2", "x"}}};
    cluster.apply({cluster.task("one", 1), cluster.task("two", 0)});
    REQUIRE(cluster.wait("one"));
    const auto nodes = cluster.muster({"node", "show", "n[1-9]"});
    CHECK(nodes.exit == Exit{.code = 0});
    CHECK(contains(nodes.output, "\nn1    healthy"));
    CHECK(contains(nodes.output, "\nn2    healthy"));
    CHECK_FALSE(contains(nodes.output, "\nx "));
    const auto tasks = Json::parse(cluster.muster({"task", "show", "*", "-o", "json"}).output);
    REQUIRE(tasks.at("tasks").size() == 2);
    CHECK(tasks.at("tasks").at(0).at("wanted").at("name") == "one");
    CHECK(tasks.at("tasks").at(0).at("instances").size() == 1);
    CHECK(tasks.at("tasks").at(1).at("task").at("name") == "two");

    const auto none = cluster.muster({"task", "show", "z*"});
    CHECK(none.exit == Exit{.code = 1});
    CHECK(none.errors == "muster: no task matches 'z*'\n");
    const auto never = cluster.muster({"node", "show", "N1"});
    CHECK(never.exit == Exit{.code = 1});
    CHECK(contains(never.errors, "no node is called 'N1': a name is"));
    CHECK(cluster.muster({"node", "show", "n[1"}).exit == Exit{.code = 2});
}

// Goal: a client that confuses two endpoints gets an error that says so.
// Method: use the agents' endpoint, and an agent's own.
TEST_CASE("an endpoint that is not for operators is identified as such", "[integration][command]") {
    Cluster cluster{{.nodes = {"n1"}}};
    const auto agents = cluster.muster({"status", "-c", cluster.endpoints().agents});
    CHECK(agents.exit == Exit{.code = 4});
    CHECK(contains(agents.errors,
                   cluster.endpoints().agents +
                       " is the coordinator's endpoint for agents, not for operators; "));
    const auto agent = cluster.muster({"status", "-c", cluster.agent_socket("n1")});
    CHECK(agent.exit == Exit{.code = 4});
    CHECK(contains(agent.errors, "is not a coordinator"));
}

// Goal: an operator who watches a drain sees what moves and what blocks the drain.
// Method: one task on the node can move, another can run only there; the deadline passes.
TEST_CASE("a watched drain shows what moves and what blocks it", "[integration][command]") {
    Cluster cluster{{.nodes = {"n1", "n2"}}};
    auto web = cluster.task("web", 2);
    web["max_per_node"] = 2;
    auto stuck = cluster.task("stuck", 1);
    stuck["constraints"] = {"node = n1"};
    cluster.apply({web, stuck});
    REQUIRE(cluster.wait("*"));
    const auto drained = cluster.muster({"node", "drain", "n1", "--watch", "--deadline", "2s",
                                         "--interval", "100ms", "--timeout", in_ms(paces(200))});
    CAPTURE(drained.errors);
    CHECK(drained.exit == Exit{.code = 5});
    CHECK(contains(drained.errors, "  moved to n2\n"));
    CHECK(contains(drained.errors, "  n1  stuck.0  not_serving: no suitable node serves now\n"));
    CHECK(contains(drained.errors, "1 node not drained by the deadline"));
    const auto explained = cluster.muster({"explain", "stuck.0"});
    CHECK(explained.exit == Exit{.code = 0});
    CHECK(contains(explained.output, "\nn2: does not meet the constraint node = n1\n"));
    CHECK(contains(cluster.muster({"explain", "n1"}).output, "draining"));
}

// Goal: an operator sees the true state of a task that never stays up, and sums that add up.
// Method: a real crash loop beside a task that runs and a task without room.
TEST_CASE("a crash loop is shown with its last end and is not converged",
          "[integration][command]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("crash", 1, {"/bin/sh", "-c", "exit 3"}), cluster.task("good", 2)});
    CHECK(until([&] {
        const auto listed = cluster.muster({"task", "list"}).output;
        return contains(listed, "crash  backoff") &&
               contains(listed, "crash.0 on n1: ended with exit code 3");
    }));
    CHECK(cluster.muster({"status", "--check"}).exit == Exit{.code = 3});
    const auto waited = cluster.muster({"wait", "good", "--timeout", in_ms(paces(10))});
    CHECK(waited.exit == Exit{.code = 5});
    CHECK(contains(waited.errors, ": not converged: good unplaced, 1 of 2 running "));
    const auto status = cluster.status();
    CHECK(status.at("unplaced") == 1);
    int sum = 0;
    for (const char* const part :
         {"running", "starting", "backoff", "exited", "failed", "unplaced", "unseen"}) {
        sum += status.at(part).get<int>();
    }
    CHECK(status.at("wanted") == sum);
}

// Goal: a script can follow events.
// Method: follow them in JSON during a change, then interrupt.
TEST_CASE("the operator's command follows events until it is interrupted",
          "[integration][command]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("before", 0)});
    const auto output = cluster.directory() + "/followed";
    Process follower{
        {.argv = {program("muster"), "events", "--follow", "--since", "0", "-o", "json"},
         .env = {"MUSTER_COORDINATOR=ipc://" + cluster.directory() + "/run/operators.sock",
                 "TEST_CLUSTER=" + cluster.directory()},
         .output = output,
         .errors = output + ".errors"}};
    const auto seen = [&](const std::string& name) {
        return until([&] { return contains(text_of(output), "\"" + name + "\""); });
    };
    CHECK(seen("before"));
    cluster.apply({cluster.task("after", 0)});
    CHECK(seen("after"));
    follower.signal(SIGINT);
    const auto exit = follower.wait(soon());
    REQUIRE(exit);
    CHECK(*exit == Exit{.code = -1, .signal = SIGINT});  // As shells expect.
    std::istringstream lines{text_of(output)};
    std::uint64_t last = 0;
    for (std::string line; std::getline(lines, line);) {
        const auto sequence = Json::parse(line).at("sequence").get<std::uint64_t>();
        CHECK(sequence > last);
        last = sequence;
    }
}

// Goal: requests and answers of any allowed size arrive, although a message has at most 64 KiB.
// Method: apply a file of thousands of tasks and list them; both are several times that large.
TEST_CASE("requests and answers larger than one message arrive whole", "[integration][command]") {
    constexpr std::size_t count = 10'000;
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
