// etcd away, or full.

#include <string>

#include "coordinator/store/etcd/etcd_client.hpp"
#include "tests/integration/support/coordinators.hpp"
#include "tests/integration/support/etcd_client_of.hpp"
#include "tests/integration/support/etcd_servers.hpp"
#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

using namespace std::chrono_literals;
namespace etcd = coordinator::etcd;

}  // namespace

// Goal: without etcd no task restarts, a change is refused with a reason, and all recovers by
// itself. Method: all members are killed, and come back.
TEST_CASE("while etcd is away tasks run on, and changes are refused", "[integration][etcd][S5]") {
    const std::chrono::seconds outage{number_from("TEST_ETCD_OUTAGE_SECONDS", 4)};
    EtcdServers servers{3};
    Coordinators coordinators{{.etcd = servers.section()}};
    Cluster cluster{{.nodes = {"n1", "n2"}, .coordinator = coordinators.agents()}};
    REQUIRE(coordinators
                .ask({{"verb", "apply"},
                      {"request_id", new_request_id()},
                      {"tasks", {cluster.task("web", 2)}}})
                .at("ok") == true);
    const auto running = cluster.pids("web", 2);
    const auto leader = coordinators.await_leader();
    const Deadline back = Clock::now() + outage;
    for (std::size_t member = 0; member < 3; ++member) {
        servers.kill(member);
    }
    CHECK(until([&] {
        return contains(coordinators.log_of(leader), "the lease could not be renewed in time");
    }));
    const auto refused =
        run(cluster.directory(),
            {program("muster"), "-c",
             coordinators.endpoints(0).operators + "," + coordinators.endpoints(1).operators,
             "task", "scale", "web", "3"},
            {"XDG_CONFIG_HOME=" + cluster.directory()});
    CHECK(refused.exit.code > 0);
    INFO(refused.errors);
    CHECK(contains(refused.errors, "none leads at present"));
    CHECK_FALSE(until([&] { return cluster.pids("web", 2) != running; }, back));
    for (std::size_t member = 0; member < 3; ++member) {
        servers.start(member);
    }
    coordinators.await_leader();
    CHECK(coordinators.ask(addition_of("later")).at("ok") == true);
    CHECK(until([&] { return coordinators.ask({{"verb", "status"}}).at("serving") == 2; }));
    CHECK(coordinators.ask({{"verb", "wait"}, {"pattern", "web"}}).at("ok") == true);
    CHECK(cluster.pids("web", 2) == running);
}

// Goal: all works with one of three members, but the next one that fails ends it: operators see it.
TEST_CASE("a member of etcd that does not answer is an alarm", "[integration][etcd]") {
    EtcdServers servers{3};
    Coordinators coordinators{{.count = 1, .etcd = servers.section()}};
    const auto alarms = [&] { return coordinators.ask({{"verb", "status"}}).at("alarms").dump(); };
    servers.kill(1);
    CHECK(until([&] { return contains(alarms(), "etcd at " + servers.endpoints()[1]); }));
    CHECK_FALSE(contains(alarms(), servers.endpoints()[0]));
    CHECK(coordinators.ask(addition_of("meanwhile")).at("ok") == true);
    servers.start(1);
    CHECK(until([&] { return !contains(alarms(), "not all servers of the store answer"); }));
}

// Goal: an etcd without space is named as such, nothing is lost, and the changes that waited are
// made once there is space. Method: fill it until it raises its alarm; free it.
TEST_CASE("changes wait while etcd has no space, and the leader says so", "[integration][etcd]") {
    const EtcdServers servers{1, false, {"--quota-backend-bytes", "4000000"}};
    Coordinators coordinators{{.count = 2, .etcd = servers.section()}};
    REQUIRE(coordinators.ask(addition_of("before")).at("ok") == true);
    const auto filler = client_of(servers);
    const auto fill = [&] {
        for (int at = 0;; ++at) {
            const auto done =
                filler->commit({.conditions = {},
                                .operations = {etcd::Put{"/other/" + std::to_string(at),
                                                         std::string(200'000, 'x')}}});
            if (!done) {
                return done.error();
            }
        }
    };
    CHECK(fill().code == Errc::busy);

    const auto leader = coordinators.await_leader();
    const Json change = addition_of("during");
    Client client{zmq::socket_type::req, coordinators.endpoints(leader).operators};
    client.send(change.dump());
    const auto alarms = [&] { return coordinators.ask({{"verb", "status"}}).at("alarms").dump(); };
    CHECK(until([&] { return contains(alarms(), "database space exceeded"); }));
    CHECK(contains(coordinators.log_of(leader), "changes wait, because etcd takes none"));
    const auto doctor =
        run(servers.directory(),
            {program("muster"), "-c", coordinators.endpoints(leader).operators, "doctor"},
            {"XDG_CONFIG_HOME=" + servers.directory()});
    CHECK(contains(doctor.output, "etcdctl alarm disarm"));

    const bool is_killed = GENERATE(false, true);
    if (is_killed) {  // Without space etcd gives no lease either, so nobody leads.
        coordinators.kill(leader);
        CHECK(until([&] {
            return contains(coordinators.log_of(1 - leader), "did not give a lease") &&
                   contains(coordinators.log_of(1 - leader), "etcdctl alarm disarm");
        }));
    }
    static_cast<void>(servers.control({"del", "--prefix", "/other/"}));
    const auto now = filler->read("/none");
    REQUIRE(now);
    static_cast<void>(
        servers.control({"compact", std::to_string(static_cast<std::int64_t>(now->at))}));
    static_cast<void>(servers.control({"defrag"}));
    static_cast<void>(servers.control({"alarm", "disarm"}));
    if (!is_killed) {
        const auto answer = client.receive();
        REQUIRE(answer);
        CHECK(Json::parse(answer->front()).at("ok") == true);
        CHECK(coordinators.ask({{"verb", "status"}}).at("epoch") == 1);
    }
    coordinators.await_leader();
    CHECK(coordinators.ask(change).at("ok") == true);
    CHECK(coordinators.ask({{"verb", "task list"}}).at("tasks").size() == 2);
    CHECK_FALSE(contains(alarms(), "changes wait"));
}

}  // namespace muster::integration
