// A store in etcd that is empty, older, or another one than before: no order to stop anything.

#include <string>

#include "tests/integration/support/coordinators.hpp"
#include "tests/integration/support/etcd_servers.hpp"
#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

/// A coordinator with a store in etcd, and an agent that runs `web`.
struct Running {
    explicit Running(const EtcdServers& servers)
        : coordinators{{.count = 1, .etcd = servers.section()}},
          cluster{{.nodes = {"n1"}, .coordinator = coordinators.agents()}} {
        add("web");
        pids = cluster.pids("web", 1);
    }
    void add(const std::string& task) {
        REQUIRE(coordinators
                    .ask({{"verb", "apply"},
                          {"request_id", new_request_id()},
                          {"tasks", {cluster.task(task, 1)}}})
                    .at("ok") == true);
    }
    /// In these rounds a leader could have ordered stops and read reports of them.
    static void some_rounds(const Coordinators& by) {
        const auto round = [&] { return by.ask({{"verb", "status"}}).at("round").get<int>(); };
        const int before = round();
        CHECK(until([&] { return round() > before + 5; }));
    }

    Coordinators coordinators;
    Cluster cluster;
    std::vector<pid_t> pids;
};

/// An operator sees that something runs which the store does not know.
bool is_noticed(const Coordinators& by) {
    return until([&] {
        const Json status = by.ask({{"verb", "status"}});
        return status.at("ahead") == 1 || status.at("strays") == 1;
    });
}

}  // namespace

TEST_CASE("a leader whose etcd comes back empty gives up, and the next one stops nothing",
          "[integration][etcd][S13][S25]") {
    EtcdServers servers;
    Running with{servers};
    servers.kill(0);
    servers.lose_data();
    servers.start(0);
    REQUIRE(until([&] { return contains(with.coordinators.log_of(0), "leadership is over"); }));
    INFO(with.coordinators.log_of(0));
    with.coordinators.await_leader();
    // What it asks first is seen first.
    const std::string log = with.coordinators.log_of(0);
    CHECK((contains(log, "does not know this leadership any more") ||
           contains(log, "does not hold what was written last")));
    CHECK(is_noticed(with.coordinators));
    with.add("other");
    Running::some_rounds(with.coordinators);
    CHECK(with.cluster.pids("web", 1) == with.pids);
}

TEST_CASE("a leader whose etcd is restored from an older snapshot stops nothing",
          "[integration][etcd][S13][S25]") {
    EtcdServers servers;
    Running with{servers};
    const std::string snapshot = servers.file("snapshot");
    static_cast<void>(servers.control({"snapshot", "save", snapshot}));
    with.add("later");
    const auto later = with.cluster.pids("later", 1);
    servers.kill(0);
    servers.restore(snapshot);
    servers.start(0);
    // It may hold its lease still, and nobody asks for a change: the store is not the one it knows.
    CHECK(until(
        [&] { return contains(with.coordinators.log_of(0), "was an older snapshot restored?"); }));
    INFO(with.coordinators.log_of(0));
    with.coordinators.await_leader();
    CHECK(is_noticed(with.coordinators));
    Running::some_rounds(with.coordinators);
    CHECK(with.cluster.pids("web", 1) == with.pids);
    CHECK(with.cluster.pids("later", 1) == later);
}

// Goal: what is left of a damaged store is not overwritten by a new one.
TEST_CASE("a store in etcd without its row of meta is refused, and stays as it is",
          "[integration][etcd][S25]") {
    const EtcdServers servers;
    Coordinators coordinators{{.count = 2, .etcd = servers.section()}};
    REQUIRE(coordinators.ask(addition_of("web")).at("ok") == true);
    const std::size_t leader = coordinators.await_leader();
    coordinators.kill(leader);
    static_cast<void>(servers.control({"del", "--prefix", "/muster/test/rows/meta/"}));
    CHECK(until([&] { return !coordinators.running(1 - leader); }));
    CHECK(contains(coordinators.log_of(1 - leader), "its row of meta is missing"));
    CHECK(servers.control({"get", "--prefix", "/muster/test/rows/meta/"}).empty());
}

// Goal: a value that a person wrote there has a way out.
TEST_CASE("a key of the leader that muster did not write is named", "[integration][etcd]") {
    const EtcdServers servers;
    Coordinators coordinators{{.count = 2, .etcd = servers.section()}};
    static_cast<void>(servers.control({"put", "/muster/test/leader", "garbage"}));
    const auto is_named = [&](std::size_t at) {
        return contains(coordinators.log_of(at), "key=/muster/test/leader value='garbage'");
    };
    CHECK(until([&] {
        coordinators.restart_ended();  // One that leads ends, perhaps before it looks again.
        return is_named(0) && is_named(1);
    }));
    static_cast<void>(servers.control({"del", "/muster/test/leader"}));
    coordinators.await_leader();
}

TEST_CASE("a coordinator with a wrong prefix stops nothing", "[integration][etcd][S13][S25]") {
    const EtcdServers servers;
    Running with{servers};
    Coordinators wrong{{.count = 1, .etcd = servers.section("/muster/tset")}};
    CHECK(contains(wrong.log_of(0), "a new one begins"));
    with.cluster.kill_agent("n1");
    with.cluster.reach_by("n1", wrong.agents() + "," + with.coordinators.agents());
    with.cluster.start_agent("n1");
    with.coordinators.kill(0);
    Running::some_rounds(wrong);
    CHECK(is_noticed(wrong));
    CHECK(with.cluster.pids("web", 1) == with.pids);
    wrong.kill(0);
    with.coordinators.start(0);
    CHECK(with.coordinators.ask({{"verb", "wait"}, {"pattern", "web"}}).at("ok") == true);
    CHECK(with.cluster.pids("web", 1) == with.pids);
}

}  // namespace muster::integration
