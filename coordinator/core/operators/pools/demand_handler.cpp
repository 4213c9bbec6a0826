#include "coordinator/core/operators/pools/demand_handler.hpp"

#include <string>
#include <utility>

#include "common/base/limits.hpp"
#include "coordinator/core/ledger/scope.hpp"

namespace muster::coordinator {

namespace {

Result<void> check_demand(const DemandSetRequest& request) {
    const Duration ttl = std::chrono::milliseconds{static_cast<std::int64_t>(
        std::min<std::uint64_t>(request.ttl_ms, 2 * to_ms(limits::demand_ttl_most)))};
    if (ttl < limits::demand_ttl_least || ttl > limits::demand_ttl_most) {
        return fail(Errc::invalid, "ttl_ms is " + std::to_string(request.ttl_ms) +
                                       "; demand lasts from " +
                                       std::to_string(to_ms(limits::demand_ttl_least)) + " to " +
                                       std::to_string(to_ms(limits::demand_ttl_most)) + " ms");
    }
    for (const PoolNeedView& need : request.needs) {
        if (need.amount > most_amount) {
            return fail(Errc::invalid, "of pool '" + need.pool + "' " +
                                           std::to_string(need.amount) +
                                           " is wanted; an amount is a whole number from 0 to " +
                                           std::to_string(most_amount));
        }
    }
    return {};
}

Advert advert_of(const DemandSetRequest& request) {
    Advert advert{.reporter = request.reporter,
                  .life = request.life,
                  .sequence = request.sequence,
                  .lasts = std::chrono::milliseconds{request.ttl_ms},
                  .needs = {}};
    advert.needs.reserve(request.needs.size());
    for (const PoolNeedView& need : request.needs) {
        advert.needs.push_back({need.pool, need.amount});
    }
    return advert;
}

}  // namespace

void DemandHandler::handle(const RequestContext& context, const DemandSetRequest& request) {
    context.reply(
        take(context, request).map([](const DemandReply& reply) { return ReplyBody{reply}; }));
}

Result<DemandReply> DemandHandler::take(const RequestContext& context,
                                        const DemandSetRequest& request) {
    if (auto sound = check_demand(request); !sound) {
        return tl::unexpected{std::move(sound.error())};
    }
    const StoredKey* const by = changes_.caller(context);
    const bool lasts_long = request.ttl_ms > changes_.pools().count().shortest_ttl_ms();
    for (const PoolNeedView& need : request.needs) {
        if (by != nullptr && is_limited(*by) && !may_change_node(*by, need.pool)) {
            return out_of_scope(*by, "pool", need.pool);
        }
        const StoredPool* const pool = lasts_long ? changes_.pools().find(need.pool) : nullptr;
        if (pool != nullptr && request.ttl_ms > pool->spec.demand_ttl_ms) {
            return fail(Errc::invalid, "ttl_ms is " + std::to_string(request.ttl_ms) +
                                           ", but demand of pool '" + need.pool +
                                           "' lasts at most " +
                                           std::to_string(pool->spec.demand_ttl_ms) +
                                           " ms; 'muster pool set' changes its demand_ttl_ms");
        }
    }
    Advert advert = advert_of(request);
    if (by != nullptr && is_limited(*by)) {
        // Its reporters are others than those of the same name of everybody else.
        advert.reporter = by->name + '/' + request.reporter;
    }
    const auto newest = demand_.take(context.step.now, advert);
    if (!newest) {
        return tl::unexpected{newest.error()};
    }
    // Programs name many pools, and each second. A person names one.
    const bool is_of_one = request.needs.size() == 1 && request.needs.front().amount > 0;
    const bool is_undefined =
        is_of_one && changes_.pools().find(request.needs.front().pool) == nullptr;
    return DemandReply{.newest = *newest, .undefined = is_undefined};
}

}  // namespace muster::coordinator
