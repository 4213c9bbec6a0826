#include "coordinator/core/suspension/suspension.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace muster::coordinator {

namespace {

/// So many answers in a row by which orders came to nothing count as disobedience: the network
/// loses one now and then.
constexpr std::uint8_t disobeyed_borne = 2;

/// A missed poll weighs as much as there are few of them: what is lost of a hundred polls is the
/// same whether they take a minute or a second.
std::uint32_t weight_in(Duration term, Misdeed misdeed) {
    const std::uint32_t weight = weight_of(misdeed).weight;
    if (misdeed != Misdeed::missed_poll || term >= 1s) {
        return weight;
    }
    return std::max(1U, static_cast<std::uint32_t>(weight * to_ms(term) / 1'000));
}

}  // namespace

void Suspension::add(StepContext& step, NodeIndex index, Misdeed misdeed) {
    if (nodes_[index].penalty_until) {
        return;  // It is being punished.
    }
    if (scores_[index].feed(step.now, step.civil(), misdeed, weight_in(options_.term, misdeed))) {
        suspend(step, index, misdeed);
    }
}

void Suspension::on_silence(StepContext& step, std::span<const NodeIndex> silent,
                            std::uint32_t miss_limit) {
    for (const NodeIndex index : silent) {
        if (!nodes_[index].lost && nodes_[index].misses <= miss_limit) {
            add(step, index, Misdeed::missed_poll);
        }
    }
}

void Suspension::on_answer(StepContext& step, NodeIndex index, const Report& report) {
    Node& node = nodes_.edit(index);
    if (report.host.spawn_failing) {
        add(step, index, Misdeed::spawn_failing);
    }
    if (report.host.journal_failing) {
        add(step, index, Misdeed::journal_failing);
    }
    if (node.settled == node.asked_issued) {
        return;  // It had no orders since.
    }
    if (report.obeyed >= node.asked_issued) {
        node.disobeyed = 0;
    } else if (node.disobeyed < disobeyed_borne) {
        ++node.disobeyed;
    } else {
        add(step, index, Misdeed::ignored_commands);
    }
}

void Suspension::suspend(StepContext& step, NodeIndex index, Misdeed last) {
    const Duration length = scores_[index].suspend(step.now, step.civil(), options_.max_flaky);
    nodes_.deadlines().set(index, DueKind::penalty, step.now + length);
    nodes_.deadlines().end(index, DueKind::forgive);
    nodes_.transition(step, index, NodeChange::suspended,
                      "for " + std::to_string(length / 1s) + " s; the last straw was " +
                          std::string{weight_of(last).name},
                      step.now + length);
}

void Suspension::end(StepContext& step, NodeIndex index, NodeChange how, std::string why) {
    nodes_.edit(index).stale_checks = said_by(nodes_[index]).host.checks;
    nodes_.deadlines().end(index, DueKind::penalty);
    nodes_.deadlines().set(index, DueKind::forgive, step.now + Conduct::good_conduct);
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
    if (nodes_[index].penalty_until) {
        end(step, index, NodeChange::released, why);
    }
    forgive(step, index, why);
}

ConductView Suspension::view(Instant now, NodeIndex index) const {
    ConductView view;
    view.threshold = Conduct::threshold;
    const auto found = scores_.find(index);
    if (found == scores_.end()) {
        return view;
    }
    const Conduct& conduct = found->second;
    view.score = conduct.score(now);
    view.relapses = conduct.relapses();
    view.penalty_ends = conduct.penalty_ends();
    for (const Weight& row : misdeed_weights()) {
        const Conduct::Fed& fed = conduct.fed()[static_cast<std::size_t>(row.misdeed)];
        if (fed.times > 0) {
            view.fed.push_back({std::string{row.name}, fed.times, fed.last});
        }
    }
    return view;
}

void Suspension::on_served(StepContext& step, NodeIndex index) {
    end(step, index, NodeChange::served, "it took its time");
}

void Suspension::on_good_conduct(StepContext& step, NodeIndex index) {
    forgive(step, index, "its conduct was good");
}

bool Suspension::has_record(Instant now, NodeIndex index) const {
    const auto found = scores_.find(index);
    return found != scores_.end() && (found->second.score(now) > 0 || found->second.relapses() > 0);
}

}  // namespace muster::coordinator
