#include "coordinator/core/liveness/terms.hpp"

#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

namespace {
/// Misses are compared with single digits; they must only never wrap.
constexpr std::uint32_t counted_up_to = 1'000'000;
}  // namespace

Terms::Terms(Instant now, Duration length) : length_{length}, started_{now - length} {
    ensure(length > Duration::zero(), "a term lasts longer than nothing");
}

void Terms::open_if_due(Instant now, NodeRegistry& nodes, Epoch epoch, std::vector<PollTo>& polls) {
    if (open_ || now < next_deadline()) {
        return;
    }
    term_ = next(term_);
    // On the beat while we keep it; afresh once so late that the nodes could not answer in time.
    started_ = now - next_deadline() < length_ / 2 ? next_deadline() : now;
    open_ = true;
    awaited_ = 0;
    answered_ = 0;
    const NodeSet& roll = nodes.roll();
    polls.reserve(polls.size() + roll.count());
    for (Rank slot = roll.next(0); slot != no_rank; slot = roll.next(slot + 1)) {
        const auto index = static_cast<NodeIndex>(slot);
        Node& node = nodes.edit(index);
        node.awaiting = false;
        if (node.session) {
            ask(index, node, epoch, polls);
            node.asked_at_start = true;
        } else if (node.lost) {
            nodes.strike(index);
        }
    }
}

void Terms::ask(NodeIndex index, Node& node, Epoch epoch, std::vector<PollTo>& polls) {
    ensure(node.session.has_value(), "only a node with a route is polled");
    if (term_ == Term{}) {
        return;  // Term 0 is none; the first one asks everybody at once.
    }
    const bool owes = node.awaiting && node.asked_at_start;  // Asked again it still does.
    if (!node.awaiting) {
        node.awaiting = true;
        awaited_ += open_ ? 1 : 0;
    }
    if (node.asked != term_) {
        node.asked = term_;
        node.asked_issued = node.issued;
    }
    node.asked_at_start = owes;
    const bool wants_all = (raw(term_) + raw(index)) % snapshot_terms == 0;
    polls.push_back({*node.session, Poll{.epoch = epoch,
                                         .term = term_,
                                         .incarnation = node.incarnation,
                                         .seen = wants_all ? Revision{} : node.held,
                                         .issued = node.issued,
                                         .check = !node.able}});
}

bool Terms::answered(Node& node, const Report& report) {
    if (!node.awaiting || report.term != term_) {
        return false;
    }
    excuse(node);
    answered_ += node.answered_in == term_ ? 0 : 1;
    node.answered_in = term_;
    return true;
}

void Terms::excuse(Node& node) {
    if (node.awaiting) {
        node.awaiting = false;
        ensure(!open_ || awaited_ > 0, "an open term counts whom it awaits");
        awaited_ -= open_ ? 1 : 0;
    }
}

std::optional<ClosedTerm> Terms::close_if_due(Instant now, bool overdue, NodeRegistry& nodes,
                                              bool ill) {
    const Instant end = next_deadline();
    if (!open_ || (awaited_ > 0 && !(overdue && now >= end))) {
        return std::nullopt;
    }
    const bool in_time = now < end + length_ / 2;
    ClosedTerm closed = close(nodes, in_time && !(ill && is_deaf(nodes)));
    closed.lasted = now - started_;
    if (std::exchange(hurried_, false)) {
        started_ = now - length_;
    }
    return closed;
}

void Terms::hurry(Instant now) {
    hurried_ = open_;
    if (!open_) {
        started_ = now - length_;
    }
}

void Terms::cut_short(Instant now, NodeRegistry& nodes) {
    open_ = false;
    hurried_ = false;
    const NodeSet& roll = nodes.roll();
    for (Rank slot = roll.next(0); slot != no_rank; slot = roll.next(slot + 1)) {
        nodes.edit(static_cast<NodeIndex>(slot)).awaiting = false;
    }
    started_ = now - length_;
}

bool Terms::is_deaf(const NodeRegistry& nodes) const {
    const NodeSet& roll = nodes.roll();
    std::size_t live = 0;
    for (Rank slot = roll.next(0); slot != no_rank; slot = roll.next(slot + 1)) {
        live += is_lost(nodes[static_cast<NodeIndex>(slot)]) ? 0U : 1U;
    }
    return std::size_t{answered_} * 2 < live;
}

ClosedTerm Terms::close(NodeRegistry& nodes, bool misses_count) {
    open_ = false;
    ClosedTerm closed{.term = term_, .answered = answered_};
    const NodeSet& roll = nodes.roll();
    for (Rank slot = roll.next(0); slot != no_rank; slot = roll.next(slot + 1)) {
        const auto index = static_cast<NodeIndex>(slot);
        Node& node = nodes.edit(index);
        const bool was_asked = node.awaiting && node.asked_at_start;
        const bool was_away = !node.session && !node.lost && node.answered_in != term_;
        node.awaiting = false;
        if ((was_asked || was_away) && misses_count) {
            ++closed.missed;
            node.misses = std::min(node.misses + 1, counted_up_to);
            node.route_misses = std::min(node.route_misses + (was_asked ? 1U : 0U), counted_up_to);
            if (was_asked) {
                closed.silent.push_back(index);
            }
        }
        if (misses_count && node.misses > 0 && !node.lost) {
            closed.away.push_back(index);
        }
    }
    return closed;
}

LossRate::LossRate(std::uint32_t percent, std::uint32_t burst)
    : percent_{percent}, burst_{burst}, tokens_{burst} {}

void LossRate::term_closed(std::size_t nodes) {
    const std::uint64_t rate = std::max<std::uint64_t>(1, nodes * percent_ / 100);
    tokens_ = std::min(tokens_ + rate, std::max<std::uint64_t>(rate, burst_));
}

bool LossRate::take() {
    if (tokens_ == 0) {
        return false;
    }
    --tokens_;
    return true;
}

}  // namespace muster::coordinator
