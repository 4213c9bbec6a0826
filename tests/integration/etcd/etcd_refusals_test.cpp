// What an operator may set up wrongly, or unusually.

#include <algorithm>
#include <string>
#include <vector>

#include "tests/integration/support/coordinators.hpp"
#include "tests/integration/support/etcd_servers.hpp"
#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

/// Starts a coordinator with this section [etcd] until its log says so, or ends.
std::string log_with(const std::string& etcd, const std::string& words) {
    const Directory home;
    const std::string log = home.path() + "/log";
    write_text(home.path() + "/c.toml", "insecure_loopback = true\nstate_dir = \"" + home.path() +
                                            "/state\"\nrun_dir = \"" + home.path() + "/run\"\n" +
                                            etcd);
    Process coordinator{
        {.argv = {program("muster-coordinator"), "--config", home.path() + "/c.toml"},
         .errors = log}};
    CHECK(until([&] { return contains(text_of(log), words) || !coordinator.running(); }));
    coordinator.signal(SIGTERM);
    static_cast<void>(coordinator.wait(soon()));
    return text_of(log);
}

}  // namespace

TEST_CASE("a coordinator whose certificates etcd does not know says that it cannot ask etcd",
          "[integration][etcd]") {
    const EtcdServers servers{1, true};
    servers.make_authority("stranger");
    servers.make_certificate("foreign", "stranger");
    const auto with = [&](const std::string& ca, const std::string& name) {
        return servers.section() + "ca = \"" + servers.file(ca + ".pem") + "\"\ncertificate = \"" +
               servers.file(name + ".pem") + "\"\nkey = \"" + servers.file(name + ".key") + "\"\n";
    };
    const std::string complaint = "did not read /muster/test/leader";
    CHECK(contains(log_with(with("ca", "foreign"), complaint), complaint));
    CHECK(contains(log_with(with("stranger", "client"), complaint), complaint));
    // Under load etcd may not answer in time, and then the coordinator ends.
    const std::string leading = "leading cluster=";
    CHECK(until([&] { return contains(log_with(with("ca", "client"), leading), leading); }));
}

TEST_CASE("a coordinator without a right to its prefix says that etcd denies it",
          "[integration][etcd]") {
    const EtcdServers servers;
    for (const auto& step : std::vector<std::vector<std::string>>{
             {"user", "add", "root:r"},
             {"user", "grant-role", "root", "root"},
             {"role", "add", "other"},
             {"role", "grant-permission", "other", "--prefix=true", "readwrite", "/other/"},
             {"role", "add", "reader"},
             {"role", "grant-permission", "reader", "--prefix=true", "read", "/muster/"},
             {"user", "add", "o:secret"},
             {"user", "grant-role", "o", "other"},
             {"user", "add", "r:secret"},
             {"user", "grant-role", "r", "reader"},
             {"auth", "enable"}}) {
        static_cast<void>(servers.control(step));
    }
    write_text(servers.file("password"), "secret\n");
    REQUIRE(run(servers.directory(), {"/bin/chmod", "600", servers.file("password")}).exit ==
            Exit{.code = 0});
    const auto as = [&](const std::string& user) {
        return log_with(servers.section() + "user = \"" + user + "\"\npassword_file = \"" +
                            servers.file("password") + "\"\n",
                        "permission denied");
    };
    // Under load etcd may not answer in time, and then the coordinator ends.
    CHECK(until([&] {
        const std::string log = as("o");
        return contains(log, "did not read /muster/test/") &&
               contains(log, "etcdserver: permission denied");
    }));
    CHECK(
        until([&] { return contains(as("r"), "did not commit: etcdserver: permission denied"); }));
}

// Goal: two etcds that were set up apart by mistake are not taken for one store: each would have a
// leader. Method: both are among the endpoints; later the second one takes the place of the first,
// and the coordinator, which leads no more, stands anew.
TEST_CASE("endpoints of two etcd clusters are refused", "[integration][etcd][S4]") {
    EtcdServers one;
    EtcdServers other;
    const auto both =
        EtcdServers::section("/muster/test", {one.endpoints().front(), other.endpoints().front()});
    const std::string refused = log_with(both, "leading cluster=");
    CHECK(
        contains(refused, other.endpoints().front() + ": it is a member of another etcd cluster"));
    CHECK(contains(refused, "etcdctl member list"));
    CHECK_FALSE(contains(refused, "leading cluster="));

    other.kill(0);
    Coordinators coordinators{{.count = 1, .etcd = both}};
    other.start(0);
    REQUIRE(until([&] { return other.answers(0); }));
    one.kill(0);
    const auto since_then = [&] {
        const std::string log = coordinators.log_of(0);
        return log.substr(std::min(log.size(), log.find("leadership is over")));
    };
    CHECK(until([&] { return !since_then().empty(); }));
    CHECK(until([&] { return contains(since_then(), "it is a member of another etcd cluster"); }));
    CHECK_FALSE(contains(other.control({"get", "--prefix", "/muster/"}), "/muster/"));
}

