#include "coordinator/core/liveness/poll_rounds.hpp"

#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

namespace {
/// Misses are compared with small numbers, and must never wrap.
constexpr std::uint32_t counted_up_to = 1'000'000;
}  // namespace

PollRounds::PollRounds(NodeRegistry& nodes, Instant now, Duration length)
    : nodes_{nodes}, length_{length}, started_{now - length} {
    ensure(length > Duration::zero(), "the length of a round is positive");
}

void PollRounds::open_if_due(Instant now, Epoch epoch, std::vector<PollTo>& polls) {
    if (open_ || now < next_deadline()) {
        return;
    }
    round_ = next(round_);
    // The next round begins one length after the last, unless it is so late that nodes could not
    // answer in time.
    started_ = now - next_deadline() < length_ / 2 ? next_deadline() : now;
    open_ = true;
    awaited_ = 0;
    answered_ = 0;
    polls.reserve(polls.size() + nodes_.poll_set().count());
    nodes_.each_polled([&](NodeIndex index) {
        PollFacts& facts = at(index);
        facts.answer_pending = false;
        if (nodes_[index].session) {
            ask(index, epoch, polls);
            facts.polled_at_start = true;
        } else if (nodes_[index].lost) {
            nodes_.remove_from_poll_set(index);
        }
    });
}

void PollRounds::ask(NodeIndex index, Epoch epoch, std::vector<PollTo>& polls) {
    const Node& node = nodes_[index];
    ensure(node.session.has_value(), "only a connected node is polled");
    if (round_ == Round{}) {
        return;  // There is no round yet; the first one polls all nodes at once.
    }
    PollFacts& facts = at(index);
    // A second poll does not change that.
    const bool was_pending = facts.answer_pending && facts.polled_at_start;
    if (!facts.answer_pending) {
        facts.answer_pending = true;
        awaited_ += open_ ? 1 : 0;
    }
    if (facts.polled_round != round_) {
        facts.polled_round = round_;
        facts.polled_issued = node.issued;
    }
    facts.polled_at_start = was_pending;
    const bool wants_all = (raw(round_) + raw(index)) % snapshot_rounds == 0;
    polls.push_back({*node.session, Poll{.epoch = epoch,
                                         .round = round_,
                                         .incarnation = node.incarnation,
                                         .seen = wants_all ? Revision{} : node.known_revision,
                                         .issued = node.issued,
                                         .check = !node.able,
                                         .renew_key = node.renew_key}});
}

bool PollRounds::answered(NodeIndex index, const Report& report) {
    PollFacts& facts = at(index);
    if (!facts.answer_pending || report.round != round_) {
        return false;
    }
    cancel_poll(index);
    answered_ += facts.answered_in == round_ ? 0 : 1;
    facts.answered_in = round_;
    return true;
}

void PollRounds::on_new_connection(NodeIndex index) {
    cancel_poll(index);
    PollFacts& facts = at(index);
    if (facts.silent_routes < silent_routes_borne) {
        ++facts.silent_routes;
        facts.connection_misses = 0;
    }
}

void PollRounds::miss(NodeIndex index) {
    ++at(index).misses;
    ++at(index).connection_misses;
}

void PollRounds::forget_misses(NodeIndex index) {
    forgive_misses(index);
    at(index).silent_routes = 0;
}

void PollRounds::forgive_misses(NodeIndex index) {
    clear_miss_count(index);
    at(index).connection_misses = 0;
}

void PollRounds::clear_miss_count(NodeIndex index) { at(index).misses = 0; }

void PollRounds::cancel_poll(NodeIndex index) {
    PollFacts& facts = at(index);
    if (facts.answer_pending) {
        facts.answer_pending = false;
        ensure(!open_ || awaited_ > 0, "an open round counts its open polls");
        awaited_ -= open_ ? 1 : 0;
    }
}

std::optional<ClosedRound> PollRounds::close_if_due(Instant now, bool overdue, bool ill) {
    const Instant end = next_deadline();
    if (!open_ || (awaited_ > 0 && !(overdue && now >= end))) {
        return std::nullopt;
    }
    const bool in_time = now < end + length_ / 2;
    ClosedRound closed = close(in_time && !(ill && heard_minority()));
    closed.lasted = now - started_;
    if (std::exchange(expedited_, false)) {
        started_ = now - length_;
    }
    return closed;
}

void PollRounds::expedite(Instant now) {
    expedited_ = open_;
    if (!open_) {
        started_ = now - length_;
    }
}

void PollRounds::cut_short(Instant now) {
    open_ = false;
    expedited_ = false;
    nodes_.each_polled([&](NodeIndex index) { at(index).answer_pending = false; });
    started_ = now - length_;
}

bool PollRounds::heard_minority() const {
    std::size_t live = 0;
    nodes_.each_polled([&](NodeIndex index) { live += is_lost(nodes_[index]) ? 0U : 1U; });
    return std::size_t{answered_} * 2 < live;
}

ClosedRound PollRounds::close(bool misses_count) {
    open_ = false;
    ClosedRound closed{.round = round_, .answered = answered_};
    nodes_.each_polled([&](NodeIndex index) {
        const Node& node = nodes_[index];
        PollFacts& facts = at(index);
        const bool was_polled = node.answer_pending && node.polled_at_start;
        const bool was_away = !node.session && !node.lost && node.answered_in != round_;
        facts.answer_pending = false;
        if ((was_polled || was_away) && misses_count) {
            ++closed.missed;
            facts.misses = std::min(node.misses + 1, counted_up_to);
            facts.connection_misses =
                std::min(node.connection_misses + (was_polled ? 1U : 0U), counted_up_to);
            if (was_polled) {
                closed.silent.push_back(index);
            }
        }
        if (misses_count && node.misses > 0 && !node.lost) {
            closed.away.push_back(index);
        }
    });
    return closed;
}

}  // namespace muster::coordinator
