#include "coordinator/core/scaling/pool_predictors.hpp"

#include <algorithm>
#include <set>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

namespace {

/// Programs that are due are searched for this often, because the search takes time with many
/// pools.
constexpr Duration looked_every = 500ms;

}  // namespace

void PoolPredictors::on_zones(const std::vector<ZoneOffset>& zones) {
    offsets_.clear();
    for (const ZoneOffset& zone : zones) {
        offsets_.emplace(zone.zone, zone.offset_s);
    }
    unknown_zones_.clear();
    for (std::string& zone : this->zones()) {
        if (!offsets_.contains(zone)) {
            unknown_zones_.insert(std::move(zone));
        }
    }
}

void PoolPredictors::on_pool(const StoredPool& pool) {
    // The lines of a stored schedule were valid when they were set.
    OfPool of_pool{.active = pool.spec.predictor,
                   .zone = pool.spec.zone,
                   .schedule = Schedule::parse(pool.spec.schedule).value_or(Schedule{})};
    if (!of_pool.schedule.is_empty()) {
        of_pool.others.emplace_back(predictor_by_schedule);
    }
    const auto add = [&](const std::string& name) {
        if (!value_named<PredictorKind>(name) && name != predictor_by_schedule &&
            std::ranges::find(of_pool.others, name) == of_pool.others.end()) {
            of_pool.others.push_back(name);
        }
    };
    add(of_pool.active);
    std::ranges::for_each(pool.spec.shadow, add);
    const OfPool* const before = find(pool.name);
    const bool is_other_schedule =
        before != nullptr && (before->zone != of_pool.zone || before->schedule != of_pool.schedule);
    const auto stays = [&](const std::string& name) {
        return std::ranges::find(of_pool.others, name) != of_pool.others.end() &&
               (name != predictor_by_schedule || !is_other_schedule);
    };
    asked_.forget_unless(pool.name, stays);
    forecasts_.forget_unless(pool.name, stays);
    pools_.insert_or_assign(pool.name, std::move(of_pool));
}

void PoolPredictors::on_removed(const std::string& pool) {
    pools_.erase(pool);
    unsaved_.erase(pool);
    const auto none = [](const std::string& /*name*/) { return false; };
    asked_.forget_unless(pool, none);
    forecasts_.forget_unless(pool, none);
}

void PoolPredictors::sample(Now now) {
    if (!forecasts_.is_due(now.civil)) {
        return;
    }
    Forecasts::OthersOfAll expected;
    for (const auto& [pool, of_pool] : pools_) {
        expected.emplace(pool, others(now, pool));
    }
    forecasts_.sample(now.civil, demand_, expected);
    constexpr std::int64_t hour_seconds = 3'600;
    const std::int64_t hour = seconds_between(CivilMs{}, now.civil) / hour_seconds;
    if (saved_hour_ && hour != *saved_hour_) {
        for (const auto& [pool, of_pool] : pools_) {
            unsaved_.insert(unsaved_.end(), pool);
        }
    }
    saved_hour_ = hour;
}

void PoolPredictors::take_learned(const StoredSeason& season) {
    const auto learned = forecasts_.take_learned(season.name, season.usual);
    ensure(learned.has_value(), "the store checks the rows that it reads");
}

std::vector<StoredSeason> PoolPredictors::take_unsaved(std::size_t most) {
    std::vector<StoredSeason> rows;
    while (!unsaved_.empty() && rows.size() < most) {
        const std::string pool = std::move(unsaved_.extract(unsaved_.begin()).value());
        const Forecast* const forecast = forecasts_.find(pool);
        std::string usual = forecast == nullptr ? std::string{} : forecast->seasonal().learned();
        if (!usual.empty()) {
            rows.push_back({pool, std::move(usual)});
        }
    }
    return rows;
}

void PoolPredictors::ask(Instant now, std::uint64_t& last_call, std::vector<OutsideCall>& calls) {
    if (options_.predictors.empty() || (looked_ && now < *looked_ + looked_every)) {
        return;
    }
    looked_ = now;
    for (const auto& [pool, of_pool] : pools_) {
        const Forecast* const forecast = forecasts_.find(pool);
        for (const std::string& name : of_pool.others) {
            if (forecast != nullptr && std::ranges::binary_search(options_.predictors, name)) {
                asked_.ask(now, pool, name, *forecast, last_call, calls);
            }
        }
    }
}

