#include "coordinator/core/pools/forecasts.hpp"

#include <algorithm>

namespace muster::coordinator {

namespace {

constexpr std::int64_t every_seconds = 10;
constexpr std::int64_t kept_seconds = 3'600;

}  // namespace

void Forecasts::sample(CivilMs now, const Demand& demand) {
    if (last_ != CivilMs{} && seconds_between(last_, now) < every_seconds) {
        // A clock that was set back an hour does not stop the forecasts for as long.
        last_ = now < last_ && seconds_between(now, last_) > every_seconds ? CivilMs{} : last_;
        return;
    }
    last_ = now;
    for (const auto& [name, index] : demand.pools()) {
        pools_[name].needed = now;
    }
    std::erase_if(pools_, [&](const auto& pool) {
        return seconds_between(pool.second.needed, now) > kept_seconds;
    });
    for (auto& [name, of_pool] : pools_) {
        const auto& recent = of_pool.forecast.recent();
        if (recent.empty() || recent.back().at < now) {
            of_pool.forecast.observe({now, std::min(demand.total(name), most_amount)});
        }
    }
}

const Forecast* Forecasts::find(const std::string& pool) const {
    const auto found = pools_.find(pool);
    return found == pools_.end() ? nullptr : &found->second.forecast;
}

}  // namespace muster::coordinator
