#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

#include "tests/faults/changes.hpp"
#include "tests/faults/holding.hpp"
#include "tests/integration/support/harness.hpp"

namespace muster::faults {

/// A real cluster under faults, and what must hold after each fault. It runs `each`, with one
/// instance on each node that no fault may move or restart, and `web`, which moves when its node is
/// lost.
class Trial {
public:
    /// Starts only a coordinator, so that a test can place proxies first; then start() and begin().
    explicit Trial(integration::ClusterOptions options = {});

    [[nodiscard]] integration::Cluster& cluster() { return cluster_; }
    [[nodiscard]] Changes& changes() { return changes_; }

    void start(const std::string& node);
    /// Starts these agents and gives work to all. Call it after the proxies are in place.
    void begin(const std::vector<std::string>& nodes = {});
    /// Gives work that was not started yet.
    void give_more_work();
    /// Call it after a fault is over. Nothing acknowledged is lost, no daemon has ended, no process
    /// was restarted without cause, all converges, and no process or file leaks. Then the work is
    /// as before. Work can move off the faulty nodes.
    void check(const std::set<std::string>& faulty = {});

private:
    struct Running {
        std::string instance;
        std::string node;
        pid_t pid = -1;
        friend auto operator<=>(const Running&, const Running&) = default;
        friend std::ostream& operator<<(std::ostream& out, const Running& running) {
            return out << running.instance << " on " << running.node << ", pid " << running.pid;
        }
    };

    void give(std::size_t copies);
    void await_convergence();
    [[nodiscard]] bool all_answer() const;
    [[nodiscard]] std::set<Running> running() const;
    void check_work(const std::set<std::string>& faulty);
    void check_holdings();

    integration::Cluster cluster_;
    Changes changes_;
    std::vector<std::string> nodes_;
    std::size_t copies_ = 0;  // Of `web`.
    std::set<Running> before_;
    std::map<std::string, Holding> holdings_;  // Of each agent, without `web`.
    Holding coordinators_;                     // Files only.
};

}  // namespace muster::faults
