#include "coordinator/core/pools/forecasts.hpp"

#include <algorithm>

namespace muster::coordinator {

namespace {

constexpr std::int64_t every_seconds = 10;
constexpr std::int64_t kept_seconds = 3'600;
constexpr std::int64_t set_back_seconds = 60;  // A smaller step is waited for.

}  // namespace

bool Forecasts::is_due(CivilMs now) const {
    const std::int64_t passed = seconds_between(last_, now);
    return passed >= every_seconds || passed < -set_back_seconds;
}

void Forecasts::sample(CivilMs now, const Demand& demand, const OthersOfAll& others) {
    if (!is_due(now)) {
        return;
    }
    if (now < last_) {
        pools_.clear();
    }
    last_ = now;
    for (const auto& [name, index] : demand.pools()) {
        pools_[name].needed = now;
    }
    std::erase_if(pools_, [&](const auto& pool) {
        return seconds_between(pool.second.needed, now) > kept_seconds;
    });
    for (auto& [name, of_pool] : pools_) {
        const auto of_others = others.find(name);
        of_pool.forecast.observe(
            {now, std::min(demand.total(name), most_amount)},
            of_others == others.end() ? Forecast::Others{} : of_others->second);
    }
}

void Forecasts::forget_others(const std::string& pool) {
    if (const auto found = pools_.find(pool); found != pools_.end()) {
        found->second.forecast.forget_others();
    }
}

const Forecast* Forecasts::find(const std::string& pool) const {
    const auto found = pools_.find(pool);
    return found == pools_.end() ? nullptr : &found->second.forecast;
}

}  // namespace muster::coordinator
