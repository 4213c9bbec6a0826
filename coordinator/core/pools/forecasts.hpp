#pragma once

#include <map>
#include <string>

#include "coordinator/core/pools/demand.hpp"
#include "coordinator/core/pools/forecast/forecast.hpp"

namespace muster::coordinator {

/// The forecast of each pool that is in demand, or was within the last hour.
class Forecasts {
public:
    /// What the other predictors of each pool say.
    using OthersOfAll = std::map<std::string, Forecast::Others>;

    /// False: the last samples are less than ten seconds old.
    [[nodiscard]] bool is_due(CivilMs now) const;
    /// Takes a sample of each pool, if they are due. If civil time was set back by more than a
    /// minute, what was learned is forgotten.
    void sample(CivilMs now, const Demand& demand, const OthersOfAll& others);
    /// The pool has other predictors now.
    void forget_others(const std::string& pool);

    /// Null: the pool is not known.
    [[nodiscard]] const Forecast* find(const std::string& pool) const;

private:
    friend struct CoreFields;

    struct OfPool {
        CivilMs needed{};  ///< When it was last in demand.
        Forecast forecast;
    };

    CivilMs last_{};
    std::map<std::string, OfPool> pools_;
};

}  // namespace muster::coordinator
