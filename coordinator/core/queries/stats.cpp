#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coordinator/core/queries/queries.hpp"

namespace muster::coordinator {

namespace {

class Samples {
public:
    void add(std::string_view name, std::uint64_t value) { add(name, {}, value); }
    void add(std::string_view name, MetricLabels labels, std::uint64_t value) {
        reply_.samples.push_back({"muster_" + std::string{name}, std::move(labels), value});
    }
    void add(std::string_view name, const Histogram& histogram) {
        reply_.durations.push_back(durations_of("muster_" + std::string{name}, {}, histogram));
    }
    [[nodiscard]] StatsReply take() { return std::move(reply_); }

private:
    StatsReply reply_;
};

void add_nodes(const StatusReply& status, Samples& into) {
    into.add("nodes", status.nodes);
    into.add("nodes_serving", status.serving);
    into.add("nodes_free", status.free);
    into.add("nodes_busy", status.busy);
    into.add("nodes_ahead", status.ahead);
    const auto& [healthy, unready, flaky, lost] = status.health;
    into.add("nodes_by_health", {{"health", "healthy"}}, healthy);
    into.add("nodes_by_health", {{"health", "unready"}}, unready);
    into.add("nodes_by_health", {{"health", "flaky"}}, flaky);
    into.add("nodes_by_health", {{"health", "silent"}}, status.silent);
    into.add("nodes_by_health", {{"health", "lost"}}, lost);
    const auto& [active, draining, offline] = status.intent;
    into.add("nodes_by_intent", {{"intent", "active"}}, active);
    into.add("nodes_by_intent", {{"intent", "draining"}}, draining);
    into.add("nodes_by_intent", {{"intent", "offline"}}, offline);
}

void add_instances(const StatusReply& status, const Totals& totals, Samples& into) {
    into.add("tasks", status.tasks);
    into.add("instances_wanted", status.wanted);
    const std::pair<const char*, std::uint32_t> states[] = {
        {"running", status.running}, {"starting", status.starting}, {"backoff", status.backoff},
        {"exited", status.exited},   {"failed", status.failed},     {"unplaced", status.unplaced},
        {"unseen", status.unseen}};
    for (const auto& [state, count] : states) {
        into.add("instances", {{"state", state}}, count);
    }
    into.add("instances_rolling", status.rolling);
    into.add("instances_moving", status.moving);
    into.add("tasks_halted", totals.halted);
    into.add("copies_stopping", status.stopping);
    into.add("copies_stray", status.strays);
    into.add("copies_unconfirmed", status.unconfirmed);
}

void add_unplaced(std::span<const Shortage> shortages, Samples& into) {
    for (const Shortage& shortage : shortages) {
        if (shortage.code != Obstacle::recovering) {
            into.add("unplaced", {{"reason", std::string{to_string(shortage.code)}}},
                     shortage.count);
        }
    }
}

void add_leadership(const StatusReply& status, bool recovering, std::uint64_t other_epoch,
                    Samples& into) {
    into.add("epoch", raw(status.epoch));
    into.add("round", raw(status.round));
    into.add("changes", raw(status.counter));
    into.add("recovering", recovering ? 1 : 0);
    into.add("nodes_awaited", status.awaited);
    into.add("frozen", status.freeze.on ? 1 : 0);
    into.add("nodes_counted", status.freeze.counted);
    into.add("nodes_silent", status.freeze.silent);
    into.add("miss_limit", status.miss_limit);
    into.add("converged", status.converged ? 1 : 0);
    into.add("alarms", status.alarms.size());
    into.add("unknown_senders_total", status.unknown_senders);
    into.add("other_epoch_reports_total", other_epoch);
    into.add("refused_hellos_total", status.refused);
}

void add_counters(const Counters& counters, std::uint64_t polls, std::uint64_t freezes,
                  const Outcomes& outcomes, Samples& into) {
    into.add("rounds_total", counters.rounds);
    into.add("last_round_answered", counters.last.answered);
    into.add("last_round_missed", counters.last.missed);
    into.add("polls_total", polls);
    into.add("misses_total", counters.misses);
    into.add("freezes_total", freezes);
    into.add("orders_total", {{"action", "start"}}, counters.starts);
    into.add("orders_total", {{"action", "stop"}}, counters.stops);
    into.add("moves_total", counters.moves);
    into.add("commands_total", {{"outcome", "answered"}}, outcomes.answered);
    into.add("commands_total", {{"outcome", "refused"}}, outcomes.refused);
    into.add("commands_total", {{"outcome", "unanswered"}}, outcomes.unanswered);
    into.add("round", counters.round);
}

/// Of the pools that have a definition.
void add_pools(const Facts& facts, Samples& into) {
    std::vector<std::string> pools;
    facts.ledger.pools().rows().each(
        [&](std::string_view name, const StoredPool& /*pool*/) { pools.emplace_back(name); });
    for (const std::string& pool : pools) {
        std::map<std::string_view, std::uint64_t> states;
        for (const PoolNode& node : facts.scaling.nodes_of(pool)) {
            ++states[state_of(node)];
        }
        for (const auto& [state, count] : states) {
            into.add("pool_nodes", {{"pool", pool}, {"state", std::string{state}}}, count);
        }
    }
    const auto add_each = [&](std::string_view name, auto&& value_of) {
        for (const std::string& pool : pools) {
            if (const PoolDecision* const decision = facts.scaling.decision_of(pool)) {
                into.add(name, {{"pool", pool}}, value_of(pool, *decision));
            }
        }
    };
    add_each("pool_demand", [](const auto&, const PoolDecision& last) { return last.demand; });
    add_each("pool_wanted", [](const auto&, const PoolDecision& last) { return last.wanted; });
    add_each("pool_capacity", [](const auto&, const PoolDecision& last) { return last.capacity; });
    add_each("pool_alarm", [&](const std::string& pool, const PoolDecision& /*last*/) {
        return facts.scaling.alarm_of(pool).empty() ? 0U : 1U;
    });
    into.add("provider_failures_total", facts.scaling.provider_failures());
}

}  // namespace

Durations durations_of(std::string name, MetricLabels labels, const Histogram& histogram) {
    Durations durations{.name = std::move(name),
                        .labels = std::move(labels),
                        .buckets = {},
                        .sum_us = histogram.sum_us()};
    const auto& counts = histogram.counts();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const bool has_bound = i < Histogram::bounds.size();
        durations.buckets.push_back({has_bound ? Histogram::bounds[i] : 0, counts[i]});
    }
    return durations;
}

StatsReply stats(const Facts& facts) {
    const StatusReply is = counts(facts);
    Samples samples;
    add_leadership(is, facts.liveness.recovery().runs(), facts.nodes.useless(Useless::other_epoch),
                   samples);
    add_nodes(is, samples);
    for (const Transition& row : transitions()) {
        samples.add("node_changes_total", {{"change", std::string{row.name}}},
                    facts.nodes.changes_seen()[static_cast<std::size_t>(row.change)]);
    }
    add_instances(is, facts.planner().totals(), samples);
    add_unplaced(facts.planner().shortages(), samples);
    add_counters(facts.planning.counters(), facts.liveness.polls(), facts.freeze.begun(),
                 facts.copies.placements.orders().outcomes(), samples);
    add_pools(facts, samples);
    return samples.take();
}

}  // namespace muster::coordinator
