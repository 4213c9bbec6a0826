#include "sim/scenario_least.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace muster::sim {

namespace {

/// What of one pool counts.
struct Pool {
    std::size_t kept_by_tasks = 0;
    std::size_t on_closed = 0;  ///< Old copies that stay on nodes without new work.
    std::size_t on_open = 0;    ///< Processes at the end.
    std::size_t least = ~std::size_t{0};
    std::size_t most = 0;
    std::vector<std::size_t> stayers;  ///< On each open node.

    [[nodiscard]] bool is_even() const { return most - std::min(least, most) <= 1; }

    /// As many on each node as an even spread leaves there, one more on those that have the most;
    /// or all.
    [[nodiscard]] std::size_t kept_by_nodes() const {
        if (!is_even()) {
            return on_closed + std::accumulate(stayers.begin(), stayers.end(), std::size_t{0});
        }
        auto sorted = stayers;
        std::ranges::sort(sorted, std::greater<>{});
        std::size_t kept = on_closed;
        for (std::size_t node = 0; node < sorted.size(); ++node) {
            const std::size_t share =
                on_open / sorted.size() + (node < on_open % sorted.size() ? 1U : 0U);
            kept += std::min(sorted[node], share);
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
        pool.on_open += node.load;
        pool.least = std::min(pool.least, node.load);
        pool.most = std::max(pool.most, node.load);
        pool.stayers.push_back(stay_on[node.host]);
    }
    std::size_t kept = 0;
    for (const auto& [name, pool] : pools) {
        kept += std::min(pool.kept_by_tasks, pool.kept_by_nodes());
    }
    return {running - kept, ends.old_copies.size() - kept};
}

}  // namespace muster::sim
