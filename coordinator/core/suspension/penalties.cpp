#include "coordinator/core/suspension/penalties.hpp"

#include <algorithm>
#include <utility>

namespace muster::coordinator {

namespace {

constexpr std::array<Weight, misdeeds> table{{
    {Misdeed::missed_poll, "missed_poll", 20, "a poll was not answered in its term"},
    {Misdeed::reconnect, "reconnect", 60, "its agent came by another route, or in another life"},
    {Misdeed::refused_commands, "refused_commands", 100, "it refused a batch, or a part of it"},
    {Misdeed::ignored_commands, "ignored_commands", 400,
     "for the third term in a row or more it answered and had not obeyed"},
    {Misdeed::spawn_failing, "spawn_failing", 300, "it answered that the host makes no processes"},
    {Misdeed::journal_failing, "journal_failing", 300,
     "it answered that it cannot write its own state"},
    {Misdeed::bad_report, "bad_report", 200, "what it sent made no sense, or contradicts itself"},
    {Misdeed::claimed_instance, "claimed_instance", 200,
     "it reported an instance that was never ordered there, or that it had stopped"},
    {Misdeed::vanished_instance, "vanished_instance", 200,
     "an instance that it had been ordered, and that it had obeyed or reported, was gone"},
}};

std::uint64_t halvings(Instant from, Instant to) {
    return to <= from ? 0 : static_cast<std::uint64_t>((to - from) / Conduct::half_life);
}

}  // namespace

const std::array<Weight, misdeeds>& misdeed_weights() { return table; }

const Weight& weight_of(Misdeed misdeed) { return table[static_cast<std::size_t>(misdeed)]; }

bool Conduct::feed(Instant now, CivilMs civil, Misdeed misdeed, std::uint32_t weight) {
    halve(now);
    if (std::exchange(suspended_, false)) {
        fed_ = {};
    }
    score_ = std::min(score_ + weight, threshold);
    Fed& fed = fed_[static_cast<std::size_t>(misdeed)];
    ++fed.times;
    fed.last = civil;
    return score_ == threshold;
}

std::uint32_t Conduct::score(Instant now) const {
    const std::uint64_t times = halvings(since_, now);
    return times < 32 ? score_ >> times : 0;
}

void Conduct::halve(Instant now) {
    if (score_ == 0) {
        since_ = now;
        return;
    }
    score_ = score(now);
    since_ += half_life * static_cast<std::int64_t>(halvings(since_, now));
}

Duration Conduct::suspend(Instant now, CivilMs civil, Duration most) {
    Duration length = std::min(first_penalty, most);
    for (std::uint32_t i = 0; i < relapses_ && length < most; ++i) {
        length = std::min(length * 2, most);
    }
    ++relapses_;
    score_ = 0;
    since_ = now;
    suspended_ = true;
    penalty_ends_ = CivilMs{raw(civil) + to_ms(length)};
    return length;
}

}  // namespace muster::coordinator
