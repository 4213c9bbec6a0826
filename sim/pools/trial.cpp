#include "sim/pools/trial.hpp"

#include <algorithm>
#include <deque>
#include <utility>

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

    [[nodiscard]] Score score() const {
        return {.name = {}, .under = under_, .nodes = nodes_, .asked = asked_};
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

/// How far predictions were from what was needed when a node that was asked for then had come.
class Errors {
public:
    explicit Errors(Duration ahead) : ahead_{ahead} {}

    void predicted(Instant now, Amount amount) { open_.emplace_back(now + ahead_, amount); }
    void needed(Instant now, Amount need) {
        for (; !open_.empty() && open_.front().first <= now; open_.pop_front()) {
            const Amount amount = open_.front().second;
            sum_ += amount > need ? amount - need : need - amount;
            ++count_;
        }
    }
    [[nodiscard]] std::uint64_t mean() const { return count_ == 0 ? 0 : sum_ / count_; }

private:
    Duration ahead_;
    std::deque<std::pair<Instant, Amount>> open_;
    std::uint64_t sum_ = 0;
    std::uint64_t count_ = 0;
};

}  // namespace

Score try_predictor(const History& history, coordinator::PredictorKind kind,
                    const TrialOptions& options) {
    ensure(options.of_node > 0, "a node has some capacity");
    coordinator::Predictors predictors{options.boot};
    Trial trial{options};
    Errors errors{options.boot};
    for (std::size_t at = 0; at < history.size(); ++at) {
        const NeedSample& sample = history[at];
        const Instant now = instant_of(sample.at);
        errors.needed(now, sample.need);
        predictors.observe(sample);
        const Amount wanted = predictors.predict(kind, sample.at);
        errors.predicted(now, wanted);
        trial.decide(now, wanted);
        if (at + 1 < history.size()) {
            trial.pass(now, instant_of(history[at + 1].at), sample.need);
        }
    }
    Score score = trial.score();
    score.name = to_string(kind);
    score.error = errors.mean();
    return score;
}

std::vector<Score> try_all(const History& history, const TrialOptions& options) {
    TrialOptions without_limits = options;
    without_limits.limits = {.max = 1'000'000};
    std::vector<Score> scores{
        try_predictor(history, coordinator::PredictorKind::conservative, without_limits)};
    scores.front().name = "reactive";
    for (const auto kind : coordinator::predictor_kinds) {
        scores.push_back(try_predictor(history, kind, options));
    }
    return scores;
}

}  // namespace muster::sim
