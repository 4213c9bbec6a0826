#include "coordinator/core/pools/forecast/predictors.hpp"

namespace muster::coordinator {

void Predictors::observe(const NeedSample& sample) {
    last_ = sample.need;
    trend_.observe(sample);
    peak_.observe(sample);
    seasonal_.observe(sample);
}

Amount Predictors::predict(PredictorKind kind, CivilMs at) const {
    switch (kind) {
        case PredictorKind::conservative: return last_;
        case PredictorKind::trend: return trend_.predict(at);
        case PredictorKind::peak: return peak_.predict(at);
        case PredictorKind::seasonal: return seasonal_.predict(at);
    }
    return last_;
}

}  // namespace muster::coordinator
