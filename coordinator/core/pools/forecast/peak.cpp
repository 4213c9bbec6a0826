#include "coordinator/core/pools/forecast/peak.hpp"

#include <algorithm>

namespace muster::coordinator {

Amount Peak::predict(CivilMs at) const {
    const auto length = std::chrono::duration_cast<std::chrono::seconds>(window_.length()).count();
    // The newest sample does not decay.
    Amount most = window_.samples().empty() ? 0 : window_.samples().back().need;
    for (const NeedSample& sample : window_.samples()) {
        const std::int64_t age =
            std::clamp<std::int64_t>(seconds_between(sample.at, at), 0, length);
        const auto lost = static_cast<Amount>(age) * decay_percent_;
        const Amount whole = 100 * static_cast<Amount>(length);
        most = std::max(most, sample.need * (whole - lost) / whole);
    }
    return most;
}

}  // namespace muster::coordinator
