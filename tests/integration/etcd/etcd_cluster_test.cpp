// Several coordinators with a store in etcd: the real programs.

#include <csignal>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "tests/catch.hpp"

#include "tests/integration/support/coordinators.hpp"
#include "tests/integration/support/etcd_servers.hpp"
#include "tests/integration/support/harness.hpp"

using namespace muster;
using namespace muster::integration;

namespace {

/// Two coordinators, and two agents that know both.
struct LeaderAndStandby {
    explicit LeaderAndStandby(const EtcdServers& servers)
        : coordinators{{.count = 2, .etcd = servers.section()}},
          cluster{{.nodes = {"n1", "n2"}, .coordinator = coordinators.agents()}},
          leader{coordinators.await_leader()},
          standby{1 - leader} {
        REQUIRE(coordinators
                    .ask({{"verb", "apply"},
                          {"request_id", new_request_id()},
                          {"tasks", {cluster.task("web", 1)}}})
                    .at("ok") == true);
        running = cluster.pids("web", 1);
    }
    const std::string& leader_at() const { return coordinators.endpoints(leader).operators; }
    const std::string& standby_at() const { return coordinators.endpoints(standby).operators; }
    Json ask_standby(const std::string& request) const {
        return integration::ask(standby_at(), Json::parse(request)).value_or(Json{});
    }
    /// The command of an operator who knows this endpoint.
    Finished command(const std::string& endpoint, const std::vector<std::string>& words) const {
        std::vector<std::string> argv{program("muster"), "-c", endpoint};
        argv.insert(argv.end(), words.begin(), words.end());
        return run(cluster.directory(), argv, {"XDG_CONFIG_HOME=" + cluster.directory()});
    }

    Coordinators coordinators;
    Cluster cluster;
    std::size_t leader;
    std::size_t standby;
    std::vector<pid_t> running;
};

}  // namespace

// Goal: a coordinator that dies is not missed, and no task restarts. Method: two coordinators,
// agents and a command that know both; kill the leader.
TEST_CASE("a coordinator takes over from a killed one by the store in etcd",
          "[integration][etcd][L2]") {
    const EtcdServers servers{3};
    LeaderAndStandby with{servers};
    with.coordinators.kill(with.leader);
    Json status;
    CHECK(until([&] {
        const auto asked =
            with.command(with.leader_at() + "," + with.standby_at(), {"status", "-o", "json"});
        status = asked.exit == Exit{.code = 0} ? Json::parse(asked.output) : Json{};
        return status.is_object() && status.at("serving") == 2;
    }));
    CHECK(status.at("epoch") == 2);
    CHECK(with.cluster.pids("web", 1) == with.running);
}

// Goal: a coordinator that stands by answers what is read, marked, and refuses changes with the
// address of the leader.
TEST_CASE("a coordinator that stands by answers from the store, and takes no changes",
          "[integration][etcd]") {
    const EtcdServers servers;
    const LeaderAndStandby with{servers};
    Json seen;
    CHECK(until([&] {
        seen = with.ask_standby(R"({"verb":"task show","name":"web"})");
        return seen.at("ok") == true;
    }));
    CHECK(seen.at("standby").at("leader_at") == with.leader_at());
    CHECK(with.ask_standby(R"({"verb":"status"})").at("phase") == "standby");
    const Json refused = with.ask_standby(R"({"verb":"task scale","pattern":"web","instances":2})");
    CHECK(refused.at("error").at("code") == "not_leader");
    CHECK(contains(std::string{refused.at("error").at("message")}, with.leader_at()));
    CHECK(refused.at("standby").at("leader_at") == with.leader_at());
    CHECK(with.ask_standby(R"({"verb":"audit show"})").at("error").at("code") == "not_leader");

    // The command goes on to the leader by itself.
    CHECK(with.command(with.standby_at(), {"task", "scale", "web", "2"}).exit == Exit{.code = 0});
    CHECK(with.coordinators.ask({{"verb", "wait"}, {"pattern", "web"}}).at("ok") == true);
}

TEST_CASE("a standby answers for a leader that cannot be reached, and says so",
          "[integration][etcd]") {
    const EtcdServers servers;
    LeaderAndStandby with{servers};
    CHECK(until(
        [&] { return with.ask_standby(R"({"verb":"task show","name":"web"})").at("ok") == true; }));
    with.coordinators.pause(with.leader);
    const auto asked = with.command(with.standby_at(), {"task", "show", "web"});
    with.coordinators.resume(with.leader);
    CHECK(asked.exit == Exit{.code = 0});
    CHECK(contains(asked.errors, "does not answer; this is what one that stands by knows"));
}

