#include "sim/scenario/least.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace muster::sim {

namespace {

/// The relevant numbers of one pool.
struct Pool {
    std::size_t kept_by_tasks = 0;
    std::size_t on_closed = 0;           ///< Old copies that stay on nodes without new work.
    std::vector<std::size_t> stayers{};  ///< Old copies that may stay, on each open node.
    std::vector<std::size_t> loads{};    ///< The processes of each open node at the end.

    /// Most copies stay if the fullest nodes of the beginning are the fullest of the end, in order.
    [[nodiscard]] std::size_t kept_by_nodes() const {
        auto from = stayers;
        auto to = loads;
        std::ranges::sort(from);
        std::ranges::sort(to);
        std::size_t kept = on_closed;
        for (std::size_t node = 0; node < from.size(); ++node) {
            kept += std::min(from[node], to[node]);
        }
        return kept;
    }
};

}  // namespace

Moves least_moves(const StepEnds& ends) {
    std::map<std::string, Pool> pools;
    std::map<std::string, std::set<Ordinal>> stay;
    std::map<HostIndex, std::size_t> stay_on;
    for (const OldCopy& copy : ends.old_copies) {
        if (copy.may_stay) {
            stay[copy.task].insert(copy.ordinal);
            ++stay_on[copy.host];
        }
    }
    std::size_t running = 0;
    for (const EndTask& task : ends.tasks) {
        pools[task.pool].kept_by_tasks += std::min(stay[task.name].size(), task.running);
        running += task.running;
    }
    for (const EndNode& node : ends.nodes) {
        Pool& pool = pools[node.pool];
        if (!node.is_open) {
            pool.on_closed += std::min(stay_on[node.host], node.load);
            continue;
        }
        pool.stayers.push_back(stay_on[node.host]);
        pool.loads.push_back(node.load);
    }
    std::size_t kept = 0;
    for (const auto& [name, pool] : pools) {
        kept += std::min(pool.kept_by_tasks, pool.kept_by_nodes());
    }
    return {running - kept, ends.old_copies.size() - kept};
}

}  // namespace muster::sim
