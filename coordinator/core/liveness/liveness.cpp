#include "coordinator/core/liveness/liveness.hpp"

#include <algorithm>
#include <utility>

namespace muster::coordinator {

Liveness::Liveness(Instant now, const CoordinatorOptions& options, Generation counter,
                   NodeRegistry& nodes, const Placements& placements, const FleetRoom& room)
    : options_{options},
      nodes_{nodes},
      placements_{placements},
      room_{room},
      rounds_{nodes, now, options.round},
      own_{options.round},
      losses_{options.loss.rate_percent, options.loss.burst},
      recovery_{now, options.recovery_grace, counter, nodes} {}

void Liveness::on_step(Instant now) {
    const Duration late = now - rounds_.next_deadline();
    if (own_.was_late(late)) {
        reconnect_grace_until_ =
            std::max(reconnect_grace_until_, now + std::min(late, options_.recovery_grace));
    }
}

std::optional<ClosedRound> Liveness::close_due(Instant now, bool overdue) {
    return rounds_.close_if_due(now, overdue, own_.is_degraded(now));
}

void Liveness::open_due(Instant now, Epoch epoch, std::vector<PollTo>& polls) {
    rounds_.open_if_due(now, epoch, polls);
    polls_ += polls.size();  // Includes polls that this step sent before.
}

void Liveness::on_round_closed(Instant now) {
    losses_.round_closed(nodes_.count());
    if (!recovery_.runs()) {
        return;
    }
    nodes_.each_polled([&](NodeIndex index) {
        if (nodes_[index].ahead && recovery_.may_be_lost(now, nodes_[index])) {
            recovery_.resolved(index);
        }
    });
}

void Liveness::note_silence(std::span<const NodeIndex> away) {
    for (const NodeIndex index : away) {
        const Node& node = nodes_[index];
        if (node.misses >= silent_limit()) {
            set_silence(index, {.silent = true, .given_up = node.given_up});
        }
    }
}

void Liveness::decide_losses(StepContext& step, std::span<const NodeIndex> away) {
    std::vector<NodeIndex> silent;
    for (const NodeIndex index : away) {
        const Node& node = nodes_[index];
        const std::uint32_t limit = node.given_up ? silent_limit() : miss_limit();
        const bool was_polled =
            node.session ? node.connection_misses >= limit : step.now >= reconnect_grace_until_;
        if (!node.gone && node.misses >= limit && was_polled &&
            recovery_.may_be_lost(step.now, node)) {
            silent.push_back(index);
        }
    }
    // The rate limits how much work must move, so a node without wanted copies uses no token. The
    // longest silent node comes first, so that many new names cannot delay the loss of a real node.
    std::stable_sort(silent.begin(), silent.end(), [this](NodeIndex left, NodeIndex right) {
        return nodes_[left].misses > nodes_[right].misses;
    });
    for (const NodeIndex index : silent) {
        const bool holds_nothing =
            !is_unknown(nodes_[index]) && !placements_.has_wanted_copies(index);
        if (holds_nothing || losses_.take()) {
            lose(step, index, "silent for " + std::to_string(nodes_[index].misses) + " polls");
        }  // Otherwise the node waits for a later round.
    }
}

void Liveness::lose(StepContext& step, NodeIndex index, std::string why) {
    nodes_.transition(step, index, NodeChange::lost, std::move(why));
    expect_return(step.now, index);
}

void Liveness::on_answer(NodeIndex index) {
    rounds_.forget_misses(index);
    set_silence(index, {});
}

void Liveness::give_up(NodeIndex index) {
    set_silence(index, {.silent = nodes_[index].silent, .given_up = true});
}

void Liveness::forgive(NodeIndex index) {
    rounds_.forgive_misses(index);
    set_silence(index, {.silent = nodes_[index].silent, .given_up = false});
}

void Liveness::set_silence(NodeIndex index, const SilenceFacts& facts) {
    const Node& node = nodes_[index];
    if (node.silent != facts.silent || node.given_up != facts.given_up) {
        nodes_.edit(index, WriteKey<SilenceFacts>{}) = facts;
        nodes_.touch(index);
    }
}

/// The nodes become lost at once, so that the next query shows it. But if the coordinator itself
/// was late or ill, it polls the nodes again first.
void Liveness::lose_given_up(StepContext& step) {
    if (own_.is_degraded(step.now) || own_.is_late()) {
        return;
    }
    std::vector<NodeIndex> silent;
    for (const NodeIndex index : nodes_.by_name()) {
        if (nodes_[index].given_up && !is_lost(nodes_[index])) {
            silent.push_back(index);
        }
    }
    decide_losses(step, silent);
}

// A node may need the reconnect grace after our own pause, or the recovery grace to find a new
// leadership. Until then its absence proves nothing.
void Liveness::expect_return(Instant now, NodeIndex index) {
    const Node& node = nodes_[index];
    nodes_.deadlines().end(index, DueKind::departure);
    nodes_.deadlines().end(index, DueKind::forget);
    if (node.lost && node.admission == Admission::listed) {
        return;  // The record is kept while the name is listed.
    }
    if (node.lost) {
        const Duration kept = room_.is_full() ? options_.round : options_.loss.max_lost;
        nodes_.deadlines().set(index, DueKind::forget,
                               now + std::min(kept, options_.loss.max_lost));
    } else if (node.gone) {
        const Duration silent = options_.round * options_.loss.after;
        nodes_.deadlines().set(
            index, DueKind::departure,
            std::max(now + silent + options_.loss.departure_grace, recovery_.grace_ends()));
    }
}

void Liveness::on_departure_grace_over(StepContext& step, NodeIndex index, bool is_frozen) {
    if (step.now < reconnect_grace_until_) {
        nodes_.deadlines().set(index, DueKind::departure, reconnect_grace_until_);
    } else if (is_frozen) {
        nodes_.deadlines().set(index, DueKind::departure, step.now + options_.round);
    } else {
        lose(step, index, "left and did not return");
    }
}

void Liveness::make_room(Instant now) {
    for (const NodeIndex index : nodes_.by_name()) {
        if (nodes_[index].lost) {
            expect_return(now, index);
        }
    }
}

bool may_return(const Node& node) { return node.gone && node.left_instances_running && !node.lost; }

}  // namespace muster::coordinator
