#pragma once

#include <map>
#include <string>

#include "coordinator/core/pools/demand.hpp"
#include "coordinator/core/pools/forecast/forecast.hpp"

namespace muster::coordinator {

/// The forecast of each pool that is in demand, or was within the last hour.
class Forecasts {
public:
    /// Takes a sample of each pool, unless the last ones are less than ten seconds old. If civil
    /// time was set back by more than a minute, all forecasts begin anew.
    void sample(CivilMs now, const Demand& demand);

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
