#include "coordinator/core/pools/forecast/trend.hpp"

#include <algorithm>

namespace muster::coordinator {

// With 120 samples of at most 10^9 in an hour the sums stay below 5 * 10^14, and the last product
// below 4 * 10^18.
Amount Trend::predict(CivilMs at) const {
    const auto& samples = window_.samples();
    if (samples.empty()) {
        return 0;
    }
    const auto count = static_cast<std::int64_t>(samples.size());
    const CivilMs first = samples.front().at;
    std::int64_t time = 0;
    std::int64_t need = 0;
    for (const NeedSample& sample : samples) {
        time += seconds_between(first, sample.at);
        need += static_cast<std::int64_t>(sample.need);
    }
    time /= count;
    need /= count;
    std::int64_t rise = 0;
    std::int64_t spread = 0;
    for (const NeedSample& sample : samples) {
        const std::int64_t away = seconds_between(first, sample.at) - time;
        rise += away * (static_cast<std::int64_t>(sample.need) - need);
        spread += away * away;
    }
    // A few samples do not reach far.
    const auto ahead = std::min(std::chrono::duration_cast<std::chrono::seconds>(ahead_).count(),
                                seconds_between(first, samples.back().at));
    const std::int64_t distance = seconds_between(first, at) + ahead - time;
    const std::int64_t predicted = spread == 0 ? need : need + rise * distance / spread;
    return static_cast<Amount>(
        std::clamp<std::int64_t>(predicted, 0, static_cast<std::int64_t>(most_amount)));
}

}  // namespace muster::coordinator
