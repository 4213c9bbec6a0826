#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/pools/demand.hpp"
#include "coordinator/core/pools/forecast/schedule.hpp"
#include "coordinator/core/pools/forecasts.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/core/scaling/asked_predictors.hpp"

namespace muster::coordinator {

/// What the predictor of each defined pool expects, and what those beside it would: the built-in
/// ones, the schedule, and programs.
class PoolPredictors {
public:
    /// A time, in both forms.
    struct Now {
        Instant at{};
        CivilMs civil{};
    };

    PoolPredictors(const CoordinatorOptions& options, const Demand& demand, Forecasts& forecasts)
        : options_{options}, demand_{demand}, forecasts_{forecasts} {}

    void on_zones(const std::vector<ZoneOffset>& zones);
    /// The pool is defined like this now.
    void on_pool(const StoredPool& pool);
    void on_removed(const std::string& pool);
    /// The pool that the answer is about. Nothing: it belongs to another call.
    std::optional<std::string> on_answer(Instant now, const OutsideAnswer& answer) {
        return asked_.on_answer(now, answer);
    }
    /// Takes samples of all pools, if they are due.
    void sample(Now now);
    /// `seasonal` goes on with the row of an earlier leadership.
    void take_learned(const StoredSeason& season);
    /// The rows of `seasonal` that are to be stored: at most `most` of them. Each hour there is one
    /// for each pool.
    [[nodiscard]] std::vector<StoredSeason> take_unsaved(std::size_t most);
    [[nodiscard]] bool has_unsaved() const { return !unsaved_.empty(); }
    /// Calls the programs that are due.
    void ask(Instant now, std::uint64_t& last_call, std::vector<OutsideCall>& calls);

    /// What the pool will need. A predictor that says nothing expects what is needed now.
    [[nodiscard]] Amount expected(Now now, const std::string& pool) const;
    /// Its predictor is a program that was not heard of yet.
    [[nodiscard]] bool is_awaited(Instant now, const std::string& pool) const;
    /// Why the predictor of the pool says nothing, or fails. Empty: it does neither.
    [[nodiscard]] std::string trouble(const std::string& pool) const;
    /// The schedule and the programs of the pool, and what they expect.
    [[nodiscard]] Forecast::Others others(Now now, const std::string& pool) const;
    [[nodiscard]] std::vector<std::string> names_of_others(const std::string& pool) const;
    [[nodiscard]] std::string trouble_of_other(const std::string& pool,
                                               const std::string& name) const;
    /// The zones of the schedules.
    [[nodiscard]] std::vector<std::string> zones() const;

private:
    friend struct CoreFields;

    struct OfPool {
        std::string active{};
        std::vector<std::string> others{};
        std::string zone{};
        Schedule schedule{};
    };

    [[nodiscard]] const OfPool* find(const std::string& pool) const;
    [[nodiscard]] std::optional<Amount> expected_by_other(Now now, const std::string& pool,
                                                          const std::string& name) const;
    /// In seconds. Nothing: it is not known yet, or there is no such zone.
    [[nodiscard]] std::optional<std::int32_t> offset_of(const std::string& zone) const;

    const CoordinatorOptions& options_;
    const Demand& demand_;
    Forecasts& forecasts_;
    AskedPredictors asked_;
    std::map<std::string, std::int32_t> offsets_;  // Of zones, in seconds.
    std::set<std::string> unknown_zones_;
    std::map<std::string, OfPool> pools_;
    std::optional<Instant> looked_;  // When programs that are due were last searched for.
    std::set<std::string> unsaved_;
    std::optional<std::int64_t> saved_hour_;  // Since 1970.
};

}  // namespace muster::coordinator
