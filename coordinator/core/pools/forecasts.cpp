#include "coordinator/core/pools/forecasts.hpp"

#include <algorithm>

namespace muster::coordinator {

namespace {

constexpr std::int64_t every_seconds = 10;
constexpr std::int64_t kept_seconds = 3'600;
constexpr std::int64_t set_back_seconds = 60;  // A smaller step is waited for.

}  // namespace

void Forecasts::sample(CivilMs now, const Demand& demand) {
    const std::int64_t passed = seconds_between(last_, now);
    if (passed < every_seconds && passed >= -set_back_seconds) {
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
        of_pool.forecast.observe({now, std::min(demand.total(name), most_amount)});
    }
}

const Forecast* Forecasts::find(const std::string& pool) const {
    const auto found = pools_.find(pool);
    return found == pools_.end() ? nullptr : &found->second.forecast;
}

}  // namespace muster::coordinator
