// From the end of a leader to the first report that the next one has: the real programs, three
// members of etcd, three coordinators and an agent with a task on loopback. The value is the worst
// of all runs.

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "common/base/ensure.hpp"
#include "tests/integration/support/cluster.hpp"
#include "tests/integration/support/coordinators.hpp"
#include "tests/integration/support/etcd_servers.hpp"

namespace muster::bench {
namespace {

using integration::Json;

constexpr int runs = 20;

/// A section [etcd] with the default lease, or the shortest one with `--smoke`.
std::string section_of(const integration::EtcdServers& servers) {
    return integration::EtcdServers::section(
        "/muster/test", servers.endpoints(),
        sized<std::chrono::milliseconds>(std::chrono::seconds{5}, std::chrono::seconds{2}));
}

class Fleet {
public:
    Fleet()
        : coordinators_{{.etcd = section_of(servers_)}},
          cluster_{{.nodes = {"n1"}, .coordinator = coordinators_.agents()}} {
        const Json applied = coordinators_.ask({{"verb", "apply"},
                                                {"request_id", integration::new_request_id()},
                                                {"tasks", {cluster_.task("web", 1)}}});
        ensure(applied.at("ok") == true, "a task can be added");
        before_ = cluster_.pids("web", 1);
    }

    /// Ends the leadership, and returns after how many ms the node serves under the next one.
    double change_leader(bool by_force) {
        const std::size_t leader = await_all();
        const Json status = coordinators_.ask({{"verb", "status"}});
        const double begin = wall_ms();
        if (by_force) {
            coordinators_.kill(leader);
        } else {
            const Json resigned = coordinators_.ask({{"verb", "coordinator resign"}});
            ensure(resigned.at("ok") == true, "the leader resigns");
        }
        while (!serves_after(status.at("epoch"))) {
        }
        const double took = wall_ms() - begin;
        coordinators_.restart_ended();
        ensure(cluster_.pids("web", 1) == before_, "no task restarts");
        return took;
    }

private:
    /// Some coordinator leads in a later epoch, and the node reports to it.
    [[nodiscard]] bool serves_after(const Json& epoch) const {
        // Whoever was killed does not answer.
        constexpr std::chrono::milliseconds each{20};
        const auto now = integration::ask_leader(coordinators_.operators(), {{"verb", "status"}},
                                                 integration::Clock::now() + each);
        return now && now->answer.at("ok") == true && now->answer.at("epoch") > epoch &&
               now->answer.at("serving") == 1;
    }

    /// The leader, once it knows all coordinators.
    std::size_t await_all() {
        ensure(integration::until([&] {
                   const Json list = coordinators_.ask({{"verb", "coordinator list"}});
                   const Json& rows = list.at("rows");
                   return rows.size() == coordinators_.size() && rows[0].at("role") == "leader" &&
                          rows[1].at("role") == "standby" &&
                          std::ranges::all_of(
                              rows, [](const Json& row) { return row.at("agents") == 1; });
               }),
               "all coordinators are there");
        return coordinators_.await_leader();
    }

    integration::EtcdServers servers_{3};
    integration::Coordinators coordinators_;
    integration::RealCluster cluster_;
    std::vector<pid_t> before_;
};

Figure change_leaders(bool by_force, std::string goal) {
    Fleet fleet;
    std::vector<double> took;
    for (int run = 0; run < sized(runs, 1); ++run) {
        took.push_back(fleet.change_leader(by_force));
    }
    return {.value = std::ranges::max(took),
            .floor = {},
            .goal = std::move(goal),
            .more = {{"median", median(took)}, {"runs", static_cast<double>(took.size())}}};
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
    muster::bench::Suite suite{argc, argv};
    suite.run("failover.killed",
              [] { return muster::bench::change_leaders(true, "<= 6000, the lease and 1 s"); });
    suite.run("failover.resigned", [] { return muster::bench::change_leaders(false, "<= 200"); });
}
