#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "sim/model/operators.hpp"

namespace muster::sim {

/// Those who say how much of a pool they need, such as load balancers. Each repeats it until it
/// falls silent, and does not wait for answers.
class Reporters {
public:
    static constexpr Duration every = 1500ms;
    static constexpr std::uint64_t ttl_ms = 6'000;

    Reporters(World& world, Operators& operators) : world_{world}, operators_{operators} {}

    /// From now on it needs this much of the pool.
    void need(Instant now, const std::string& name, const std::string& pool, std::uint64_t amount) {
        Reporter& reporter = reporters_[name];
        reporter.needs[pool] = amount;
        ++reporter.turn;
        reporter.is_silent = false;
        world_.trace.line(now, "{} needs {} of {}", name, amount, pool);
        due(now, {name, reporter.turn});
    }
    /// It says nothing any more. Its needs are the same if it begins again.
    void silence(Instant now, const std::string& name) {
        world_.trace.line(now, "{} falls silent", name);
        reporters_[name].is_silent = true;
    }

    void due(Instant now, const ReporterDue& due) {
        Reporter& reporter = reporters_[due.name];
        if (reporter.is_silent || reporter.turn != due.turn) {
            return;
        }
        DemandSetRequest request{.reporter = due.name,
                                 .life = 1,
                                 .sequence = ++reporter.sequence,
                                 .ttl_ms = ttl_ms,
                                 .needs = {}};
        for (const auto& [pool, amount] : reporter.needs) {
            request.needs.push_back({pool, amount});
        }
        operators_.tell(now, std::move(request));
        world_.queue.push(now + every, due);
    }

    /// What those need together who are not silent.
    [[nodiscard]] std::uint64_t total(const std::string& pool) const {
        std::uint64_t sum = 0;
        for (const auto& [name, reporter] : reporters_) {
            const auto need = reporter.needs.find(pool);
            sum += reporter.is_silent || need == reporter.needs.end() ? 0 : need->second;
        }
        return sum;
    }

private:
    struct Reporter {
        std::map<std::string, std::uint64_t> needs;  ///< By pool.
        std::uint64_t turn = 0;                      ///< Earlier repetitions are over.
        std::uint64_t sequence = 0;
        bool is_silent = false;
    };

    World& world_;
    Operators& operators_;
    std::map<std::string, Reporter> reporters_;
};

}  // namespace muster::sim
