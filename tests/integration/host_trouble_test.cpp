#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/integration/support/harness.hpp"
#include "tests/integration/support/no_more_files.hpp"
#include "tests/small_disk.hpp"

namespace muster::integration {

namespace {

/// A failed host gets work again as soon as it can do it.
std::string short_suspensions() { return "max_flaky = \"" + in_ms(paces(10)) + "\"\n"; }

std::size_t count_of(const std::string& text, std::string_view word) {
    std::size_t count = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        ++count;
    }
    return count;
}

/// True if the first instance of a task is in this state and its detail contains the text.
bool has_detail(const Cluster& cluster, const std::string& task, const std::string& state,
                const std::string& why) {
    const auto instance = cluster.instances_of(task).front();
    return instance.at("state") == state &&
           instance.at("detail").get<std::string>().find(why) != std::string::npos;
}

/// The processes of a task that n1 runs.
std::vector<pid_t> run_something(Cluster& cluster) {
    cluster.start_agent("n1");
    REQUIRE(cluster.serving(1));
    cluster.apply({cluster.task("old", 1)});
    REQUIRE(cluster.wait("old"));
    return cluster.pids("old", 1);
}

}  // namespace

// Goal: a host out of file descriptors reports it and recovers by itself.
// Method: leave the agent no free descriptor, want a task, and free the descriptors.
TEST_CASE("an agent out of open files says why nothing starts, and recovers",
          "[integration][host]") {
    Cluster cluster{{.nodes = {"n1"}, .config = short_suspensions()}};
    {
        const NoMoreFiles limit{cluster.agent("n1").pid()};
        cluster.apply({cluster.task("web", 1)});
        CHECK(until([&] { return has_detail(cluster, "web", "backoff", "Too many open files"); }));
        CHECK(until([&] {
            const std::string note = cluster.node("n1").at("note");
            return note.starts_with("cannot make processes: ") &&
                   note.find("Too many open files") != std::string::npos;
        }));
        // Some answers later the node is suspended. It is tried again after each suspension.
        CHECK(until([&] { return cluster.node("n1").at("health") == "flaky"; }));
    }
    CHECK(cluster.wait("web"));
    CHECK(until([&] { return cluster.node("n1").at("note") == ""; }));
}

// Goal: a coordinator without free file descriptors does not end, and reports its state.
// Method: leave it no free descriptor, connect to each endpoint, and ask over an existing
// connection.
TEST_CASE("a coordinator out of open files serves existing connections and reports it",
          "[integration][host]") {
    Cluster cluster{{.nodes = {"n1"}}};
    Client early{zmq::socket_type::dealer, cluster.endpoints().operators};
    const auto status = [&] {
        REQUIRE(early.send("status"));
        const auto answer = early.receive();
        REQUIRE(answer);
        return Json::parse(answer->front());
    };
    const auto alarmed = [&] {
        return status().at("alarms").dump().find("connections are refused");
    };
    REQUIRE(alarmed() == std::string::npos);
    {
        const NoMoreFiles limit{cluster.coordinator().pid()};
        for (const auto& door : {cluster.endpoints().agents, cluster.endpoints().operators,
                                 cluster.endpoints().events, cluster.operators_socket()}) {
            CHECK(RawConnection{door}.receive(1).empty());
        }
        CHECK(until([&] { return alarmed() != std::string::npos; }));
        REQUIRE(early.send("task add web 1 /bin/sleep 1000"));
        REQUIRE(early.receive());
        REQUIRE(early.send("wait web 30s"));
        const auto waited = early.receive();
        REQUIRE(waited);
        CHECK(Json::parse(waited->front()).at("ok") == true);
    }
    CHECK(cluster.log_of("coordinator").find("few file descriptors are left") != std::string::npos);
    CHECK(until([&] { return alarmed() == std::string::npos; }));
    CHECK(cluster.wait("web"));
    CHECK(cluster.ask({{"verb", "task remove"}, {"pattern", "web"}}).at("ok") == true);
    CHECK(until([&] { return cluster.node("n1").at("instances") == 0; }));
}

