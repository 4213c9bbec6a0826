#include "coordinator/core/suspension/suspension.hpp"

#include <algorithm>
#include <utility>

#include "coordinator/core/nodes/readiness.hpp"

namespace muster::coordinator {

namespace {

/// This many answers in a row may show orders without effect, because the network sometimes loses
/// an order.
constexpr std::uint8_t disobeyed_borne = 2;

/// The weight of a missed poll is proportional to the round: the share of lost polls then gives the
/// same score at any length of a round.
std::uint32_t weight_in(Duration round, FlapCause cause) {
    const std::uint32_t weight = weight_of(cause).weight;
    if (cause != FlapCause::missed_poll || round >= 1s) {
        return weight;
    }
    return std::max(1U, static_cast<std::uint32_t>(weight * to_ms(round) / 1'000));
}

}  // namespace

void Suspension::add(StepContext& step, NodeIndex index, FlapCause cause) {
    if (nodes_[index].suspended_until) {
        return;  // It is suspended already.
    }
    if (scores_[index].add(step.now, step.civil(), cause, weight_in(options_.round, cause))) {
        suspend(step, index, cause);
    }
}

void Suspension::on_silence(StepContext& step, std::span<const NodeIndex> silent,
                            std::uint32_t silent_limit) {
    for (const NodeIndex index : silent) {
        if (!nodes_[index].lost && nodes_[index].misses <= silent_limit) {
            add(step, index, FlapCause::missed_poll);
        }
    }
}

void Suspension::on_answer(StepContext& step, NodeIndex index, const Report& report) {
    const Node& node = nodes_[index];
    if (report.host.spawn_failing) {
        add(step, index, FlapCause::spawn_failing);
    }
    if (report.host.journal_failing) {
        add(step, index, FlapCause::journal_failing);
    }
    if (node.resolved_up_to == node.polled_issued) {
        return;  // It got no orders since.
    }
    std::uint8_t& disobeyed = nodes_.edit(index, WriteKey<ComplianceFacts>{}).disobeyed;
    if (report.obeyed >= node.polled_issued) {
        disobeyed = 0;
    } else if (disobeyed < disobeyed_borne) {
        ++disobeyed;
    } else {
        add(step, index, FlapCause::ignored_commands);
    }
}

void Suspension::suspend(StepContext& step, NodeIndex index, FlapCause last) {
    const Duration length = scores_[index].suspend(step.now, step.civil(), options_.max_flaky);
    nodes_.deadlines().set(index, DueKind::suspension, step.now + length);
    nodes_.deadlines().end(index, DueKind::forgive);
    nodes_.transition(step, index, NodeChange::suspended,
                      "for " + std::to_string(length / 1s) +
                          " s: its flap score reached the threshold with " +
                          std::string{weight_of(last).name},
                      step.now + length);
}

void Suspension::end(StepContext& step, NodeIndex index, NodeChange how, std::string why) {
    NodeReadiness{nodes_}.ignore_past_checks(index);
    nodes_.deadlines().end(index, DueKind::suspension);
    nodes_.deadlines().set(index, DueKind::forgive, step.now + FlapScore::quiet_period);
    nodes_.transition(step, index, how, std::move(why));
}

void Suspension::forgive(StepContext& step, NodeIndex index, std::string why) {
    nodes_.deadlines().end(index, DueKind::forgive);
    scores_.erase(index);
    nodes_.transition(step, index, NodeChange::forgiven, std::move(why));
}

void Suspension::clear(StepContext& step, NodeIndex index, const std::string& why) {
    if (!scores_.contains(index)) {
        return;  // Another request was first.
    }
    if (nodes_[index].suspended_until) {
        end(step, index, NodeChange::released, why);
    }
    forgive(step, index, why);
}

bool Suspension::has_claimed(NodeIndex index) const {
    const auto found = scores_.find(index);
    return found != scores_.end() &&
           found->second.contributions()[static_cast<std::size_t>(FlapCause::claimed_instance)]
                   .times > 0;
}

FlapScoreView Suspension::view(Instant now, NodeIndex index) const {
    FlapScoreView view;
    view.threshold = FlapScore::threshold;
    const auto found = scores_.find(index);
    if (found == scores_.end()) {
        return view;
    }
    const FlapScore& score = found->second;
    view.score = score.score(now);
    view.suspensions = score.repeats();
    view.suspended_until = score.suspended_until();
    for (const Weight& row : flap_weights()) {
        const FlapScore::Contribution& contribution =
            score.contributions()[static_cast<std::size_t>(row.cause)];
        if (contribution.times > 0) {
            view.contributions.push_back(
                {std::string{row.name}, contribution.times, contribution.last});
        }
    }
    return view;
}

void Suspension::on_suspension_over(StepContext& step, NodeIndex index) {
    end(step, index, NodeChange::served, "its suspension ended");
}

void Suspension::on_quiet_period_over(StepContext& step, NodeIndex index) {
    forgive(
        step, index,
        "it was not suspended for " + std::to_string(FlapScore::quiet_period / 1min) + " minutes");
}

bool Suspension::has_record(Instant now, NodeIndex index) const {
    const auto found = scores_.find(index);
    return found != scores_.end() && (found->second.score(now) > 0 || found->second.repeats() > 0);
}

}  // namespace muster::coordinator
