#include "coordinator/core/liveness/freeze_control.hpp"

#include <utility>

#include "coordinator/core/nodes/notes.hpp"

namespace muster::coordinator {

namespace {

std::string describe_census(const Census& seen) {
    return std::to_string(seen.silent) + " of " + std::to_string(seen.counted) +
           (seen.counted == 1 ? " node" : " nodes");
}

/// When the freeze ends, or would begin.
std::string outlook(const FreezeView& freeze) {
    if (freeze.on && freeze.manual) {
        return "it ends with 'muster freeze off'";
    }
    if (freeze.on && freeze.calm_rounds > 0) {
        const std::uint32_t left = Freeze::calm_rounds - freeze.calm_rounds;
        return "it ends in " + std::to_string(left) + (left == 1 ? " round" : " rounds") +
               ", if no more nodes fall silent";
    }
    if (freeze.on) {
        return "it ends once fewer than " + std::to_string(freeze.leave_below) +
               " are silent and some node answers, for " + std::to_string(Freeze::calm_rounds) +
               " rounds; or with 'muster freeze off', which declares the silent nodes lost";
    }
    return freeze.counted == 0
               ? "no node is counted yet"
               : "it begins when " + std::to_string(freeze.enter_at) +
                     " of them fall silent within " + std::to_string(Freeze::window) + " rounds";
}

}  // namespace

// A silent node counts only if it had wanted work or an operator named it. Otherwise any node could
// join an open cluster, fall silent, and so begin a freeze.
bool FreezeControl::is_judged(NodeIndex index) const {
    const Node& node = nodes_[index];
    const bool is_news = node.counts_toward_freeze || is_unknown(node) || !is_silent(node);
    return is_news && node.intent == Intent::active && !node.gone && !node.ahead &&
           freeze_.is_counted(index, liveness_.rounds().current()) &&
           !freeze_.is_excluded(index, node.answered_in);
}

void FreezeControl::count_in(NodeIndex index, Census& seen) const {
    if (is_judged(index)) {
        ++seen.counted;
        seen.silent += is_silent(nodes_[index]) ? 1U : 0U;
    }
}

Census FreezeControl::census() const {
    Census seen;
    nodes_.each([&](NodeIndex index, const Node& /*node*/) { count_in(index, seen); });
    return seen;
}

PlannedFreeze FreezeControl::with_failing(const std::set<NodeIndex>& failing) const {
    Census seen = census();
    std::uint32_t more = 0;
    for (const NodeIndex index : failing) {
        const Node& node = nodes_[index];
        if (!is_judged(index) || is_silent(node)) {
            continue;
        }
        const bool counts_silent = node.counts_toward_freeze || is_unknown(node);
        more += counts_silent ? 1U : 0U;
        seen.counted -= counts_silent ? 0U : 1U;
    }
    seen.silent += more;
    return {.on = freeze_.is_on() || (more > 0 && seen.silent >= enters_at(seen)),
            .counted = seen.counted,
            .silent = seen.silent};
}

// Only a node that falls silent can begin a freeze. Departures and removals also raise the share of
// the silent nodes, but are no reason for a freeze.
void FreezeControl::judge(StepContext& step, const ClosedRound& closed, Effects& effects) {
    if (liveness_.recovery().runs() && step.now < liveness_.recovery().grace_ends()) {
        return;  // Silent nodes are judged together once the grace is over.
    }
    bool may_begin = freeze_.is_on();
    for (const NodeIndex index : closed.away) {
        if (is_silent(nodes_[index])) {
            may_begin = freeze_.fell_silent(index, closed.round) || may_begin;
        }
    }
    if (!may_begin) {
        return;
    }
    const Census seen = census();
    switch (freeze_.judge(seen, closed.answered > 0)) {
        case Freeze::Change::none: break;
        case Freeze::Change::began: begin(step, describe_census(seen) + " fell silent"); break;
        case Freeze::Change::ended:
            end(step, false,
                "fewer than " + std::to_string(leaves_below(seen)) + " were silent for " +
                    std::to_string(Freeze::calm_rounds) + " rounds",
                effects);
            break;
    }
}

void FreezeControl::begin(StepContext& step, std::string why) {
    since_ = step.civil();
    ++begun_;
    for (const NodeIndex index : nodes_.by_name()) {
        if (is_judged(index)) {
            freeze_.keep(index);
        }
        nodes_.touch(index);
    }
    step.emit("freeze.began", "", std::move(why));
}

void FreezeControl::end(StepContext& step, bool gives_up, std::string why, Effects& effects) {
    for (const NodeIndex index : nodes_.by_name()) {
        if (gives_up && is_silent(nodes_[index])) {
            freeze_.exclude(index, liveness_.rounds().current());
            liveness_.give_up(index);
        } else if (!gives_up && !nodes_[index].lost) {
            liveness_.forgive(index);
        }
        nodes_.touch(index);
    }
    freeze_.keep_nobody();
    effects.plan_at_least(PlanReason::all);
    step.emit("freeze.ended", "", std::move(why));
}

void FreezeControl::restore() {
    if (const StoredFreeze kept = kept_.durable(); kept.on) {
        freeze_.begin_by_operator();
        since_ = kept.since;
    }
}

void FreezeControl::on_durable(StepContext& step, const Change& change, Effects& effects) {
    const auto& put = change.of<StoredFreeze>().put;
    if (put.empty()) {
        return;
    }
    const StoredFreeze& row = *put.front();
    const bool was_on = freeze_.is_on();
    if (!row.on) {
        freeze_.end_by_operator();
        if (was_on) {
            end(step, true, describe_cause(change.why.author, change.why.reason), effects);
            liveness_.lose_given_up(step);
        }
        return;
    }
    const std::string why = describe_cause(row.author, row.reason);
    freeze_.begin_by_operator();
    if (was_on) {
        step.emit("freeze.kept", "", why);
    } else {
        begin(step, why);
    }
}

FreezeView FreezeControl::view(const Census& seen) const {
    FreezeView view{.on = freeze_.is_on(),
                    .manual = freeze_.is_by_operator(),
                    .since = freeze_.is_on() ? since_ : CivilMs{},
                    .reason = {},
                    .author = {},
                    .counted = seen.counted,
                    .silent = seen.silent,
                    .enter_at = enters_at(seen),
                    .leave_below = leaves_below(seen),
                    .calm_rounds = freeze_.is_on() ? freeze_.calm() : 0,
                    .detail = {}};
    if (view.manual) {
        const StoredFreeze kept = kept_.durable();
        view.reason = kept.reason;
        view.author = kept.author;
    }
    view.detail = !view.on && liveness_.recovery().runs()
                      ? "the silent nodes are judged together once recovery_grace is over"
                      : outlook(view);
    return view;
}

FreezeView FreezeControl::soon() const {
    FreezeView after = view();
    if (kept_.proposals().find(key_of(StoredFreeze{})) != nullptr) {
        const StoredFreeze row = kept_.proposed();
        after.on = row.on;
        after.manual = row.on;
        after.since = row.since;
        after.reason = row.reason;
        after.author = row.author;
    }
    return after;
}

Answered FreezeControl::turned_on(CivilMs now, const Occasion& why) const {
    Change change;
    FreezeView after = soon();
    const StoredFreeze before = kept_.proposed();
    if (!before.on || (!why.reason.empty() && why.reason != before.reason)) {
        after.since = after.on ? after.since : now;
        after.reason = why.reason;
        after.author = why.author;
        change.of<StoredFreeze>().put.emplace_back(StoredFreeze{
            .on = true, .reason = why.reason, .author = why.author, .since = after.since});
    }
    after.on = true;
    after.manual = true;
    after.detail = outlook(after);
    return {std::move(change), FreezeReply{.freeze = std::move(after)}};
}

Answered FreezeControl::turned_off(const Occasion& why) const {
    Change change;
    FreezeView after = soon();
    if (after.on) {
        change.why = why;
        change.of<StoredFreeze>().put.emplace_back(StoredFreeze{});
    }
    after.on = false;
    after.manual = false;
    after.since = CivilMs{};
    after.reason.clear();
    after.author.clear();
    after.detail = outlook(after);
    return {std::move(change), FreezeReply{.freeze = std::move(after)}};
}

std::string freeze_alarm(const FreezeView& view) {
    return "frozen" +
           (view.manual ? ' ' + describe_cause(view.author, view.reason) : std::string{}) + ": " +
           describe_census({view.counted, view.silent}) +
           (view.silent == 1 ? " is silent" : " are silent") +
           ", no node becomes lost and nothing is rescheduled; " + view.detail;
}

}  // namespace muster::coordinator