// Goal: a wait costs nothing. Method: the processor's time of a command that asks a standby first,
// and then waits at the leader for twenty paces.
TEST_CASE("a command that waits for a leader does not use the processor", "[integration][etcd]") {
    const EtcdServers servers;
    const LeaderAndStandby with{servers};
    REQUIRE(with.coordinators
                .ask({{"verb", "apply"},
                      {"request_id", new_request_id()},
                      {"tasks", {with.cluster.task("never", 1, {"/no/such/program"})}}})
                .at("ok") == true);
    const auto used = [] {
        rusage usage = {};
        getrusage(RUSAGE_CHILDREN, &usage);
        return 1000 * (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
    };
    const auto before = used();
    CHECK(with.command(with.standby_at(), {"wait", "never", "-t", in_ms(paces(20))}).exit !=
          Exit{.code = 0});
    CHECK(used() - before < paces(4).count());
}

TEST_CASE("an operator sees all coordinators, and hands the lead over", "[integration][etcd]") {
    const EtcdServers servers;
    const LeaderAndStandby with{servers};
    CHECK(until([&] {
        const Json rows = with.ask_standby(R"({"verb":"coordinator list"})").at("rows");
        return rows.size() == 2 && rows[0].at("role") == "leader" && rows[1].at("lag_ms") == 0 &&
               rows[1].at("applied") == rows[0].at("applied") && rows[1].at("is_asked") == true &&
               rows[0].at("agents") == 2 && rows[1].at("agents") == 2;
    }));
    const auto resigned = with.command(with.standby_at(), {"coordinator", "resign"});
    CHECK(resigned.exit == Exit{.code = 0});
    CHECK(contains(resigned.output, "leader"));
    CHECK(with.coordinators.leader() == with.standby);  // The command waited for it.
    const Json audit = with.coordinators.ask({{"verb", "audit show"}});
    CHECK(contains(audit.dump(), "coordinator resign"));
    CHECK(until([&] {
        const Json former = integration::ask(with.leader_at(), {{"verb", "task list"}}).value();
        return former.at("ok") == true && former.at("standby").at("leader_at") == with.standby_at();
    }));
    CHECK(until([&] { return with.coordinators.ask({{"verb", "status"}}).at("serving") == 2; }));
    CHECK(with.cluster.pids("web", 1) == with.running);
}

// Goal: nobody commands without etcd, tasks run on, and all recovers by itself.
TEST_CASE("a leader that loses etcd stops before its lease has ended, and stands by",
          "[integration][etcd][S5]") {
    EtcdServers servers;
    Cluster cluster{{.nodes = {"n1"}, .config = servers.section()}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto running = cluster.pids("web", 1);
    servers.signal(0, SIGSTOP);
    CHECK(until([&] {
        return contains(cluster.log_of("coordinator"), "the lease could not be renewed in time");
    }));
    const Json refused =
        cluster.ask({{"verb", "task scale"}, {"pattern", "web"}, {"instances", 2}});
    const Json seen = cluster.ask({{"verb", "task show"}, {"name", "web"}});
    servers.signal(0, SIGCONT);
    CHECK(refused.at("error").at("code") == "not_leader");
    CHECK(seen.at("ok") == true);
    CHECK(seen.contains("standby"));
    CHECK(until([&] { return contains(cluster.log_of("coordinator"), "epoch=2"); }));
    CHECK(cluster.serving(1));
    CHECK(cluster.pids("web", 1) == running);
}

TEST_CASE("a coordinator that cannot reach etcd says so, and ends when it is asked to",
          "[integration][etcd]") {
    const Directory directory;
    const std::string log = directory.path() + "/log";
    write_text(directory.path() + "/c.toml", "insecure_loopback = true\nstate_dir = \"" +
                                                 directory.path() + "/state\"\nrun_dir = \"" +
                                                 directory.path() +
                                                 "/run\"\n[etcd]\nendpoints = [\"127.0.0.1:1\"]\n");
    const auto waiting = start_ready(
        directory.path(),
        {.argv = {program("muster-coordinator"), "--config", directory.path() + "/c.toml"},
         .errors = log});
    CHECK(until([&] {
        return text_of(log).find("etcd at 127.0.0.1:1 did not read") != std::string::npos;
    }));
    waiting->signal(SIGTERM);
    CHECK(waiting->wait(soon()) == Exit{.code = 0});
}

TEST_CASE("a store in etcd that cannot be used is one clear error", "[integration][etcd]") {
    const Directory directory;
    const auto refused = [&](const std::string& etcd) {
        write_text(directory.path() + "/c.toml", "insecure_loopback = true\nstate_dir = \"" +
                                                     directory.path() + "/state\"\nrun_dir = \"" +
                                                     directory.path() + "/run\"\n[etcd]\n" + etcd);
        const auto ended = run(directory.path(), {program("muster-coordinator"), "--config",
                                                  directory.path() + "/c.toml"});
        CHECK(ended.exit == Exit{.code = 1});
        return ended.errors;
    };
    CHECK(refused("endpoints = []\n").find("needs a list of HOST:PORT") != std::string::npos);
    CHECK(refused("endpoints = [\"etcd\"]\n").find("'etcd', which is not HOST:PORT") !=
          std::string::npos);
    CHECK(refused("endpoints = [\"127.0.0.1:1\"]\nprefix = \"x/\"\n").find("begins with /") !=
          std::string::npos);
    CHECK(refused("endpoints = [\"127.0.0.1:1\"]\nca = \"/no/ca\"\n").find("/no/ca") !=
          std::string::npos);
    write_text(directory.path() + "/password", "secret");
    CHECK(refused("endpoints = [\"127.0.0.1:1\"]\nuser = \"m\"\npassword_file = \"" +
                  directory.path() + "/password\"\n")
              .find("others may read") != std::string::npos);
}
