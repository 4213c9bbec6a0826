#include "coordinator/core/pools/forecast/forecast.hpp"

namespace muster::coordinator {

void Forecast::observe(const NeedSample& sample, const Others& others) {
    predictors_.observe(sample);
    recent_.add(sample);
    const CivilMs of{static_cast<std::int64_t>(sample.at) + to_ms(ahead_)};
    for (const PredictorKind kind : predictor_kinds) {
        TrackRecord& record = own_[static_cast<std::size_t>(kind)];
        record.judge(sample);
        record.predict(of, predictors_.predict(kind, sample.at));
    }
    for (auto& [name, record] : others_) {
        record.judge(sample);
    }
    for (const auto& [name, amount] : others) {
        others_[name].predict(of, amount);
    }
}

}  // namespace muster::coordinator
