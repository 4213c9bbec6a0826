#pragma once

#include <map>
#include <string>
#include <string_view>

#include "coordinator/core/pools/demand.hpp"
#include "coordinator/core/pools/forecast/forecast.hpp"

namespace muster::coordinator {

/// The forecast of each pool that is in demand. It is kept for an hour after that, and of a defined
/// pool for good.
class Forecasts {
public:
    /// What the other predictors of each defined pool say.
    using OthersOfAll = std::map<std::string, Forecast::Others>;

    /// False: the last samples are less than ten seconds old.
    [[nodiscard]] bool is_due(CivilMs now) const;
    /// Takes a sample of each pool, if they are due. If civil time was set back by more than a
    /// minute, all samples are forgotten.
    void sample(CivilMs now, const Demand& demand, const OthersOfAll& others);
    /// Forgets the other predictors of the pool that do not stay.
    void forget_unless(const std::string& pool, auto&& stays) {
        if (const auto found = pools_.find(pool); found != pools_.end()) {
            found->second.forecast.forget_unless(stays);
        }
    }

    /// Goes on with what an earlier leadership has learned of a pool.
    [[nodiscard]] Result<void> take_learned(const std::string& pool, std::string_view usual) {
        return pools_[pool].forecast.seasonal().take_learned(usual);
    }
    /// Null: the pool was not in demand yet.
    [[nodiscard]] const Forecast* find(const std::string& pool) const;

private:
    friend struct CoreFields;

    struct OfPool {
        CivilMs needed{};  ///< When it was last in demand. 0: it was not yet.
        Forecast forecast;
    };

    void forget_samples();

    CivilMs last_{};
    std::map<std::string, OfPool> pools_;
};

}  // namespace muster::coordinator
