#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"
#include "coordinator/core/state/state.hpp"

/// Who is away: silent nodes that become lost, goodbyes without a return, and records that are kept
/// no longer.
namespace muster::coordinator {

namespace {
/// What keeps the record of a lost node beyond its time is looked at again after this long.
constexpr Duration kept_for = 1min;
}  // namespace

void State::settle_ahead(Instant now) {
    const NodeSet& roll = nodes.roll();
    for (Rank slot = roll.next(0); slot != no_rank; slot = roll.next(slot + 1)) {
        Node& node = nodes[static_cast<NodeIndex>(slot)];
        if (node.ahead && recovery.may_be_lost(now, node)) {
            recovery.settled(node);
        }
    }
}

void State::decide_losses(Instant now, std::span<const NodeIndex> away, std::uint32_t limit) {
    std::vector<NodeIndex> silent;
    for (const NodeIndex index : away) {
        const Node& node = nodes[index];
        const bool was_asked =
            node.session ? node.route_misses >= limit : now >= links_return_until;
        if (!node.gone && node.misses >= limit && was_asked && recovery.may_be_lost(now, node)) {
            silent.push_back(index);
        }
    }
    // The rate is for what has to run elsewhere; who bears nothing uses none of it up. Whoever has
    // been silent longest comes first: no stream of new names delays the loss of a real node.
    std::stable_sort(silent.begin(), silent.end(), [this](NodeIndex left, NodeIndex right) {
        return nodes[left].misses > nodes[right].misses;
    });
    for (const NodeIndex index : silent) {
        if (!may_bear_work(index) || losses.take()) {
            lose(now, index, "silent for " + std::to_string(nodes[index].misses) + " polls");
        } else {
            pass_over(index);  // Its turn comes in a later term.
        }
    }
}

bool State::may_bear_work(NodeIndex index) const {
    return is_unknown(nodes[index]) || placements.bears_wanted(index);
}

void State::lose(Instant now, NodeIndex index, std::string why) {
    change(now, index, NodeChange::lost, std::move(why));
    expect_return(now, index);
}

// Until links that our own sleep has cost may be back, and a new leadership may have been found, it
// is no proof of anything that a node has not returned.
void State::expect_return(Instant now, NodeIndex index) {
    const Node& node = nodes[index];
    deadlines.end(index, DueKind::goodbye);
    deadlines.end(index, DueKind::forget);
    if (node.lost && node.admission == Admission::listed) {
        return;  // It is kept for as long as it is listed.
    }
    if (node.lost) {
        const Duration kept = is_full() ? options.term : options.max_lost;
        deadlines.set(index, DueKind::forget, now + std::min(kept, options.max_lost));
    } else if (node.gone) {
        const Duration silent = options.term * options.lost_after;
        deadlines.set(index, DueKind::goodbye,
                      std::max(now + silent + options.goodbye_grace, recovery.grace_ends()));
    }
}

void State::meet_deadlines(Instant now, Output& output) {
    NodesWritten written;
    while (const auto due = deadlines.take_due(now)) {
        switch (due->kind) {
            case DueKind::goodbye: end_goodbye(now, due->node); break;
            case DueKind::penalty:
                end_penalty(now, due->node, NodeChange::served, "it took its time");
                break;
            case DueKind::forgive: forgive(now, due->node, "its conduct was good"); break;
            case DueKind::drain: tell_overdue(now, due->node); break;
            case DueKind::forget:
                if (!is_kept(due->node)) {
                    forget(due->node, written);
                } else if (nodes[due->node].admission != Admission::listed) {
                    deadlines.set(due->node, DueKind::forget, now + kept_for);
                }
                break;
        }
    }
    if (!written.erased.empty()) {
        persist_nodes(std::move(written), output);
    }
}

void State::end_goodbye(Instant now, NodeIndex index) {
    if (now < links_return_until) {
        deadlines.set(index, DueKind::goodbye, links_return_until);
    } else if (freeze.is_on()) {
        deadlines.set(index, DueKind::goodbye, now + options.term);
    } else {
        lose(now, index, "said goodbye and did not return");
    }
}

bool State::bears_nothing(NodeIndex index) const {
    return placements.held(index) == 0 && placements.in_flight(index) == 0;
}

bool State::is_kept(NodeIndex index) const {
    const Node& node = nodes[index];
    return node.admission == Admission::listed || node.intent != Intent::active ||
           node.row_pending || !bears_nothing(index);
}

void State::forget(NodeIndex index, NodesWritten& written) {
    Node& node = nodes[index];
    node.forgetting = true;
    node.row_pending = true;
    written.erased.push_back(node.name);
}

bool State::is_full() const {
    const std::size_t listed = std::max(intents.listed(), intents.listed_soon());
    return joiners() >= limits::joiners || joiners() + listed >= limits::nodes;
}

void State::make_room(Instant now) {
    for (const NodeIndex index : nodes.by_name()) {
        if (nodes[index].lost) {
            expect_return(now, index);
        }
    }
}

}  // namespace muster::coordinator
