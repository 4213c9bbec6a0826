#include "sim/pools/trial.hpp"

#include <algorithm>
#include <deque>
#include <string_view>

#include "common/base/ensure.hpp"

namespace muster::sim {

namespace {

using coordinator::Amount;
using coordinator::NeedSample;

/// The history counts from its first sample.
Instant instant_of(CivilMs at) {
    return Instant{std::chrono::milliseconds{static_cast<std::int64_t>(at)}};
}

class Trial {
public:
    explicit Trial(const TrialOptions& options) : options_{options}, sizing_{options.limits} {}

    void decide(Instant now, Amount wanted) {
        const auto nodes = static_cast<std::uint32_t>(active_ + coming_.size());
        const coordinator::Resize resize = sizing_.resize(now, wanted,
                                                          {.nodes = nodes,
                                                           .capacity = nodes * options_.of_node,
                                                           .of_new_node = options_.of_node});
        sizing_.on_resized(
            now, resize.up,
            static_cast<std::uint32_t>(std::min<std::uint64_t>(resize.down, active_)));
        std::uint32_t up = resize.up;
        for (; up > 0 && !leaving_.empty(); --up) {  // The last one that drains comes back first.
            leaving_.pop_back();
            ++active_;
        }
        asked_ += up;
        coming_.insert(coming_.end(), up, now + options_.boot);
        for (std::uint32_t down = resize.down; down > 0; --down) {
            if (active_ == 0) {
                break;  // What was asked for comes before it can go.
            }
            --active_;
            leaving_.push_back(now + options_.drain);
        }
    }

    /// The time up to `until` passes, while so much is needed.
    void pass(Instant from, Instant until, Amount need) {
        while (from < until) {
            Instant next = until;
            next = coming_.empty() ? next : std::min(next, coming_.front());
            next = leaving_.empty() ? next : std::min(next, leaving_.front());
            under_ += active_ * options_.of_node < need ? next - from : Duration::zero();
            nodes_ += (next - from) *
                      static_cast<std::int64_t>(active_ + coming_.size() + leaving_.size());
            for (; !coming_.empty() && coming_.front() <= next; coming_.pop_front()) {
                ++active_;
            }
            for (; !leaving_.empty() && leaving_.front() <= next;) {
                leaving_.pop_front();
            }
            from = next;
        }
    }

    [[nodiscard]] Score score(std::string_view name) const {
        return {.name = std::string{name}, .under = under_, .nodes = nodes_, .asked = asked_};
    }

private:
    TrialOptions options_;
    coordinator::Sizing sizing_;
    std::uint64_t active_ = 0;
    std::deque<Instant> coming_;   // When they serve.
    std::deque<Instant> leaving_;  // When they are gone.
    Duration under_{};
    Duration nodes_{};
    std::uint64_t asked_ = 0;
};

std::uint64_t mean_error(const coordinator::ForecastScore& score) {
    return (score.over + score.under) / std::max<std::uint64_t>(1, score.predictions);
}

/// When the next sample is. The last one takes no time.
Instant end_of(const History& history, std::size_t at) {
    return instant_of(history[at + 1 < history.size() ? at + 1 : at].at);
}

Score try_schedule(const History& history, const TrialOptions& options) {
    Trial trial{options};
    coordinator::TrackRecord record;
    for (std::size_t at = 0; at < history.size(); ++at) {
        const NeedSample& sample = history[at];
        const Instant now = instant_of(sample.at);
        record.judge(sample);
        const Amount amount =
            options.schedule->predict(sample.at, options.boot, options.utc_offset(sample.at));
        record.predict(CivilMs{static_cast<std::int64_t>(sample.at) + to_ms(options.boot)}, amount);
        trial.decide(now, amount);
        trial.pass(now, end_of(history, at), sample.need);
    }
    Score score = trial.score("schedule");
    score.error = mean_error(record.score());
    return score;
}

}  // namespace

std::vector<Score> try_all(const History& history, const TrialOptions& options) {
    ensure(options.of_node > 0, "a node has some capacity");
    TrialOptions without_limits = options;
    without_limits.limits = {.max = 1'000'000};
    Trial reactive{without_limits};
    std::vector<Trial> trials(coordinator::predictor_kinds.size(), Trial{options});
    coordinator::Forecast forecast{options.boot};
    for (std::size_t at = 0; at < history.size(); ++at) {
        const NeedSample& sample = history[at];
        const Instant now = instant_of(sample.at);
        const Instant until = end_of(history, at);
        forecast.observe(sample);
        reactive.decide(now, sample.need);
        reactive.pass(now, until, sample.need);
        for (const auto kind : coordinator::predictor_kinds) {
            Trial& trial = trials[static_cast<std::size_t>(kind)];
            trial.decide(now, forecast.predict(kind, sample.at));
            trial.pass(now, until, sample.need);
        }
    }
    std::vector<Score> scores{reactive.score("reactive")};
    for (const auto kind : coordinator::predictor_kinds) {
        scores.push_back(trials[static_cast<std::size_t>(kind)].score(to_string(kind)));
        scores.back().error = mean_error(forecast.score(kind));
    }
    scores.front().error = scores[1].error;  // It takes the need as it is, too.
    if (options.schedule) {
        scores.push_back(try_schedule(history, options));
    }
    return scores;
}

}  // namespace muster::sim
