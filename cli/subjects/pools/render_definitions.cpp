#include <algorithm>
#include <chrono>
#include <string>

#include <fmt/format.h>

#include "cli/screen/facts.hpp"
#include "cli/screen/table.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"
#include "common/base/names.hpp"
#include "common/spec/duration.hpp"

namespace muster::cli {

namespace {

std::string time_text(std::uint64_t ms) {
    constexpr std::uint64_t most = 1'000'000'000'000;  // A Duration cannot be much longer.
    return to_string(
        Duration{std::chrono::milliseconds{static_cast<std::int64_t>(std::min(ms, most))}});
}

Tone tone_of_node(const std::string& state) {
    return state == "active" || state == "fixed" ? Tone::good : Tone::attention;
}

void add_spec(const PoolSpec& spec, Facts& facts) {
    facts.add("provider", spec.provider);
    facts.add("predictor", spec.predictor);
    facts.add("nodes", fmt::format("{} to {}, {} at once; a new one has {} {}", spec.min, spec.max,
                                   spec.step,
                                   spec.node_amount == 0 ? std::string{"what the others have, in"}
                                                         : std::to_string(spec.node_amount),
                                   to_string(spec.unit)));
    facts.add("drains", fmt::format("{} at once, each at most {}", spec.drain_budget,
                                    time_text(spec.max_drain_ms)));
    facts.add("arrive in", time_text(spec.arrive_within_ms));
    facts.add("cooldowns", fmt::format("up {}, down {}", time_text(spec.up_cooldown_ms),
                                       time_text(spec.down_cooldown_ms)));
    facts.add("demand ttl", "at most " + time_text(spec.demand_ttl_ms));
    if (!spec.schedule.empty()) {
        facts.add("schedule", joined(spec.schedule, "; ") + " (" + spec.zone + ")");
    }
    facts.add_if(!spec.shadow.empty(), "beside it", joined(spec.shadow, ", "));
    facts.add_if(!spec.match.empty(), "match", joined(spec.match, "; "));
}

}  // namespace

std::string text_of(const PoolChangeReply& reply, const Style& /*style*/) {
    if (reply.action == "unchanged") {
        return fmt::format("pool '{}' is as wanted already\n", printable(reply.name));
    }
    return fmt::format("pool '{}' {}{}\n", printable(reply.name), printable(reply.action),
                       reply.fields.empty() ? "" : ": " + printable(joined(reply.fields, ", ")));
}

std::string text_of(const PoolShowReply& reply, CivilMs now, const Style& style) {
    Facts facts{style};
    facts.add("pool", reply.name);
    if (!reply.defined) {
        facts.add("definition", "none: nothing changes its size");
    } else {
        facts.add_if(reply.paused, "paused", "by " + reply.author);
        add_spec(reply.spec, facts);
        const PoolDecisionView& last = reply.decision;
        facts.add_if(
            last.at != CivilMs{}, "capacity",
            fmt::format("{} of {}, of {}; {} in demand, {} for its tasks", last.capacity,
                        last.wanted, counted(last.nodes, "node"), last.demand, last.derived));
        facts.add_unless_empty("decided", last.reason);
        facts.add_unless_empty("because", last.detail);
        facts.add_unless_empty("alarm", reply.alarm);
    }
    if (reply.nodes.empty()) {
        return facts.text();
    }
    Table table{{"NODE", "STATE", "FOR", "AMOUNT", "INSTANCES", "REQUEST"}};
    for (const PoolNodeView& node : reply.nodes) {
        table.add({node.node.empty() ? "-" : node.node, Cell{node.state, tone_of_node(node.state)},
                   node.since == CivilMs{} ? "" : age(node.since, now), std::to_string(node.amount),
                   std::to_string(node.instances), node.request});
    }
    return facts.text() + '\n' + table.to_text(style);
}

std::string text_of(const PoolMembersReply& reply, const Style& style) {
    if (reply.members.empty()) {
        return fmt::format("no node of pool '{}' serves\n", printable(reply.name));
    }
    Table table{{"NODE", "ADDRESS", "AMOUNT"}};
    for (const PoolMemberView& member : reply.members) {
        table.add({member.node, member.address, std::to_string(member.amount)});
    }
    return table.to_text(style) +
           fmt::format("version {} of epoch {}\n", reply.version, reply.epoch);
}

}  // namespace muster::cli
