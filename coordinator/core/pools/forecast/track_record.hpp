#pragma once

#include <cstdint>
#include <deque>

#include "coordinator/core/pools/forecast/need_sample.hpp"

namespace muster::coordinator {

/// How far a predictor was off, over all predictions whose time has come.
struct ForecastScore {
    std::uint64_t predictions = 0;
    std::uint64_t short_ones = 0;  ///< It predicted less than was needed then.
    Amount over = 0;               ///< The sum of what was too much,
    Amount under = 0;              ///< and of what was too little.
};

/// What one predictor said, and how far it was off.
class TrackRecord {
public:
    /// `of`: the time that is predicted. It is later than those before.
    void predict(CivilMs of, Amount amount) { open_.push_back({of, amount}); }
    /// So much is needed now.
    void judge(const NeedSample& sample) {
        for (; !open_.empty() && open_.front().at <= sample.at; open_.pop_front()) {
            const Amount amount = open_.front().need;
            ++score_.predictions;
            score_.short_ones += amount < sample.need ? 1U : 0U;
            score_.over += amount > sample.need ? amount - sample.need : 0;
            score_.under += amount < sample.need ? sample.need - amount : 0;
        }
    }
    [[nodiscard]] const ForecastScore& score() const { return score_; }

private:
    friend struct CoreFields;

    std::deque<NeedSample> open_;  // Those whose time is still to come.
    ForecastScore score_;
};

}  // namespace muster::coordinator
