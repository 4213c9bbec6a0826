// Coordinators and agents of two versions in one cluster: the real programs.

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "coordinator/store/schema.hpp"
#include "tests/integration/support/coordinators.hpp"
#include "tests/integration/support/etcd_servers.hpp"
#include "tests/integration/support/harness.hpp"

using namespace muster;
using namespace muster::integration;

namespace {

struct Version {
    std::string coordinator;
    std::string agent;
};

/// Where the programs of the last release are; null: this version is the earlier one, and the later
/// one is the same with one more column.
const char* last_release() { return std::getenv("TEST_LAST_RELEASE"); }

Version earlier() {
    const std::string in =
        last_release() == nullptr ? program("") : last_release() + std::string{"/"};
    return {in + "muster-coordinator", in + "muster-agent"};
}
Version later() {
    return {program(last_release() == nullptr ? "muster-coordinator-next" : "muster-coordinator"),
            program("muster-agent")};
}

/// The newest schema that the later version knows.
std::uint64_t newest_schema() {
    const std::uint64_t ours = coordinator::rows::schema_version;
    return last_release() == nullptr ? ours + 1 : ours;
}

/// How often the later version is taken back before it stays.
int retreats() {
    const char* const wanted = std::getenv("TEST_RETREATS");
    return wanted == nullptr ? 1 : std::atoi(wanted);
}

/// Three coordinators and two agents of the earlier version, with a task.
struct Upgrade {
    Upgrade()
        : coordinators{{.etcd = servers.section(), .program = earlier().coordinator}},
          cluster{{.nodes = {"n1", "n2"}, .coordinator = coordinators.agents()}},
          schema{stored_schema()} {
        cluster.replace_agent("n1", earlier().agent);
        cluster.replace_agent("n2", earlier().agent);
        change({{"verb", "apply"}, {"tasks", {cluster.task("web", 2)}}});
        running = pids();
    }
    std::vector<pid_t> pids() const {
        auto all = cluster.pids("web", 2);
        std::ranges::sort(all);
        return all;
    }
    Json change(Json request) const {
        request["request_id"] = new_request_id();
        return coordinators.ask(request);
    }
    Json finish(bool dry_run = false) const {
        return change({{"verb", "upgrade finish"}, {"dry_run", dry_run}});
    }
    /// All pairs of etcd below this key.
    std::string stored(const std::string& below) const {
        return servers.control({"get", "--prefix", "/muster/test/" + below});
    }
    std::uint64_t stored_schema() const {
        return std::stoull(servers.control({"get", "--print-value-only", "/muster/test/schema"}));
    }
    /// The leader hands over to this one, because the third is paused.
    void make_leader(std::size_t which) {
        const std::size_t leader = coordinators.await_leader();
        if (leader != which) {
            const std::size_t third = 3 - leader - which;
            coordinators.pause(third);
            CHECK(until([&] {  // It may not have seen the others yet.
                return coordinators.ask({{"verb", "coordinator resign"}}).at("ok") == true;
            }));
            CHECK(until([&] { return coordinators.leader() == which; }));
            coordinators.resume(third);
        }
    }
    /// So many of all coordinators know this schema.
    bool know(std::uint64_t wanted, std::ptrdiff_t count) const {
        return until([&] {
            const Json rows = coordinators.ask({{"verb", "coordinator list"}}).at("rows");
            return rows.size() == coordinators.size() &&
                   count == std::ranges::count_if(rows, [&](const Json& row) {
                       return row.value("schema", std::uint64_t{}) == wanted;
                   });
        });
    }
    bool has_task(const std::string& name) const {
        return coordinators.ask({{"verb", "task show"}, {"name", name}}).at("ok") == true;
    }

    EtcdServers servers;
    Coordinators coordinators;
    Cluster cluster;
    std::uint64_t schema;
    std::vector<pid_t> running;
};

}  // namespace

// Goal: coordinators are replaced one by one by a later version while the tasks run on; until an
// operator ends the upgrade, those of the earlier version can lead again. Method: what only the
// later version knows must not be in etcd before that, and must be there afterwards.
TEST_CASE("coordinators of two versions share a store until the upgrade is finished",
          "[integration][etcd]") {
    Upgrade with;
    Coordinators& coordinators = with.coordinators;
    const bool has_newer = newest_schema() > with.schema;
    for (int retreat = 0; retreat < retreats(); ++retreat) {
        const std::string number = std::to_string(retreat);
        coordinators.replace(1, later().coordinator);
        coordinators.replace(2, later().coordinator);
        with.make_leader(1);
        CHECK(with.know(newest_schema(), has_newer ? 2 : 3));
        with.cluster.replace_agent("n2", later().agent);
        CHECK(with.change(addition_of("by-the-later-" + number)).at("ok") == true);
        CHECK_FALSE(contains(with.stored("rows/tasks/"), "next_version"));
        const Json refused = with.finish();
        CHECK(contains(refused.dump(), "does not know schema") == has_newer);
        CHECK(with.stored_schema() == with.schema);

        with.make_leader(0);
        CHECK(with.has_task("by-the-later-" + number));
        CHECK(with.change(addition_of("by-the-earlier-" + number)).at("ok") == true);
        CHECK(with.coordinators.ask({{"verb", "wait"}, {"pattern", "web"}}).at("ok") == true);
        coordinators.replace(1, earlier().coordinator);
        coordinators.replace(2, earlier().coordinator);
    }
    for (const std::size_t which : {0U, 1U, 2U}) {
        coordinators.replace(which, later().coordinator);
    }
    CHECK(with.know(newest_schema(), 3));
    CHECK(with.finish(true).at("after") == newest_schema());
    CHECK(with.stored_schema() == with.schema);
    const Json finished = with.finish();
    CHECK(finished.at("before") == with.schema);
    CHECK(finished.at("after") == newest_schema());
    CHECK(with.stored_schema() == newest_schema());
    CHECK(with.change(addition_of("afterwards")).at("ok") == true);
    CHECK(contains(with.stored("rows/tasks/afterwards/"), "next_version") ==
          (last_release() == nullptr));
    CHECK(with.has_task("by-the-earlier-0"));

    coordinators.replace(0, earlier().coordinator);
    if (has_newer) {
        CHECK(until([&] { return !coordinators.running(0); }));
        CHECK(contains(coordinators.log_of(0), "was written by a newer muster"));
    } else {
        CHECK(with.know(newest_schema(), 3));
    }
    CHECK(with.pids() == with.running);
}

// Goal: what cannot be taken back is not done on a guess. Method: etcd hangs for longer than the
// leader believes its list of coordinators, and for less than its lease.
TEST_CASE("an upgrade is not finished while the coordinators are not known",
          "[integration][etcd]") {
    EtcdServers servers;
    const Coordinators coordinators{
        {.count = 1,
         .etcd = EtcdServers::section("/muster/test", servers.endpoints(), paces(200))}};
    const Json finish{{"verb", "upgrade finish"}, {"dry_run", true}};
    CHECK(until([&] { return coordinators.ask(finish).at("ok") == true; }));
    servers.signal(0, SIGSTOP);
    CHECK(until([&] {
        const Json answer = coordinators.ask(finish);
        return answer.at("ok") == false && answer.at("error").at("code") == "busy";
    }));
    servers.signal(0, SIGCONT);
    CHECK(until([&] { return coordinators.ask(finish).at("ok") == true; }));
}
