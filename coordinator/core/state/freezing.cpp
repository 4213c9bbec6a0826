#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "coordinator/core/operators/intent_checks.hpp"
#include "coordinator/core/queries/notes.hpp"
#include "coordinator/core/state/state.hpp"

/// The freeze: who is counted, when it begins and ends, and what operators decide of it.
namespace muster::coordinator {

namespace {

// The rows of the setting. Only a freeze that an operator began is kept.
constexpr std::string_view frozen_name = "freeze";
constexpr std::string_view reason_name = "freeze.reason";
constexpr std::string_view author_name = "freeze.author";
constexpr std::string_view since_name = "freeze.since";

CivilMs time_from(std::string_view text) {
    std::int64_t ms = 0;
    std::from_chars(text.data(), text.data() + text.size(), ms);
    return CivilMs{ms};
}

std::string said(const Census& seen) {
    return std::to_string(seen.silent) + " of " + std::to_string(seen.counted) +
           (seen.counted == 1 ? " node" : " nodes");
}

/// When it ends, or would begin.
std::string outlook(const FreezeView& freeze) {
    if (freeze.on && freeze.manual) {
        return "it ends by 'muster freeze off'";
    }
    if (freeze.on && freeze.calm_terms > 0) {
        const std::uint32_t left = Freeze::calm_terms - freeze.calm_terms;
        return "it ends in " + std::to_string(left) + (left == 1 ? " term" : " terms") +
               ", if no more fall silent";
    }
    if (freeze.on) {
        return "it ends once fewer than " + std::to_string(freeze.leave_below) +
               " are silent and some node answers, for " + std::to_string(Freeze::calm_terms) +
               " terms; or by 'muster freeze off', which gives the silent up as lost";
    }
    return freeze.counted == 0
               ? "no node is counted yet"
               : "it begins when " + std::to_string(freeze.enter_at) +
                     " of them fall silent within " + std::to_string(Freeze::window) + " terms";
}

}  // namespace

// ---- by silence ----

bool State::is_silent(const Node& node) const {
    return node.lost || node.misses + 1 >= miss_limit();
}

// Whoever wants to can join where no list is kept, and fall silent: of such the work alone is news.
bool State::is_judged(NodeIndex index) const {
    const Node& node = nodes[index];
    const bool is_news = node.at_stake || is_unknown(node) || !is_silent(node);
    return is_news && node.intent == Intent::active && !node.gone && !node.ahead &&
           freeze.is_counted(index, terms.current()) && !freeze.is_excused(index, node.answered_in);
}

void State::count_in(NodeIndex index, Census& seen) const {
    if (is_judged(index)) {
        ++seen.counted;
        seen.silent += is_silent(nodes[index]) ? 1U : 0U;
    }
}

Census State::census() const {
    Census seen;
    nodes.each([&](NodeIndex index, const Node& /*node*/) { count_in(index, seen); });
    return seen;
}

PlannedFreeze State::freeze_with(const std::set<NodeIndex>& failing) const {
    Census seen = census();
    std::uint32_t more = 0;
    for (const NodeIndex index : failing) {
        const Node& node = nodes[index];
        if (!is_judged(index) || is_silent(node)) {
            continue;
        }
        const bool counts_silent = node.at_stake || is_unknown(node);
        more += counts_silent ? 1U : 0U;
        seen.counted -= counts_silent ? 0U : 1U;
    }
    seen.silent += more;
    return {.on = freeze.is_on() || (more > 0 && seen.silent >= enters_at(seen)),
            .counted = seen.counted,
            .silent = seen.silent};
}

// Only who falls silent can begin one: goodbyes and removals make the others a greater share, and
// that is no reason.
void State::judge_freeze(Instant now, const ClosedTerm& term) {
    if (recovery.runs() && now < recovery.grace_ends()) {
        return;  // Together, once they have had their time.
    }
    bool looks = freeze.is_on();
    for (const NodeIndex index : term.away) {
        if (is_silent(nodes[index])) {
            looks = freeze.fell_silent(index, term.term) || looks;
        }
    }
    if (!looks) {
        return;
    }
    const Census seen = census();
    switch (freeze.judge(seen, term.answered > 0)) {
        case Freeze::Change::none: break;
        case Freeze::Change::began: begin_freeze(now, said(seen) + " fell silent"); break;
        case Freeze::Change::ended:
            end_freeze(now, false,
                       "fewer than " + std::to_string(leaves_below(seen)) + " were silent for " +
                           std::to_string(Freeze::calm_terms) + " terms");
            break;
    }
    if (freeze.is_on()) {
        pass_over_silent(term);
    }
}

void State::begin_freeze(Instant now, std::string why) {
    frozen_since = civil(now);
    ++counters.freezes;
    for (const NodeIndex index : nodes.by_name()) {
        if (is_judged(index)) {
            freeze.keep(index);
        }
        nodes.touch(index);
    }
    tell(now, "freeze.began", "", std::move(why));
}

void State::end_freeze(Instant now, bool gives_up, std::string why) {
    for (const NodeIndex index : nodes.by_name()) {
        Node& node = nodes[index];
        const bool is_given_up = gives_up && is_silent(node);
        if (is_given_up) {
            freeze.excuse(index, terms.current());
        } else if (!gives_up && !node.lost) {
            node.misses = 0;
            node.route_misses = 0;
        }
        // Until it answers: it may be some terms before it is lost.
        node.passed_over = is_given_up;
        nodes.touch(index);
    }
    freeze.keep_nobody();
    round = Round::term;
    tell(now, "freeze.ended", "", std::move(why));
}

/// Who does not answer gets no new work meanwhile: nobody would find out that it came to nothing.
void State::pass_over_silent(const ClosedTerm& term) {
    for (const NodeIndex index : term.away) {
        if (is_silent(nodes[index])) {
            pass_over(index);
        }
    }
}

void State::pass_over(NodeIndex index) {
    if (!std::exchange(nodes[index].passed_over, true)) {
        nodes.touch(index);
    }
}

/// At once: whoever asks next is not told that they are well. But if we were away ourselves, they
/// are asked again first.
void State::give_up_silent(Instant now) {
    if (own.is_ill(now) || own.is_late()) {
        return;
    }
    std::vector<NodeIndex> silent;
    for (const NodeIndex index : nodes.by_name()) {
        if (nodes[index].misses > 0 && is_overdue(nodes[index])) {
            silent.push_back(index);
        }
    }
    decide_losses(now, silent, miss_limit() - 1);
}

// ---- by operators ----

void State::restore_freeze() {
    if (settings.durable(frozen_name) == "on") {
        freeze.begin_by_operator();
        frozen_since = time_from(settings.durable(since_name));
    }
}

void State::ask(const Asked& asked, const FreezeShowRequest& /*request*/) {
    answer(asked, ReplyBody{FreezeReply{meta.counter, freeze_view()}});
}

void State::ask(const Asked& asked, const FreezeOnRequest& request) {
    FreezeSet written{.on = true, .rows = {}, .changes = {meta.counter, freeze_view()}};
    FreezeView& view = written.changes.freeze;
    const bool is_news =
        settings.proposed(frozen_name) != "on" ||
        (!request.why.reason.empty() && request.why.reason != settings.proposed(reason_name));
    if (is_news) {
        view.since = view.on ? view.since : civil(asked.now);
        view.reason = request.why.reason;
        view.author = request.why.author;
        written.rows = {{std::string{frozen_name}, "on"},
                        {std::string{reason_name}, view.reason},
                        {std::string{author_name}, view.author},
                        {std::string{since_name}, std::to_string(raw(view.since))}};
    }
    view.on = true;
    view.manual = true;
    view.detail = outlook(view);
    change_freeze(asked, request.why, std::move(written));
}

void State::ask(const Asked& asked, const FreezeOffRequest& request) {
    FreezeSet written{.on = false, .rows = {}, .changes = {meta.counter, freeze_view()}};
    FreezeView& view = written.changes.freeze;
    if (view.on || settings.proposed(frozen_name) == "on") {
        written.why = request.why;
        written.rows = {{std::string{frozen_name}, "off"},
                        {std::string{reason_name}, ""},
                        {std::string{author_name}, ""},
                        {std::string{since_name}, ""}};
    }
    view.on = false;
    view.manual = false;
    view.since = CivilMs{};
    view.reason.clear();
    view.author.clear();
    view.detail = outlook(view);
    change_freeze(asked, request.why, std::move(written));
}

void State::change_freeze(const Asked& asked, const Occasion& why, FreezeSet written) {
    if (settle_by_id(asked)) {
        return;
    }
    const auto sound = check(why);
    settle_change(asked,
                  sound ? Result<FreezeSet>{std::move(written)} : tl::unexpected{sound.error()},
                  false);
}

void State::take_effect(Instant now, const FreezeSet& written, Output& /*output*/) {
    for (const StoredSetting& row : written.rows) {
        settings.take_effect(row);
    }
    const bool was_on = freeze.is_on();
    if (!written.on) {
        freeze.end_by_operator();
        if (was_on) {
            end_freeze(now, true, told_cause(written.why.author, written.why.reason));
            give_up_silent(now);
        }
        return;
    }
    const std::string why =
        told_cause(settings.durable(author_name), settings.durable(reason_name));
    freeze.begin_by_operator();
    if (was_on) {
        tell(now, "freeze.kept", "", why);
    } else {
        begin_freeze(now, why);
    }
}

// ---- reads ----

FreezeView State::freeze_view() const { return freeze_view(census()); }

FreezeView State::freeze_view(const Census& seen) const {
    FreezeView view{.on = freeze.is_on(),
                    .manual = freeze.is_by_operator(),
                    .since = freeze.is_on() ? frozen_since : CivilMs{},
                    .reason = {},
                    .author = {},
                    .counted = seen.counted,
                    .silent = seen.silent,
                    .enter_at = enters_at(seen),
                    .leave_below = leaves_below(seen),
                    .calm_terms = freeze.is_on() ? freeze.calm() : 0,
                    .detail = {}};
    if (view.manual) {
        view.reason = settings.durable(reason_name);
        view.author = settings.durable(author_name);
    }
    view.detail = !view.on && recovery.runs()
                      ? "the silent are judged together once recovery_grace is over"
                      : outlook(view);
    return view;
}

std::string State::freeze_alarm(const FreezeView& view) {
    return "frozen" + (view.manual ? ' ' + told_cause(view.author, view.reason) : std::string{}) +
           ": " + said({view.counted, view.silent}) +
           (view.silent == 1 ? " is silent" : " are silent") +
           ", none becomes lost and nothing is rescheduled; " + view.detail;
}

}  // namespace muster::coordinator
