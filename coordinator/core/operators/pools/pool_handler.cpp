#include "coordinator/core/operators/pools/pool_handler.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.hpp"
#include "common/text/pattern.hpp"
#include "coordinator/core/ledger/scope.hpp"
#include "coordinator/core/operators/intent_checks.hpp"
#include "coordinator/core/pools/forecast/predictors.hpp"
#include "coordinator/core/pools/forecast/schedule.hpp"

namespace muster::coordinator {

namespace {

/// The schema of the store that has tables for pools.
constexpr std::uint32_t schema_of_pools = 11;

constexpr std::uint64_t longest_ms = 24ULL * 3'600 * 1'000;

tl::unexpected<Error> wrong(const char* member, const std::string& value, const std::string& rule) {
    return fail(Errc::invalid, std::string{member} + " is " + value + "; " + rule);
}

Result<void> check_range(const char* member, std::uint64_t value, std::uint64_t least,
                         std::uint64_t most) {
    if (value < least || value > most) {
        return wrong(
            member, std::to_string(value),
            "it is a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return {};
}

std::string listed(const std::vector<std::string>& names) {
    return names.empty() ? "its configuration has none" : "there are " + joined(names, ", ");
}

Result<void> check_numbers(const PoolSpec& spec) {
    if (spec.min > spec.max) {
        return wrong("min", std::to_string(spec.min),
                     "it is at most max, which is " + std::to_string(spec.max));
    }
    struct Range {
        const char* member;
        std::uint64_t value, least, most;
    };
    const auto ttl_ms = [](Duration ttl) { return static_cast<std::uint64_t>(to_ms(ttl)); };
    const Range ranges[] = {
        {"max", spec.max, 0, limits::pool_nodes},
        {"step", spec.step, 1, limits::pool_nodes},
        {"drain_budget", spec.drain_budget, 1, limits::pool_nodes},
        {"node_amount", spec.node_amount, 0, most_amount},
        {"arrive_within_ms", spec.arrive_within_ms, 1'000, longest_ms},
        {"max_drain_ms", spec.max_drain_ms, 0, longest_ms},
        {"up_cooldown_ms", spec.up_cooldown_ms, 0, longest_ms},
        {"down_cooldown_ms", spec.down_cooldown_ms, 0, longest_ms},
        {"demand_ttl_ms", spec.demand_ttl_ms, ttl_ms(limits::demand_ttl_least),
         ttl_ms(limits::demand_ttl_most)},
    };
    for (const Range& range : ranges) {
        if (auto sound = check_range(range.member, range.value, range.least, range.most); !sound) {
            return sound;
        }
    }
    return {};
}

/// The constraints in their canonical form.
Result<std::vector<std::string>> check_match(const std::vector<std::string>& match) {
    std::vector<Constraint> constraints;
    std::vector<std::string> lines;
    for (const std::string& line : match) {
        auto constraint = parse_constraint(line);
        if (!constraint) {
            return fail(Errc::invalid, "match: " + constraint.error().detail);
        }
        lines.push_back(to_string(*constraint));
        constraints.push_back(std::move(*constraint));
    }
    if (const auto why = contradiction_of(constraints)) {
        return fail(Errc::invalid, "match: " + *why);
    }
    return lines;
}

template <class Request>
bool sets_match(const Request& request) {
    if constexpr (requires { request.changes; }) {
        return request.changes.match.has_value();
    }
    return false;
}

Result<Answered> answer(StoredPool row, std::string action, std::vector<std::string> fields = {}) {
    Answered answered{{},
                      PoolChangeReply{.counter = {},
                                      .name = row.name,
                                      .action = std::move(action),
                                      .fields = std::move(fields)}};
    answered.change.of<StoredPool>().put.emplace_back(std::move(row));
    return answered;
}

}  // namespace

void PoolHandler::change(const RequestContext& context, const auto& request) {
    const StoredKey* const by = changes_.caller(context);
    changes_.change(context, request, [&]() -> Result<Answered> {
        if (!is_valid_name(request.name)) {
            return fail(Errc::invalid, in_quotes(request.name) +
                                           " is not a valid name: " + std::string{name_rule()});
        }
        if (by != nullptr && is_limited(*by) && !may_change_node(*by, request.name)) {
            return out_of_scope(*by, "pool", request.name);
        }
        if (by != nullptr && is_limited(*by) && sets_match(request)) {
            return fail(Errc::denied, "match may take nodes of other pools, and " + by->name +
                                          " is limited: ask with a key that is not");
        }
        return change_of(request, context.step.civil()).map([&](Answered&& answered) {
            for (Shared<StoredPool>& row : answered.change.template of<StoredPool>().put) {
                StoredPool own = *row;
                own.author = request.why.author;
                row = Shared<StoredPool>{std::move(own)};
            }
            return std::move(answered);
        });
    });
}

void PoolHandler::handle(const RequestContext& context, const PoolCreateRequest& request) {
    change(context, request);
}
void PoolHandler::handle(const RequestContext& context, const PoolSetRequest& request) {
    change(context, request);
}
void PoolHandler::handle(const RequestContext& context, const PoolRemoveRequest& request) {
    change(context, request);
}
void PoolHandler::handle(const RequestContext& context, const PoolPauseRequest& request) {
    change(context, request);
}
void PoolHandler::handle(const RequestContext& context, const PoolResumeRequest& request) {
    change(context, request);
}

Result<StoredPool> PoolHandler::known(const std::string& name) const {
    const StoredPool* const row = changes_.pools().find(name);
    if (row == nullptr) {
        return fail(Errc::not_found, "there is no definition of a pool " + in_quotes(name) +
                                         "; see 'muster pool list'");
    }
    return *row;
}

bool PoolHandler::has_nodes(const std::string& pool) const {
    bool has = false;
    changes_.pool_nodes().each([&](std::string_view /*name*/, const StoredPoolNode& row) {
        has = has || row.pool == pool;
    });
    return has;
}

Result<void> PoolHandler::check(StoredPool& pool) const {
    PoolSpec& spec = pool.spec;
    if (auto sound = check_numbers(spec); !sound) {
        return sound;
    }
    if (spec.provider != "none" && !std::ranges::binary_search(options_.providers, spec.provider)) {
        return wrong("provider", in_quotes(spec.provider),
                     "it is none, or a provider that the coordinator's configuration names: " +
                         listed(options_.providers));
    }
    if (auto schedule = Schedule::parse(spec.schedule); !schedule) {
        return fail(Errc::invalid, "schedule: " + schedule.error().detail);
    }
    if (spec.predictor == predictor_by_schedule && spec.schedule.empty()) {
        return fail(Errc::invalid,
                    "the predictor schedule needs a schedule, such as "
                    "'mon-fri 08:00 400'");
    }
    if (spec.predictor != predictor_by_schedule && !value_named<PredictorKind>(spec.predictor) &&
        !std::ranges::binary_search(options_.predictors, spec.predictor)) {
        return wrong(
            "predictor", in_quotes(spec.predictor),
            "it is conservative, trend, peak, seasonal or schedule, or a predictor that the "
            "coordinator's configuration names: " +
                listed(options_.predictors));
    }
    for (const std::string& name : spec.shadow) {
        if (!std::ranges::binary_search(options_.predictors, name)) {
            return wrong("shadow", in_quotes(name),
                         "it is a predictor that the coordinator's configuration names: " +
                             listed(options_.predictors));
        }
    }
    auto match = check_match(spec.match);
    if (!match) {
        return tl::unexpected{std::move(match.error())};
    }
    spec.match = std::move(*match);
    return {};
}

Result<Answered> PoolHandler::change_of(const PoolCreateRequest& request, CivilMs now) const {
    if (changes_.meta().schema < schema_of_pools) {
        return fail(Errc::refused, "the store has schema " +
                                       std::to_string(changes_.meta().schema) +
                                       ", which has no pools: 'muster upgrade finish' raises it");
    }
    if (changes_.pools().find(request.name) != nullptr) {
        return fail(Errc::exists, "pool " + in_quotes(request.name) +
                                      " is defined already; 'muster pool set' changes it");
    }
    if (const std::size_t count = changes_.pools().count().rows; count >= limits::demand_pools) {
        return fail(Errc::too_large, too_many(count + 1, "pools", limits::demand_pools));
    }
    StoredPool row{
        .name = request.name, .spec = changed(PoolSpec{}, request.changes), .since = now};
    if (auto sound = check(row); !sound) {
        return tl::unexpected{std::move(sound.error())};
    }
    return answer(std::move(row), "created");
}

Result<Answered> PoolHandler::change_of(const PoolSetRequest& request, CivilMs now) const {
    auto before = known(request.name);
    if (!before) {
        return tl::unexpected{std::move(before.error())};
    }
    StoredPool row = *before;
    row.spec = changed(before->spec, request.changes);
    if (auto sound = check(row); !sound) {
        return tl::unexpected{std::move(sound.error())};
    }
    if (row.spec.provider != before->spec.provider && has_nodes(row.name)) {
        return fail(Errc::conflict, "provider '" + before->spec.provider +
                                        "' has nodes for the pool: set min and max to 0 and wait "
                                        "until they are gone, then name another provider");
    }
    std::vector<std::string> fields;
    each_pool_member(row.spec, before->spec,
                     [&](const char* name, const auto& after, const auto& old) {
                         if (after != old) {
                             fields.emplace_back(name);
                         }
                     });
    if (fields.empty()) {
        return Answered{{},
                        PoolChangeReply{.counter = {}, .name = row.name, .action = "unchanged"}};
    }
    row.since = now;
    return answer(std::move(row), "changed", std::move(fields));
}

Result<Answered> PoolHandler::change_of(const PoolRemoveRequest& request, CivilMs /*now*/) const {
    auto before = known(request.name);
    if (!before) {
        return tl::unexpected{std::move(before.error())};
    }
    if (has_nodes(request.name)) {
        return fail(Errc::conflict, "provider '" + before->spec.provider +
                                        "' has nodes for the pool: set min and max to 0 and wait "
                                        "until they are gone");
    }
    Answered answered{{},
                      PoolChangeReply{.counter = {}, .name = request.name, .action = "removed"}};
    answered.change.of<StoredPool>().erased.push_back(request.name);
    if (changes_.seasons().find(request.name) != nullptr) {
        answered.change.of<StoredSeason>().erased.push_back(request.name);
    }
    return answered;
}

Result<Answered> PoolHandler::change_of(const PoolPauseRequest& request, CivilMs now) const {
    auto row = known(request.name);
    if (!row) {
        return tl::unexpected{std::move(row.error())};
    }
    if (row->paused) {
        return Answered{{},
                        PoolChangeReply{.counter = {}, .name = row->name, .action = "unchanged"}};
    }
    row->paused = true;
    row->since = now;
    return answer(*std::move(row), "paused");
}

Result<Answered> PoolHandler::change_of(const PoolResumeRequest& request, CivilMs now) const {
    auto row = known(request.name);
    if (!row) {
        return tl::unexpected{std::move(row.error())};
    }
    row->paused = false;
    row->since = now;  // Always a change: it also accepts the present listing.
    return answer(*std::move(row), "resumed");
}

}  // namespace muster::coordinator
