#include "coordinator/core/suspension/flap_score.hpp"

#include <algorithm>
#include <utility>

namespace muster::coordinator {

namespace {

constexpr std::array<Weight, flap_causes> weights{{
    {FlapCause::missed_poll, "missed_poll", 20, "a poll was not answered in its round"},
    {FlapCause::reconnect, "reconnect", 60, "its agent connected again, or started again"},
    {FlapCause::refused_commands, "refused_commands", 100, "it refused a batch, or a part of it"},
    {FlapCause::ignored_commands, "ignored_commands", 400,
     "for three or more rounds in a row it answered and had not obeyed its orders"},
    {FlapCause::spawn_failing, "spawn_failing", 300,
     "it reported that its host cannot make processes"},
    {FlapCause::journal_failing, "journal_failing", 300,
     "it reported that it cannot write its own state"},
    {FlapCause::bad_report, "bad_report", 200,
     "its report cannot be decoded, or contradicts itself"},
    {FlapCause::claimed_instance, "claimed_instance", 200,
     "it reported an instance that was never ordered there, or that it had stopped"},
    {FlapCause::vanished_instance, "vanished_instance", 200,
     "an instance that it had started or reported disappeared"},
}};

std::uint64_t halvings(Instant from, Instant to) {
    return to <= from ? 0 : static_cast<std::uint64_t>((to - from) / FlapScore::half_life);
}

}  // namespace

const std::array<Weight, flap_causes>& flap_weights() { return weights; }

const Weight& weight_of(FlapCause cause) { return weights[static_cast<std::size_t>(cause)]; }

bool FlapScore::add(Instant now, CivilMs civil, FlapCause cause, std::uint32_t weight) {
    halve(now);
    if (std::exchange(suspended_, false)) {
        contributions_ = {};
    }
    score_ = std::min(score_ + weight, threshold);
    Contribution& contribution = contributions_[static_cast<std::size_t>(cause)];
    ++contribution.times;
    contribution.last = civil;
    return score_ == threshold;
}

std::uint32_t FlapScore::score(Instant now) const {
    const std::uint64_t times = halvings(since_, now);
    return times < 32 ? score_ >> times : 0;
}

void FlapScore::halve(Instant now) {
    if (score_ == 0) {
        since_ = now;
        return;
    }
    score_ = score(now);
    since_ += half_life * static_cast<std::int64_t>(halvings(since_, now));
}

Duration FlapScore::suspend(Instant now, CivilMs civil, Duration most) {
    Duration length = std::min(first_suspension, most);
    for (std::uint32_t i = 0; i < relapses_ && length < most; ++i) {
        length = std::min(length * 2, most);
    }
    ++relapses_;
    score_ = 0;
    since_ = now;
    suspended_ = true;
    suspended_until_ = CivilMs{raw(civil) + to_ms(length)};
    return length;
}

}  // namespace muster::coordinator