// Goal: whoever leads proves the key that agents and operators know. Method: a second coordinator
// with the same secret of the cluster, and a key of its own.
TEST_CASE("a coordinator whose key is not that of the leader does not stand by",
          "[integration][etcd]") {
    const EtcdServers servers;
    Cluster first{{.nodes = {}, .config = servers.section(), .keys = true}};
    const Directory home;
    const std::string keys = home.path() + "/state/coordinator";
    REQUIRE(run(home.path(),
                {program("muster"), "init", "--state-dir", home.path() + "/state", "--coordinator",
                 first.endpoints().operators},
                {"XDG_CONFIG_HOME=" + home.path()})
                .exit == Exit{.code = 0});
    REQUIRE(
        run(home.path(), {"/bin/cp", "-p", first.key_directory() + "/cluster.key", keys}).exit ==
        Exit{.code = 0});
    write_text(home.path() + "/c.toml", "state_dir = \"" + home.path() + "/state\"\nrun_dir = \"" +
                                            home.path() + "/run\"\n" + servers.section());
    const std::vector<std::string> command{program("muster-coordinator"), "--config",
                                           home.path() + "/c.toml"};
    const auto refused = run(home.path(), command);
    CHECK(refused.exit == Exit{.code = 1});
    CHECK(contains(refused.errors, "copy that file from there"));
}

// Goal: S13: keys of one cluster do not take over the store of another. Method: two clusters with
// keys of their own and one prefix.
TEST_CASE("a coordinator with the keys of another cluster is refused the store",
          "[integration][etcd][S13]") {
    const EtcdServers servers;
    Cluster first{{.nodes = {}, .config = servers.section(), .keys = true}};
    first.coordinator().signal(SIGTERM);
    REQUIRE(first.coordinator().wait(soon()) == Exit{.code = 0});
    const Directory home;
    const auto made = run(home.path(),
                          {program("muster"), "init", "--state-dir", home.path() + "/state",
                           "--coordinator", first.endpoints().operators},
                          {"XDG_CONFIG_HOME=" + home.path()});
    REQUIRE(made.exit == Exit{.code = 0});
    write_text(home.path() + "/c.toml", "state_dir = \"" + home.path() + "/state\"\nrun_dir = \"" +
                                            home.path() + "/run\"\n" + servers.section());
    const auto refused =
        run(home.path(), {program("muster-coordinator"), "--config", home.path() + "/c.toml"});
    CHECK(refused.exit == Exit{.code = 1});
    CHECK(contains(refused.errors, "is of the cluster"));
    CHECK(contains(refused.errors, "choose another prefix, or these keys"));
    first.start_coordinator();
}

// Goal: the lease is counted on the clock of each host alone, so civil clocks may differ. Method:
// the civil clocks of two coordinators are an hour fast and an hour slow; leaders are killed, so
// that each leads and loses the lead.
TEST_CASE("coordinators whose clocks are an hour apart follow each other",
          "[integration][etcd][L2]") {
    const EtcdServers servers;
    CoordinatorsOptions options{.count = 2, .etcd = servers.section()};
    for (const std::int64_t ahead : {1'800, -1'800}) {
        const std::string file = servers.file("clock" + std::to_string(ahead));
        write_text(file, {reinterpret_cast<const char*>(&ahead), sizeof ahead});
        options.env.push_back({"CIVIL_CLOCK=" + file, "LD_PRELOAD=" MUSTER_CIVIL_CLOCK});
    }
    Coordinators coordinators{options};
    Cluster cluster{{.nodes = {"n1"}, .coordinator = coordinators.agents()}};
    REQUIRE(coordinators
                .ask({{"verb", "apply"},
                      {"request_id", new_request_id()},
                      {"tasks", {cluster.task("web", 1)}}})
                .at("ok") == true);
    const auto running = cluster.pids("web", 1);
    for (std::uint64_t epoch = 2; epoch <= 4; ++epoch) {
        const auto leader = coordinators.await_leader();
        coordinators.kill(leader);
        coordinators.start(leader);
        REQUIRE(coordinators.ask({{"verb", "status"}}).at("epoch") == epoch);
        CHECK(coordinators
                  .ask({{"verb", "task add"},
                        {"request_id", new_request_id()},
                        {"task", cluster.task("t" + std::to_string(epoch), 0)}})
                  .at("ok") == true);
    }
    CHECK(coordinators.ask({{"verb", "wait"}, {"pattern", "web"}}).at("ok") == true);
    CHECK(cluster.pids("web", 1) == running);
}

TEST_CASE("of five coordinators with one name one leads at a time", "[integration][etcd][S4]") {
    const EtcdServers servers;
    Coordinators coordinators{{.count = 5, .etcd = servers.section()}};
    for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
        const auto leader = coordinators.await_leader();
        CHECK(coordinators.ask({{"verb", "status"}}).at("epoch") == epoch);
        for (std::size_t at = 0; at < coordinators.size(); ++at) {
            CHECK((at == leader || coordinators.running(at)));
        }
        coordinators.process(leader).signal(SIGTERM);
        CHECK(coordinators.process(leader).wait(soon()) == Exit{.code = 0});
    }
}

}  // namespace muster::integration
