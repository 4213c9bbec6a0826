#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/screen/facts.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"
#include "common/spec/quantity.hpp"

namespace muster::cli {

namespace {

void add_blockers(Facts& facts, std::span<const DrainBlocker> blockers) {
    for (const DrainBlocker& blocker : blockers) {
        facts.add("blocked by",
                  fmt::format("{}{}{}: {}", blocker.instance, blocker.instance.empty() ? "" : " ",
                              blocker.code, blocker.detail));
    }
}

std::string deadline_of(const DrainView& drain, CivilMs now) {
    if (drain.deadline == CivilMs{}) {
        return "none";
    }
    return drain.overdue
               ? fmt::format("passed {} ago, at {}; the drain continues", age(drain.deadline, now),
                             civil_time(drain.deadline))
               : fmt::format("in {}, at {}", age(now, drain.deadline), civil_time(drain.deadline));
}

/// Who set the node's intent and why, and the state of its drain. Empty for an active node.
std::string intent_of(const NodeShowReply& reply, CivilMs now, const Style& style) {
    Facts facts{style};
    const NodeView& node = reply.node;
    facts.add_if(!node.author.empty() || !node.reason.empty(), node.intent,
                 fmt::format("by {}{}{}", node.author.empty() ? "?" : node.author,
                             node.reason.empty() ? "" : ": ", node.reason));
    if (reply.drain.running) {
        facts.add("deadline", deadline_of(reply.drain, now),
                  reply.drain.overdue ? Tone::bad : Tone::plain);
        facts.add("afterwards", reply.drain.remove ? "the node is removed" : "the node is offline");
        add_blockers(facts, reply.drain.blocked_by);
    }
    return facts.text();
}

/// `16 cores, of which 0.5 cores are reserved`; `written` formats an amount.
template <class N>
std::string shown(const std::optional<N>& capacity, std::uint64_t reserved, auto written) {
    const std::string text = capacity ? written(*capacity) : std::string{"unlimited"};
    return reserved == 0 ? text
                         : fmt::format("{}, of which {} are reserved", text, written(reserved));
}

/// Its note, but the rest of a suspension is counted from our now.
std::string note_shown(const NodeView& node, CivilMs now) {
    return node.health == "flaky" && node.suspended_until != CivilMs{}
               ? fmt::format("suspended for {} more", age(now, node.suspended_until))
               : node.note;
}

std::string names_line(std::string_view head, std::span<const std::string> names) {
    constexpr std::size_t named_at_most = 20;
    auto named = in_natural_order(std::vector(names.begin(), names.end()), std::identity{});
    named.resize(std::min(names.size(), named_at_most));
    const std::string more = names.size() == named.size()
                                 ? std::string{}
                                 : fmt::format(" and {} more", names.size() - named.size());
    return names.empty()
               ? std::string{}
               : printable(fmt::format("{}: {}{}", head, fmt::join(named, ", "), more)) + '\n';
}

std::string nodes_table(std::span<const NodeView> nodes, CivilMs now, const Style& style) {
    Table table{{"NODE", "HEALTH", "INTENT", "INSTANCES", "HOST LOAD", "ANSWERED", "MISSED",
                 "INCARNATION", "VERSION", "REASON", "NOTE"}};
    const bool any_missed =
        std::ranges::any_of(nodes, [](const auto& node) { return node.missed > 0; });
    for (const NodeView& node :
         in_natural_order(std::vector(nodes.begin(), nodes.end()), &NodeView::name)) {
        table.add({node.name, Cell{node.health, tone_of(node.health)},
                   Cell{node.intent + (node.overdue ? " (overdue)" : ""), tone_of(node.intent)},
                   std::to_string(node.instances),
                   fmt::format("{}.{:02}", node.load_milli / 1000, node.load_milli % 1000 / 10),
                   age(node.last_answer, now),
                   !any_missed ? ""
                               : Cell{std::to_string(node.missed),
                                      node.missed > 0 ? Tone::attention : Tone::plain},
                   std::to_string(raw(node.incarnation)), node.version.empty() ? "-" : node.version,
                   node.intent == "active" ? "" : node.reason, note_shown(node, now)});
    }
    return table.to_text(style);
}

std::string source_of(const std::string& from) { return from.empty() ? "" : " (" + from + ")"; }

std::string moment(CivilMs at, const NodeShowReply& reply, CivilMs now) {
    // The times are the host's: our clock had them earlier by the difference between the clocks.
    std::int64_t ours = 0;
    const bool is_time = !__builtin_sub_overflow(raw(at), reply.clock_ahead_ms, &ours);
    return at == CivilMs{} || !is_time ? "not yet" : age(CivilMs{ours}, now) + " ago";
}

void add_vitals(Facts& facts, const NodeShowReply& reply, CivilMs now) {
    const HostVitals& vitals = reply.vitals;
    if (vitals.at == CivilMs{}) {
        return;
    }
    facts.add_unless_empty("unable", vitals.unable, Tone::bad);
    facts.add_if(vitals.memory_free != 0, "memory free", size_text(vitals.memory_free));
    facts.add_if(
        vitals.disk_bytes != 0, "disk free",
        fmt::format("{} of {}", size_text(vitals.disk_free), size_text(vitals.disk_bytes)));
    constexpr std::int64_t noticed = 1'000;  // A smaller difference may be network delay.
    const std::int64_t ahead = reply.clock_ahead_ms;
    const bool is_off = ahead > noticed || ahead < -noticed;
    facts.add("clock",
              is_off ? fmt::format("{:.1f} s {} the coordinator's",
                                   std::abs(static_cast<double>(ahead)) / 1000,
                                   ahead > 0 ? "ahead of" : "behind")
                     : "agrees with the coordinator's",
              is_off ? Tone::attention : Tone::plain);
    facts.add("last spawn", moment(vitals.spawned, reply, now));
    facts.add("last write", moment(vitals.written, reply, now));
    facts.add("measured", moment(vitals.at, reply, now));
}

void add_flap_score(Facts& facts, const NodeShowReply& reply, CivilMs now) {
    const FlapScoreView& flaps = reply.flap_score;
    if (flaps.contributions.empty()) {
        return;
    }
    facts.add("flap score", fmt::format("{} of {}, suspended {} so far", flaps.score,
                                        flaps.threshold, counted(flaps.suspensions, "time")));
    for (const FlapContributionView& one : flaps.contributions) {
        facts.add("flap cause", fmt::format("{}: {}, last {} ago", one.cause,
                                            counted(one.times, "time"), age(one.last, now)));
    }
    const bool is_suspended =
        reply.node.health == "flaky" ||
        (reply.node.health == "silent" && reply.node.suspended_until != CivilMs{});
    facts.add_if(is_suspended, "suspended",
                 fmt::format("until {}, for {} more", civil_time(flaps.suspended_until),
                             age(now, flaps.suspended_until)));
    add_blockers(facts, flaps.blocked_by);
}

}  // namespace

std::string text_of(const NodeListReply& reply, CivilMs now, const Style& style) {
    return (reply.nodes.empty() ? "no nodes\n" : nodes_table(reply.nodes, now, style)) +
           names_line("removed names, refused until 'muster node add'", reply.removed) +
           names_line("refused recently, because they may not join", reply.refused);
}

std::string text_of(const NodeShowReply& reply, CivilMs now, const Style& style) {
    Facts facts{style};
    facts.add("listed", reply.node.listed ? "yes" : "no");
    facts.add("pool", reply.offer.pool);
    for (const auto& [key, value] : reply.offer.labels) {
        facts.add("label", fmt::format("{} = {}", key, value));
    }
    const auto& [cpu, memory, slots] = reply.offer.capacity;
    const Resources& reserved = reply.offer.reserved;
    const CapacityFrom& from = reply.capacity_from;
    facts.add("cpu", shown(cpu, reserved.cpu_milli, cores_text) + source_of(from.cpu));
    facts.add("memory", shown(memory, reserved.memory_bytes, size_text) + source_of(from.memory));
    const auto written = [](std::uint64_t count) { return std::to_string(count); };
    facts.add("slots", shown(slots, reserved.slots, written));
    for (const LimitFact& limit : reply.limits) {
        facts.add("limit",
                  fmt::format("{} {} {}", limit.limit,
                              limit.enforced ? "is enforced by" : "is not enforced:", limit.how),
                  limit.enforced ? Tone::plain : Tone::bad);
    }
    add_vitals(facts, reply, now);
    add_flap_score(facts, reply, now);
    return nodes_table(std::span{&reply.node, 1}, now, style) + '\n' +
           intent_of(reply, now, style) + facts.text() + '\n' +
           render_instances(in_natural_order(reply.instances, &InstanceView::id), now, style);
}

}  // namespace muster::cli
