#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/time.hpp"

/// Requests about pools: who needs how much of them.
namespace muster {

struct PoolNeedView {
    std::string pool;
    std::uint64_t amount = 0;  ///< In the unit of the pool, absolute.

    friend bool operator==(const PoolNeedView&, const PoolNeedView&) = default;
};

/// What a reporter, such as a load balancer, needs of some pools. It is repeated before its time is
/// over, because nobody stores it.
struct DemandSetRequest {
    std::string reporter;
    std::uint64_t life = 0;      ///< Higher after each start of the reporter,
    std::uint64_t sequence = 0;  ///< and with each request. Both 0: in the order of arrival.
    std::uint64_t ttl_ms = 10'000;
    std::vector<PoolNeedView> needs;  ///< 0 takes the reporter off the pool at once.

    friend bool operator==(const DemandSetRequest&, const DemandSetRequest&) = default;
};
struct DemandReply {
    bool newest = true;      ///< False: a newer one came before, and this has no effect.
    bool undefined = false;  ///< It names one pool, which has no definition.

    friend bool operator==(const DemandReply&, const DemandReply&) = default;
};

struct DemandListRequest {
    std::string pattern = "*";  ///< Of pools.

    friend bool operator==(const DemandListRequest&, const DemandListRequest&) = default;
};
struct DemandView {
    std::string pool;
    std::string reporter;
    std::uint64_t amount = 0;
    std::uint64_t ends_in_ms = 0;  ///< Unless it is repeated.

    friend bool operator==(const DemandView&, const DemandView&) = default;
};
struct DemandListReply {
    std::vector<DemandView> demand;

    friend bool operator==(const DemandListReply&, const DemandListReply&) = default;
};

struct PoolListRequest {
    std::string pattern = "*";

    friend bool operator==(const PoolListRequest&, const PoolListRequest&) = default;
};
/// A pool that has a definition or nodes, or that somebody needs some of.
struct PoolView {
    std::string name;
    std::uint32_t nodes = 0;
    std::uint32_t serving = 0;
    std::uint32_t draining = 0;
    std::uint64_t demand = 0;
    std::uint32_t reporters = 0;
    // With a definition:
    std::string provider{};      ///< Empty: it has none.
    std::uint64_t wanted = 0;    ///< Of the last decision,
    std::uint64_t capacity = 0;  ///< with nodes that were asked for.
    std::string reason{};        ///< The code of that decision.

    friend bool operator==(const PoolView&, const PoolView&) = default;
};
struct PoolListReply {
    std::vector<PoolView> pools;

    friend bool operator==(const PoolListReply&, const PoolListReply&) = default;
};

struct PoolForecastRequest {
    std::string name;

    friend bool operator==(const PoolForecastRequest&, const PoolForecastRequest&) = default;
};
/// One predictor: what it predicts, and how far it was off.
struct ForecastView {
    std::string predictor;
    std::uint64_t predicted = 0;
    std::uint64_t predictions = 0;  ///< Those whose time has come.
    std::uint64_t short_ones = 0;   ///< Of these, less than was needed then.
    std::uint64_t mean_over = 0;    ///< The mean of what was too much,
    std::uint64_t mean_under = 0;   ///< and of what was too little, over all of them.
    std::string trouble{};          ///< Why it expects nothing now, or fails. Empty: neither.

    friend bool operator==(const ForecastView&, const ForecastView&) = default;
};
struct NeedPoint {
    CivilMs at{};
    std::uint64_t need = 0;

    friend bool operator==(const NeedPoint&, const NeedPoint&) = default;
};
struct PoolForecastReply {
    std::string name;
    std::string active{};  ///< The predictor that decides. Empty: no definition.
    std::uint64_t need = 0;
    std::uint64_t ahead_ms = 0;            ///< Predicted is what will be needed after this time.
    std::vector<ForecastView> predictors;  ///< Empty: there is no sample yet.
    std::vector<NeedPoint> recent;         ///< The last hour.

    friend bool operator==(const PoolForecastReply&, const PoolForecastReply&) = default;
};

}  // namespace muster
