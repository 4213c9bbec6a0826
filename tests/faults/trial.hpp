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

/// A real cluster that goes through faults, and what it owes us after each of them. It has work of
/// two kinds: `each`, one instance on each node, which no fault may ever move or restart; and
/// `web`, which is to run elsewhere when its node is lost.
class Trial {
public:
    /// Only a coordinator, so that a test can lay the wires; then start() and begin().
    explicit Trial(integration::ClusterOptions options = {});

    [[nodiscard]] integration::Cluster& cluster() { return cluster_; }
    [[nodiscard]] Changes& changes() { return changes_; }

    void start(const std::string& node);
    /// Starts these agents and gives work to all. What a test connects it has connected before.
    void begin(const std::vector<std::string>& nodes = {});
    /// All that was not started yet.
    void give_more_work();
    /// After a fault is over: nothing acknowledged is lost, no daemon has ended, no process was
    /// restarted without cause, all converges, and nothing is held of processes and files that was
    /// not held before. Then there is work as before. A fault of a node is cause to move its work.
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
    void settle();
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
    Holding coordinators_;                     // Likewise; it holds nothing but files.
};

}  // namespace muster::faults
