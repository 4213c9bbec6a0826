#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "common/base/names.hpp"
#include "coordinator/core/pools/forecast/peak.hpp"
#include "coordinator/core/pools/forecast/seasonal.hpp"
#include "coordinator/core/pools/forecast/trend.hpp"

namespace muster::coordinator {

/// The ways to predict. What is predicted is the amount that a pool gets, up and down.
enum class PredictorKind : std::uint8_t {
    conservative,  ///< The need as it was last.
    trend,
    peak,
    seasonal,
};
inline constexpr std::array predictor_kinds{PredictorKind::conservative, PredictorKind::trend,
                                            PredictorKind::peak, PredictorKind::seasonal};

/// The name of the predictor that goes by the time table of its pool.
inline constexpr std::string_view predictor_by_schedule = "schedule";

/// All ways to predict, beside each other, so that they can be compared.
class Predictors {
public:
    /// `ahead`: the time that a node takes to come, at most an hour.
    explicit Predictors(Duration ahead) : trend_{{.ahead = ahead}}, seasonal_{{.ahead = ahead}} {}

    /// Each sample is later than those before.
    void observe(const NeedSample& sample);
    /// What will be needed soon after `at`, which is not before the last sample.
    [[nodiscard]] Amount predict(PredictorKind kind, CivilMs at) const;
    /// What takes weeks to learn.
    [[nodiscard]] const Seasonal& seasonal() const { return seasonal_; }
    [[nodiscard]] Seasonal& seasonal() { return seasonal_; }

private:
    friend struct CoreFields;

    Amount last_ = 0;
    Trend trend_;
    Peak peak_{{}};
    Seasonal seasonal_;
};

}  // namespace muster::coordinator

namespace muster {

template <>
inline constexpr auto enum_names<coordinator::PredictorKind> = name_list("conservative", "trend",
                                                                         "peak", "seasonal");

}  // namespace muster
