#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "coordinator/core/pools/forecast/predictors.hpp"

namespace muster::coordinator {

/// How far a predictor was off, over all predictions whose time has come.
struct ForecastScore {
    std::uint64_t predictions = 0;
    std::uint64_t short_ones = 0;  ///< It predicted less than was needed then.
    Amount over = 0;               ///< The sum of what was too much,
    Amount under = 0;              ///< and of what was too little.
};

/// The predictors of one pool beside each other, and how each would have done.
class Forecast {
public:
    static constexpr Duration usual_ahead = 2min;

    /// `ahead`: the time that a node takes to come, at most an hour.
    explicit Forecast(Duration ahead) : ahead_{ahead}, predictors_{ahead} {}
    Forecast() : Forecast{usual_ahead} {}

    /// Each sample is later than those before.
    void observe(const NeedSample& sample);
    [[nodiscard]] Amount predict(PredictorKind kind, CivilMs at) const {
        return predictors_.predict(kind, at);
    }
    [[nodiscard]] const ForecastScore& score(PredictorKind kind) const {
        return scores_[static_cast<std::size_t>(kind)];
    }
    /// The last hour.
    [[nodiscard]] const std::deque<NeedSample>& recent() const { return recent_.samples(); }

private:
    friend struct CoreFields;

    using OfEach = std::array<Amount, predictor_kinds.size()>;
    struct Prediction {
        CivilMs of{};  ///< The time that was predicted.
        OfEach amounts{};
    };

    void judge(const NeedSample& sample);

    Duration ahead_;
    Predictors predictors_;
    std::array<ForecastScore, predictor_kinds.size()> scores_{};
    std::deque<Prediction> open_;  // In the order of their times; as many as samples in `ahead`.
    Window recent_{1h};
};

}  // namespace muster::coordinator
