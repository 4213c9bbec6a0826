#pragma once

#include <array>
#include <deque>
#include <map>
#include <string>

#include "coordinator/core/pools/forecast/predictors.hpp"
#include "coordinator/core/pools/forecast/track_record.hpp"

namespace muster::coordinator {

/// The predictors of one pool beside each other, and how each would have done.
class Forecast {
public:
    static constexpr Duration usual_ahead = 2min;

    /// What predictors say that are not part of it, such as programs.
    using Others = std::map<std::string, Amount>;

    /// `ahead`: the time that a node takes to come, at most an hour.
    explicit Forecast(Duration ahead) : ahead_{ahead}, predictors_{ahead} {}
    Forecast() : Forecast{usual_ahead} {}

    /// Each sample is later than those before.
    void observe(const NeedSample& sample, const Others& others = {});
    [[nodiscard]] Amount predict(PredictorKind kind, CivilMs at) const {
        return predictors_.predict(kind, at);
    }
    [[nodiscard]] const ForecastScore& score(PredictorKind kind) const {
        return own_[static_cast<std::size_t>(kind)].score();
    }
    /// Null: it has never said anything.
    [[nodiscard]] const ForecastScore* score(const std::string& other) const {
        const auto found = others_.find(other);
        return found == others_.end() ? nullptr : &found->second.score();
    }
    /// Forgets what those said that do not stay.
    void forget_unless(auto&& stays) {
        std::erase_if(others_, [&](const auto& other) { return !stays(other.first); });
    }
    [[nodiscard]] const Seasonal& seasonal() const { return predictors_.seasonal(); }
    [[nodiscard]] Seasonal& seasonal() { return predictors_.seasonal(); }
    /// The last hour.
    [[nodiscard]] const std::deque<NeedSample>& recent() const { return recent_.samples(); }

private:
    friend struct CoreFields;

    Duration ahead_;
    Predictors predictors_;
    std::array<TrackRecord, predictor_kinds.size()> own_{};
    std::map<std::string, TrackRecord> others_;
    Window recent_{1h};
};

}  // namespace muster::coordinator
