#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

// Expects one clear sentence and no start. Exit code 2: the command line is wrong; 1: anything
// else.
void expect_refusal(const Finished& finished, const std::string& word, int code = 1) {
    INFO(finished.errors);
    CHECK(finished.exit == Exit{.code = code});
    CHECK(contains(finished.errors, word));
    CHECK(std::count(finished.errors.begin(), finished.errors.end(), '\n') == 1);
}

// Starts a coordinator with this configuration in addition to what a test needs.
Finished start_with(const Directory& directory, const std::string& endpoints,
                    const std::string& top = "") {
    write_text(directory.path() + "/coordinator.toml",
               top + "\ninsecure_loopback = true\nstate_dir = \"" + directory.path() +
                   "/state\"\nrun_dir = \"" + directory.path() + "/run\"\n[endpoints]\n" +
                   endpoints);
    return run(directory.path(),
               {program("muster-coordinator"), "--config", directory.path() + "/coordinator.toml"});
}

}  // namespace

// Goal: without keys no configuration makes a daemon reachable from outside the host.
// Method: configure each program to bind or connect elsewhere.
TEST_CASE("an endpoint that leaves the host is refused with the reason", "[integration][startup]") {
    const Directory directory;
    for (const auto* name : {"agents", "operators", "events", "http"}) {
        const auto started =
            start_with(directory, std::string{name} + " = \"tcp://0.0.0.0:7700\"\n");
        expect_refusal(started, "tcp://0.0.0.0:7700");
        CHECK(contains(started.errors, name == std::string{"http"}
                                           ? "HTTP has no keys"
                                           : "keys are required for addresses other than loopback; "
                                             "run muster init"));
    }
    expect_refusal(
        run(directory.path(),
            {program("muster-agent"), "--name", "n1", "--coordinator", "tcp://192.0.2.1:7700",
             "--state-dir", directory.path() + "/agent", "--run-dir", directory.path() + "/run"}),
        "n1 has joined no cluster, so it has no key for tcp://192.0.2.1:7700");
    expect_refusal(run(directory.path(),
                       {program("muster"), "status", "--coordinator", "tcp://192.0.2.1:7701"}),
                   "keys are required for addresses other than loopback", 6);
    const auto with = [&](const std::string& option) {
        return run(
            directory.path(),
            {program("muster-coordinator"), "--insecure-loopback", option, "tcp://0.0.0.0:7700",
             "--state-dir", directory.path() + "/state", "--run-dir", directory.path() + "/run"});
    };
    for (const std::string option : {"--agents", "--operators", "--events"}) {
        expect_refusal(with(option), "cannot bind tcp://0.0.0.0:7700: keys are required");
    }
    expect_refusal(with("--http"),
                   "--http: endpoint 'tcp://0.0.0.0:7700' is not on this host: HTTP has no keys",
                   2);
}

// Goal: any bad path after --config gets a clear error.
// Method: a missing file, and a directory, which can be opened but not read.
TEST_CASE("a configuration that cannot be read is one clear error", "[integration][startup]") {
    const Directory directory;
    for (const auto* const daemon : {"muster-coordinator", "muster-agent"}) {
        const auto start = [&](const std::string& path) {
            return run(directory.path(), {program(daemon), "--config", path});
        };
        expect_refusal(start(directory.path()), "cannot be read: Is a directory");
        expect_refusal(start(directory.path() + "/none"), "No such file");
    }
}

// Goal: a conflict over a port gets a sentence, not a stack trace.
// Method: give a coordinator a port that is in use.
TEST_CASE("a port in use is named in the error", "[integration][startup]") {
    Cluster cluster{{.nodes = {}}};
    const Directory directory;
    const auto other = free_endpoints();
    expect_refusal(
        start_with(directory, "agents = \"" + cluster.endpoints().agents + "\"\noperators = \"" +
                                  other.operators + "\"\nevents = \"" + other.events + "\"\n"),
        cluster.endpoints().agents);
    expect_refusal(start_with(directory, "agents = \"" + other.agents + "\"\noperators = \"" +
                                             other.operators + "\"\nevents = \"" + other.events +
                                             "\"\nhttp = \"" + cluster.endpoints().http + "\"\n"),
                   cluster.endpoints().http);
    CHECK(cluster.status().at("ok") == true);
}