Amount PoolPredictors::expected(Now now, const std::string& pool) const {
    const Amount demand = demand_.total(pool);
    const OfPool* const of_pool = find(pool);
    if (of_pool == nullptr) {
        return demand;
    }
    if (const auto kind = value_named<PredictorKind>(of_pool->active)) {
        const Forecast* const forecast = forecasts_.find(pool);
        if (*kind == PredictorKind::conservative || forecast == nullptr) {
            return demand;
        }
        const Amount predicted = forecast->predict(*kind, now.civil);
        // A rise since the last sample is not in the forecast yet.
        return demand > forecast->recent().back().need ? std::max(predicted, demand) : predicted;
    }
    return expected_by_other(now, pool, of_pool->active).value_or(demand);
}

std::optional<Amount> PoolPredictors::expected_by_other(Now now, const std::string& pool,
                                                        const std::string& name) const {
    if (name != predictor_by_schedule) {
        return asked_.predicted(now.at, pool, name);
    }
    const OfPool& of_pool = *find(pool);
    const auto offset = offset_of(of_pool.zone);
    return offset ? std::optional{std::max(
                        demand_.total(pool),
                        of_pool.schedule.predict(now.civil, Forecast::usual_ahead, *offset))}
                  : std::nullopt;
}

bool PoolPredictors::is_awaited(Instant now, const std::string& pool) const {
    const OfPool* const of_pool = find(pool);
    return of_pool != nullptr && std::ranges::binary_search(options_.predictors, of_pool->active) &&
           demand_.total(pool) > 0 && !asked_.predicted(now, pool, of_pool->active) &&
           asked_.trouble(pool, of_pool->active).empty();
}

std::string PoolPredictors::trouble(const std::string& pool) const {
    const OfPool* const of_pool = find(pool);
    return of_pool == nullptr || value_named<PredictorKind>(of_pool->active)
               ? std::string{}
               : trouble_of_other(pool, of_pool->active);
}

std::string PoolPredictors::trouble_of_other(const std::string& pool,
                                             const std::string& name) const {
    if (name == predictor_by_schedule) {
        const std::string& zone = find(pool)->zone;
        return unknown_zones_.contains(zone)
                   ? "the time in zone '" + zone + "' is not known, so its schedule does not count"
                   : std::string{};
    }
    if (!std::ranges::binary_search(options_.predictors, name)) {
        return "this coordinator's configuration has no predictor '" + name + "'";
    }
    const std::string why = asked_.trouble(pool, name);
    return why.empty() ? why : "its predictor fails: " + why;
}

Forecast::Others PoolPredictors::others(Now now, const std::string& pool) const {
    Forecast::Others expected;
    for (const std::string& name : names_of_others(pool)) {
        if (const auto amount = expected_by_other(now, pool, name)) {
            expected.emplace(name, *amount);
        }
    }
    return expected;
}

std::vector<std::string> PoolPredictors::names_of_others(const std::string& pool) const {
    const OfPool* const of_pool = find(pool);
    return of_pool == nullptr ? std::vector<std::string>{} : of_pool->others;
}

std::vector<std::string> PoolPredictors::zones() const {
    std::set<std::string> zones;
    for (const auto& [name, pool] : pools_) {
        if (!pool.schedule.is_empty() && pool.zone != "UTC") {
            zones.insert(pool.zone);
        }
    }
    return {zones.begin(), zones.end()};
}

const PoolPredictors::OfPool* PoolPredictors::find(const std::string& pool) const {
    const auto found = pools_.find(pool);
    return found == pools_.end() ? nullptr : &found->second;
}

std::optional<std::int32_t> PoolPredictors::offset_of(const std::string& zone) const {
    const auto offset = offsets_.find(zone);
    return offset != offsets_.end() ? std::optional{offset->second}
           : zone == "UTC"          ? std::optional{0}
                                    : std::nullopt;
}

}  // namespace muster::coordinator