// Goal: an agent that cannot persist its state obeys nothing new, logs it once, disturbs no running
// task, and recovers by itself.
// Method: put its state on a small disk, fill the disk, and free space later. No floor warns
// before.
TEST_CASE("a full disk under an agent is reported until there is space again",
          "[integration][host]") {
    Cluster cluster{
        {.nodes = {}, .config = short_suspensions(), .agent_config = "[floors]\ndisk_bytes = 0\n"}};
    const SmallDisk disk{cluster.directory() + "/state/agents/n1"};
    if (!disk.mounted()) {
        WARN(SmallDisk::skipped);
        return;
    }
    const auto running = run_something(cluster);

    std::ofstream{disk.path() + "/filler"} << std::string(1'000'000, 'x');
    cluster.apply({cluster.task("web", 1)});
    CHECK(
        until([&] { return has_detail(cluster, "web", "ordered", "cannot write its own state"); }));
    const auto round = cluster.status().at("round").get<int>();
    CHECK(until([&] { return cluster.status().at("round").get<int>() > round + 10; }));
    CHECK(count_of(cluster.log_of("n1"), "memory not written") == 1);
    CHECK(cluster.pids("old", 1) == running);

    REQUIRE(disk.grow());
    CHECK(cluster.wait("web"));
    CHECK(count_of(cluster.log_of("n1"), "the disk accepts writes again") == 1);
    CHECK(cluster.pids("old", 1) == running);
    CHECK(cluster.agent("n1").running());
    CHECK(cluster.end().empty());  // The disk is unmounted after this.
}

// Goal: a host without disk space reports it before a task fails there, and takes work again later.
// Method: the same disk, filled to the floor; the node is unready, and its tasks keep running.
TEST_CASE("a host without disk space asks for no work", "[integration][host][L10]") {
    Cluster cluster{{.nodes = {}, .agent_config = "[floors]\ndisk_bytes = 20_000\n"}};
    const SmallDisk disk{cluster.directory() + "/state/agents/n1"};
    if (!disk.mounted()) {
        WARN(SmallDisk::skipped);
        return;
    }
    const auto running = run_something(cluster);

    std::ofstream{disk.path() + "/filler"} << std::string(1'000'000, 'x');
    CHECK(until([&] { return cluster.node("n1").at("health") == "unready"; }));
    CHECK(cluster.node("n1").at("note").get<std::string>().starts_with("only "));
    CHECK(contains(cluster.status().at("alarms").dump(), "the host asks for no work: n1"));
    cluster.apply({cluster.task("web", 1)});
    CHECK(until([&] { return cluster.instances_of("web").front().at("state") == "unplaced"; }));
    CHECK(count_of(cluster.log_of("n1"), "this host asks for no more work") == 1);
    CHECK(cluster.pids("old", 1) == running);

    REQUIRE(disk.grow());
    CHECK(cluster.wait("web"));
    CHECK(count_of(cluster.log_of("n1"), "this host takes work again") == 1);
    CHECK(cluster.pids("old", 1) == running);
    CHECK(cluster.end().empty());  // The disk is unmounted after this.
}

// Goal: a coordinator whose store was removed acknowledges nothing that would be lost, and an agent
// reports that its directory was removed. Neither disturbs running tasks.
// Method: remove both under running daemons, and request more.
TEST_CASE(
    "a state directory that is removed under a daemon is reported, and disturbs nothing that runs",
    "[integration][host]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto running = cluster.pids("web", 1);

    std::filesystem::remove_all(cluster.directory() + "/state/agents/n1");
    cluster.apply({cluster.task("more", 1)});
    CHECK(until(
        [&] { return has_detail(cluster, "more", "ordered", "cannot write its own state"); }));
    CHECK(until([&] {
        const Json why = cluster.ask({{"verb", "explain"}, {"subject", "node"}, {"name", "n1"}});
        return contains(why.at("detail"), "cannot write its own state: ");
    }));
    CHECK_FALSE(contains(cluster.status().at("alarms").dump(), "cannot make processes"));
    CHECK(cluster.pids("web", 1) == running);

    std::filesystem::remove_all(cluster.directory() + "/state/coordinator");
    const auto refused = cluster.ask({{"verb", "task remove"}, {"pattern", "web"}});
    CHECK(refused.at("error").at("code") == "store_failed");
    const auto ended = cluster.coordinator().wait(soon());
    REQUIRE(ended);
    CHECK(ended->code > 0);
    CHECK(cluster.log_of("coordinator").find("removed or replaced") != std::string::npos);
    CHECK(cluster.pids("web", 1) == running);
    cluster.start_coordinator();
    CHECK(until([&] { return cluster.status().at("ahead") == 1; }));
    CHECK(cluster.pids("web", 1) == running);
}

}  // namespace muster::integration