// Goal: a configuration error is found before anything is bound, and reported with its line.
// Method: an unknown key, a wrong type, and a missing file.
TEST_CASE("a faulty configuration is refused with its line", "[integration][startup]") {
    const Directory directory;
    expect_refusal(start_with(directory, "", "stat_dir = \"/x\""), "coordinator.toml:1");
    expect_refusal(start_with(directory, "agents = 7\n"), "coordinator.toml:6");
    expect_refusal(run(directory.path(), {program("muster-coordinator"), "--config",
                                          directory.path() + "/absent.toml"}),
                   "absent.toml");
    const auto agent_with = [&](const std::string& text) {
        const auto file = directory.path() + "/agent.toml";
        write_text(file, text);
        return run(directory.path(), {program("muster-agent"), "--config", file});
    };
    expect_refusal(agent_with("name = \"Web\"\n"),
                   "agent.toml:1: name 'Web' is not a valid node name");
    expect_refusal(agent_with("\ncoordinator = \"tcp://0.0.0.0:7700\"\n"),
                   "agent.toml:2: coordinator endpoint 'tcp://0.0.0.0:7700' means every address");
}

// Goal: a person who runs the shim by hand learns what it is.
TEST_CASE("a shim that no agent started says what it is", "[integration][startup]") {
    const Directory directory;
    const auto done = run(directory.path(), {program("muster-shim"), "--help"});
    CHECK(done.exit == Exit{.code = 2});
    CHECK(done.errors.find("muster-agent starts it") != std::string::npos);
    CHECK(std::count(done.errors.begin(), done.errors.end(), '\n') == 1);
}

// Goal: a daemon never writes log lines into another file that it has open.
// Method: start both with all standard files closed, and check the files that got those
// descriptors.
TEST_CASE("a daemon with closed standard files logs into none of its own files",
          "[integration][startup]") {
    Cluster cluster{{.nodes = {}}};
    const auto files_of = [&](const Process& daemon) {
        std::vector<std::string> files;
        for (const char* const fd : {"0", "1", "2"}) {
            std::error_code vanished;
            files.push_back(std::filesystem::read_symlink(
                "/proc/" + std::to_string(daemon.pid()) + "/fd/" + fd, vanished));
        }
        return files;
    };
    const std::vector<std::string> nowhere(3, "/dev/null");
    const auto closed = [](Command command) {
        command.argv.insert(command.argv.begin(),
                            {"/bin/sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh"});
        return command;
    };
    Process agent{closed(cluster.agent_command("n1"))};
    REQUIRE(until([&] { return cluster.serving(1); }));
    CHECK(files_of(agent) == nowhere);
    CHECK(text_of(cluster.directory() + "/state/agents/n1/lock").empty());

    cluster.kill_coordinator();
    Process coordinator{closed(cluster.coordinator_command())};
    REQUIRE(ask_line(cluster.operators_socket(), "ping"));
    CHECK(files_of(coordinator) == nowhere);
}

// Goal: an agent's name works in all places.
// Method: names that are paths, too long, empty, or with forbidden characters.
TEST_CASE("a bad agent name is refused", "[integration][startup]") {
    const Directory directory;
    for (const std::string& name : {std::string{"../x"}, std::string(64, 'a'), std::string{},
                                    std::string{"a\nb"}, std::string{"Web"}}) {
        INFO(name);
        const auto started =
            run(directory.path(), {program("muster-agent"), "--name", name, "--state-dir",
                                   directory.path(), "--run-dir", directory.path()});
        CHECK(started.exit == Exit{.code = 2});
        CHECK_FALSE(started.errors.empty());
        CHECK(std::count(started.errors.begin(), started.errors.end(), '\n') == 1);
    }
}

}  // namespace muster::integration
