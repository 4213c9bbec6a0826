#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coordinator/core/queries/matching.hpp"
#include "coordinator/core/queries/queries.hpp"

namespace muster::coordinator {

namespace {

using PoolViews = std::map<std::string, PoolView>;

PoolViews pool_views(const Facts& facts) {
    PoolViews views;
    const auto& table = facts.copies.placements.nodes();
    facts.nodes.each([&](NodeIndex index, const Node& node) {
        PoolView& view = views[table.offer(index).pool];
        ++view.nodes;
        view.serving += may_serve(node) ? 1U : 0U;
        view.draining += node.intent == Intent::draining ? 1U : 0U;
    });
    for (const auto& [name, index] : facts.demand.pools()) {
        PoolView& view = views[name];
        view.demand = facts.demand.total(name);
        view.reporters = facts.demand.reporters_of(index);
    }
    facts.ledger.pools().rows().each([&](std::string_view name, const StoredPool& pool) {
        PoolView& view = views[std::string{name}];
        view.provider = pool.spec.provider;
        if (const PoolDecision* const last = facts.scaling.decision_of(pool.name)) {
            view.wanted = last->wanted;
            view.capacity = last->capacity;
            view.reason = last->code;
        }
    });
    for (auto& [name, view] : views) {
        view.name = name;
    }
    return views;
}

ForecastView view_of(std::string_view predictor, std::optional<Amount> predicted,
                     const ForecastScore& score) {
    const std::uint64_t count = std::max<std::uint64_t>(1, score.predictions);
    return {.predictor = std::string{predictor},
            .predicted = predicted.value_or(0),
            .predictions = score.predictions,
            .short_ones = score.short_ones,
            .mean_over = score.over / count,
            .mean_under = score.under / count};
}

/// The schedule, and programs.
void add_others(const Facts& facts, const Forecast& forecast, PoolForecastReply& reply) {
    const auto expected = facts.predictors.others({facts.now, facts.civil()}, reply.name);
    for (const std::string& name : facts.predictors.names_of_others(reply.name)) {
        const auto amount = expected.find(name);
        const ForecastScore* const score = forecast.score(name);
        reply.predictors.push_back(
            view_of(name, amount == expected.end() ? std::nullopt : std::optional{amount->second},
                    score == nullptr ? ForecastScore{} : *score));
        ForecastView& view = reply.predictors.back();
        view.trouble = facts.predictors.trouble_of_other(reply.name, name);
        if (view.trouble.empty() && amount == expected.end()) {
            view.trouble = "it has not answered yet";
        }
    }
}

}  // namespace

Result<ReplyBody> list_demand(const Facts& facts, const std::string& pattern) {
    const auto matching = keys_matching(pattern, facts.demand.pools());
    if (!matching) {
        return tl::unexpected{matching.error()};
    }
    const std::set<std::string> chosen{matching->begin(), matching->end()};
    DemandListReply reply;
    facts.demand.each_claim(
        [&](const std::string& reporter, const std::string& pool, const Demand::Claim& claim) {
            if (chosen.contains(pool)) {
                const Duration left = std::max(claim.until - facts.now, Duration::zero());
                reply.demand.push_back({.pool = pool,
                                        .reporter = reporter,
                                        .amount = claim.amount,
                                        .ends_in_ms = static_cast<std::uint64_t>(to_ms(left))});
            }
        });
    std::ranges::stable_sort(reply.demand, {}, &DemandView::pool);
    return ReplyBody{std::move(reply)};
}

Result<ReplyBody> list_pools(const Facts& facts, const std::string& pattern) {
    PoolViews views = pool_views(facts);
    const auto matching = keys_matching(pattern, views);
    if (!matching) {
        return tl::unexpected{matching.error()};
    }
    PoolListReply reply;
    for (const std::string& name : *matching) {
        reply.pools.push_back(std::move(views.at(name)));
    }
    return ReplyBody{std::move(reply)};
}

Result<ReplyBody> show_forecast(const Facts& facts, const std::string& name) {
    const Forecast* const forecast = facts.forecasts.find(name);
    const StoredPool* const pool = facts.ledger.pools().rows().find(name);
    if (forecast == nullptr && pool == nullptr && !facts.demand.pools().contains(name)) {
        return fail(Errc::not_found, "nobody has needed any of a pool '" + name +
                                         "' in the last hour; see 'muster demand list'");
    }
    PoolForecastReply reply{.name = name,
                            .active = pool == nullptr ? "" : pool->spec.predictor,
                            .need = facts.demand.total(name),
                            .ahead_ms = static_cast<std::uint64_t>(to_ms(Forecast::usual_ahead)),
                            .predictors = {},
                            .recent = {}};
    if (forecast == nullptr) {  // The first sample is still to come.
        add_others(facts, Forecast{}, reply);
        return ReplyBody{std::move(reply)};
    }
    for (const PredictorKind kind : predictor_kinds) {
        reply.predictors.push_back(view_of(to_string(kind), forecast->predict(kind, facts.civil()),
                                           forecast->score(kind)));
    }
    add_others(facts, *forecast, reply);
    for (const NeedSample& sample : forecast->recent()) {
        reply.recent.push_back({sample.at, sample.need});
    }
    return ReplyBody{std::move(reply)};
}

}  // namespace muster::coordinator
