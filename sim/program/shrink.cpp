#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/program/random_run.hpp"

namespace muster::sim {

namespace {

std::vector<RandomRun> smaller(const RandomRun& run) {
    std::vector<RandomRun> all;
    for (std::size_t number = 0; number < fault_count; ++number) {
        const auto fault = static_cast<Fault>(number);
        if (run.faults.has(fault)) {
            all.push_back(run);
            all.back().faults = run.faults.without(fault);
        }
    }
    for (const auto& [part, of] : {std::pair{1, 2}, {3, 4}, {9, 10}}) {
        const auto seconds = std::chrono::floor<std::chrono::seconds>(run.faults_last * part / of);
        if (seconds >= 1s && seconds < run.faults_last) {
            all.push_back(run);
            all.back().faults_last = seconds;
        }
    }
    for (std::uint32_t nodes = 1; nodes < run.nodes; ++nodes) {
        all.push_back(run);
        all.back().nodes = nodes;
    }
    return all;
}

}  // namespace

RandomRun shrink(const RandomRun& broken, const std::function<std::string(const RandomRun&)>& judge,
                 const std::function<void(const RandomRun&)>& on_done) {
    const std::string promise = judge(broken);
    RandomRun best = broken;
    for (bool found = true; found;) {
        const auto all = smaller(best);
        const auto next =
            std::ranges::find_if(all, [&](const RandomRun& run) { return judge(run) == promise; });
        found = next != all.end();
        if (found) {
            best = *next;
            on_done(best);
        }
    }
    return best;
}

}  // namespace muster::sim
