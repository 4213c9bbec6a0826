#include "coordinator/core/pools/forecast/forecast.hpp"

namespace muster::coordinator {

void Forecast::judge(const NeedSample& sample) {
    for (; !open_.empty() && open_.front().of <= sample.at; open_.pop_front()) {
        for (const PredictorKind kind : predictor_kinds) {
            const Amount amount = open_.front().amounts[static_cast<std::size_t>(kind)];
            ForecastScore& score = scores_[static_cast<std::size_t>(kind)];
            ++score.predictions;
            score.short_ones += amount < sample.need ? 1U : 0U;
            score.over += amount > sample.need ? amount - sample.need : 0;
            score.under += amount < sample.need ? sample.need - amount : 0;
        }
    }
}

void Forecast::observe(const NeedSample& sample) {
    judge(sample);
    predictors_.observe(sample);
    recent_.add(sample);
    Prediction next{.of = CivilMs{static_cast<std::int64_t>(sample.at) + to_ms(ahead_)}};
    for (const PredictorKind kind : predictor_kinds) {
        next.amounts[static_cast<std::size_t>(kind)] = predictors_.predict(kind, sample.at);
    }
    open_.push_back(next);
}

}  // namespace muster::coordinator
