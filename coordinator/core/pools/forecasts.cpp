#include "coordinator/core/pools/forecasts.hpp"

#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"

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
        forget_samples();
    }
    last_ = now;
    for (const auto& [name, index] : demand.pools()) {
        pools_[name].needed = now;
    }
    std::erase_if(pools_, [&](const auto& pool) {
        return !others.contains(pool.first) &&
               seconds_between(pool.second.needed, now) > kept_seconds;
    });
    for (auto& [name, of_pool] : pools_) {
        if (of_pool.needed == CivilMs{}) {
            continue;  // Its reporters have not spoken yet, so 0 would be no sample.
        }
        const auto of_others = others.find(name);
        of_pool.forecast.observe(
            {now, std::min(demand.total(name), most_amount)},
            of_others == others.end() ? Forecast::Others{} : of_others->second);
    }
}

void Forecasts::forget_samples() {
    for (auto& [name, of_pool] : pools_) {
        Forecast next;
        const auto learned = next.seasonal().take_learned(of_pool.forecast.seasonal().learned());
        ensure(learned.has_value(), "what was learned can be read again");
        of_pool.forecast = std::move(next);
    }
}

const Forecast* Forecasts::find(const std::string& pool) const {
    const auto found = pools_.find(pool);
    return found == pools_.end() || found->second.needed == CivilMs{} ? nullptr
                                                                      : &found->second.forecast;
}

}  // namespace muster::coordinator
