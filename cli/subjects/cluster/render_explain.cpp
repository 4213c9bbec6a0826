#include <algorithm>

#include <fmt/format.h>

#include "cli/screen/facts.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"

namespace muster::cli {

namespace {

bool is_ruled_out(const VerdictView& verdict) {
    return verdict.code != "home" && verdict.code != "fits";
}

Tone tone_of_verdict(const VerdictView& verdict) {
    if (is_ruled_out(verdict)) {
        return Tone::faint;
    }
    return verdict.code == "home" ? Tone::good : Tone::plain;
}

/// The text after the node's name.
std::string describe_verdict(const VerdictView& verdict) {
    return is_ruled_out(verdict)
               ? verdict.sentence
               : fmt::format("{} (affinity {}, spread {}, load {})", verdict.sentence,
                             verdict.affinity, verdict.spread, verdict.load);
}

/// A sentence for each node, and the scores that decide.
std::string verdict_lines(const ExplainReply& reply, const Style& style) {
    if (reply.verdicts.empty()) {
        return {};
    }
    std::string text = reply.subject == Subject::task ? "\none more instance of it:\n" : "\n";
    for (const VerdictView& verdict : in_natural_order(reply.verdicts, &VerdictView::node)) {
        const auto line = printable(verdict.node + ": " + describe_verdict(verdict));
        for (const std::string& piece : wrapped(line, style.columns)) {
            text += toned(piece, tone_of_verdict(verdict), style) + '\n';
        }
    }
    const bool any_scores = !std::ranges::all_of(reply.verdicts, is_ruled_out);
    return text +
           (any_scores ? "the lowest affinity wins, then spread, then load, then the name\n" : "");
}

std::string decisions_table(const ExplainReply& reply, CivilMs now, const Style& style) {
    if (reply.decisions.empty()) {
        return {};
    }
    Table table{{"AGO", "DECISION", "NAME", "NODE", "CAUSE"}};
    for (const DecisionView& decision : reply.decisions) {
        table.add(
            {age(decision.at, now), decision.what, decision.name, decision.node, decision.cause});
    }
    return '\n' + table.to_text(style);
}

std::string words_of(const PlannedSpread& spread) {
    return fmt::format("{} on {}, {} to {} each", counted(spread.instances, "instance"),
                       counted(spread.nodes, "node"), spread.least, spread.most);
}

}  // namespace

std::string text_of(const ExplainReply& reply, CivilMs now, const Style& style) {
    Facts facts{style};
    facts.add(to_string(reply.subject), reply.name);
    facts.add("state", reply.state, tone_of(reply.state));
    facts.add_unless_empty("node", reply.node);
    facts.add_if(reply.since != CivilMs{}, "since", age(reply.since, now) + " ago");
    facts.add_unless_empty("decided by", reply.decided_by);
    facts.add_unless_empty("because", reply.detail);
    return facts.text() + verdict_lines(reply, style) + decisions_table(reply, now, style);
}

bool changes_anything(const PlanReply& reply) {
    const auto is_worse = [](const PlannedShortage& one) { return one.count > one.before; };
    return !reply.moves.empty() || !reply.gaps.empty() ||
           std::ranges::any_of(reply.shortages, is_worse);
}

std::string text_of(const PlanReply& reply, const Style& style) {
    std::string text;
    if (!reply.moves.empty()) {
        Table moves{{"INSTANCE", "FROM", "TO", "CAUSE"}};
        for (const PlannedMove& move : in_natural_order(reply.moves, &PlannedMove::id)) {
            moves.add(
                {to_string(move.id), move.from.empty() ? "-" : move.from, move.to, move.cause});
        }
        text += moves.to_text(style) + '\n';
    }
    Facts facts{style};
    facts.add("moves", reply.more_moves == 0 ? std::to_string(reply.moves.size())
                                             : fmt::format("{}, of which {} are shown",
                                                           reply.moves.size() + reply.more_moves,
                                                           reply.moves.size()));
    for (const PlannedGap& gap : in_natural_order(reply.gaps, &PlannedGap::task)) {
        facts.add("down",
                  fmt::format("{} of {} instances of task '{}' end with their nodes", gap.down,
                              gap.wanted, gap.task),
                  Tone::attention);
    }
    for (const PlannedShortage& shortage :
         in_natural_order(reply.shortages, &PlannedShortage::task)) {
        facts.add("unplaced",
                  fmt::format("{} of task '{}' (now {}): {}", shortage.count, shortage.task,
                              shortage.before, shortage.code),
                  shortage.count > shortage.before ? Tone::bad : Tone::plain);
    }
    facts.add_if(
        reply.pending > 0, "pending",
        fmt::format("{} other starts and moves, which are already decided", reply.pending));
    facts.add_if(reply.resting > 0, "resting",
                 fmt::format("{} moved recently: the last one may move again in {}",
                             counted(reply.resting, "instance"), length(reply.rested_in)));
    facts.add_if(reply.added > 0, "added",
                 counted(reply.added, "node") +
                     (reply.added_like.empty() ? "" : " like " + reply.added_like));
    facts.add_if(
        reply.freeze.on, "freeze",
        fmt::format("on, with {} of {} silent at once: nothing above happens until it ends "
                    "or 'muster freeze off'",
                    reply.freeze.silent, counted(reply.freeze.counted, "node")),
        Tone::attention);
    facts.add_if(!reply.unsettled.empty(), "not settled",
                 reply.unsettled + ", and this plan leaves it as it is: ask again",
                 Tone::attention);
    facts.add("now", words_of(reply.before));
    facts.add("then", words_of(reply.after));
    return text + facts.text();
}

}  // namespace muster::cli
