#pragma once

#include <cstddef>
#include <deque>

#include "common/base/time.hpp"
#include "coordinator/core/pools/forecast/need_sample.hpp"

namespace muster::coordinator {

/// The samples of the last time, evenly thinned: at most `most` of them, whatever their rate.
class Window {
public:
    static constexpr std::size_t most = 120;

    explicit Window(Duration length) : length_{length} {}

    /// `sample` is later than all before. Within one thinned step the latest one counts.
    void add(const NeedSample& sample) {
        const auto length = std::chrono::duration_cast<std::chrono::seconds>(length_).count();
        const auto step = length / static_cast<std::int64_t>(most);
        const std::size_t last = samples_.size();
        // The last one may still change. It is kept if the one before it is a step older.
        if (last >= 2 && seconds_between(samples_[last - 2].at, samples_[last - 1].at) < step) {
            samples_.pop_back();
        }
        samples_.push_back(sample);
        while (samples_.size() > most || seconds_between(samples_.front().at, sample.at) > length) {
            samples_.pop_front();
        }
    }

    [[nodiscard]] const std::deque<NeedSample>& samples() const { return samples_; }
    [[nodiscard]] Duration length() const { return length_; }

private:
    friend struct CoreFields;

    Duration length_;
    std::deque<NeedSample> samples_;
};

}  // namespace muster::coordinator
