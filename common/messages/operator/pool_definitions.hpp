#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/names.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator/intents.hpp"

/// Requests that define pools. A pool without a definition has nodes or demand, and no scaling.
namespace muster {

/// What capacity and demand of a pool are counted in.
enum class PoolUnit : std::uint8_t {
    memory_mb,
    slots,
    cpu_milli,  ///< Thousandths of a core.
};
template <>
inline constexpr auto enum_names<PoolUnit> = name_list("memory_mb", "slots", "cpu_milli");

struct PoolSpec {
    PoolUnit unit = PoolUnit::memory_mb;
    std::string provider =
        "none";  ///< Of the coordinator's configuration. `none`: nodes are fixed.
    std::string predictor = "conservative";
    std::uint32_t min = 0;  ///< Nodes.
    std::uint32_t max = 100;
    std::uint32_t step = 20;          ///< At most so many are asked for at once.
    std::uint32_t drain_budget = 20;  ///< At most so many drain at once.
    std::uint64_t node_amount = 0;    ///< What a new node will have. 0: what the present ones have.
    std::uint64_t arrive_within_ms = 300'000;  ///< A node that serves later is removed.
    std::uint64_t max_drain_ms = 50'000;       ///< Then a node is removed even if it still works.
    std::uint64_t up_cooldown_ms = 0;
    std::uint64_t down_cooldown_ms = 0;
    /// Demand that lasts longer is refused. So long a new leader waits for it.
    std::uint64_t demand_ttl_ms = 30'000;
    std::vector<std::string> schedule{};  ///< Lines such as `mon-fri 08:00 400`, of `schedule`.
    std::string zone = "UTC";             ///< Of the times in `schedule`.
    /// Predictor programs that run beside `predictor`, for the forecast.
    std::vector<std::string> shadow{};
    /// Constraints, such as `rack = r7`. A node that names no pool and meets all of them is in this
    /// one. None: no node is.
    std::vector<std::string> match{};

    friend bool operator==(const PoolSpec&, const PoolSpec&) = default;
};

/// The members of a PoolSpec that a request sets.
struct PoolChanges {
    std::optional<PoolUnit> unit{};
    std::optional<std::string> provider{};
    std::optional<std::string> predictor{};
    std::optional<std::uint32_t> min{};
    std::optional<std::uint32_t> max{};
    std::optional<std::uint32_t> step{};
    std::optional<std::uint32_t> drain_budget{};
    std::optional<std::uint64_t> node_amount{};
    std::optional<std::uint64_t> arrive_within_ms{};
    std::optional<std::uint64_t> max_drain_ms{};
    std::optional<std::uint64_t> up_cooldown_ms{};
    std::optional<std::uint64_t> down_cooldown_ms{};
    std::optional<std::uint64_t> demand_ttl_ms{};
    std::optional<std::vector<std::string>> schedule{};
    std::optional<std::string> zone{};
    std::optional<std::vector<std::string>> shadow{};
    std::optional<std::vector<std::string>> match{};

    friend bool operator==(const PoolChanges&, const PoolChanges&) = default;
};

/// Calls `use(name, member of the spec, member of the changes)` for each member of both.
void each_pool_member(auto& spec, auto& changes, auto&& use) {
    use("unit", spec.unit, changes.unit);
    use("provider", spec.provider, changes.provider);
    use("predictor", spec.predictor, changes.predictor);
    use("min", spec.min, changes.min);
    use("max", spec.max, changes.max);
    use("step", spec.step, changes.step);
    use("drain_budget", spec.drain_budget, changes.drain_budget);
    use("node_amount", spec.node_amount, changes.node_amount);
    use("arrive_within_ms", spec.arrive_within_ms, changes.arrive_within_ms);
    use("max_drain_ms", spec.max_drain_ms, changes.max_drain_ms);
    use("up_cooldown_ms", spec.up_cooldown_ms, changes.up_cooldown_ms);
    use("down_cooldown_ms", spec.down_cooldown_ms, changes.down_cooldown_ms);
    use("demand_ttl_ms", spec.demand_ttl_ms, changes.demand_ttl_ms);
    use("schedule", spec.schedule, changes.schedule);
    use("zone", spec.zone, changes.zone);
    use("shadow", spec.shadow, changes.shadow);
    use("match", spec.match, changes.match);
}
/// The spec with these changes.
[[nodiscard]] inline PoolSpec changed(PoolSpec spec, const PoolChanges& changes) {
    each_pool_member(spec, changes, [](const char* /*name*/, auto& member, const auto& change) {
        member = change.value_or(member);
    });
    return spec;
}
/// The changes that set all of it.
[[nodiscard]] inline PoolChanges all_of(const PoolSpec& spec) {
    PoolChanges changes;
    each_pool_member(spec, changes, [](const char* /*name*/, const auto& member, auto& change) {
        change = member;
    });
    return changes;
}

/// A pool that has no definition yet. What is not set has its default.
struct PoolCreateRequest {
    std::string name;
    PoolChanges changes{};
    Occasion why{};

    friend bool operator==(const PoolCreateRequest&, const PoolCreateRequest&) = default;
};
struct PoolSetRequest {
    std::string name;
    PoolChanges changes{};
    Occasion why{};

    friend bool operator==(const PoolSetRequest&, const PoolSetRequest&) = default;
};
/// Refused while a provider has nodes for it.
struct PoolRemoveRequest {
    std::string name;
    Occasion why{};

    friend bool operator==(const PoolRemoveRequest&, const PoolRemoveRequest&) = default;
};
/// No node is asked for and no drain begins until it is resumed.
struct PoolPauseRequest {
    std::string name;
    Occasion why{};

    friend bool operator==(const PoolPauseRequest&, const PoolPauseRequest&) = default;
};
/// It also accepts a listing of the provider that misses many nodes.
struct PoolResumeRequest {
    std::string name;
    Occasion why{};

    friend bool operator==(const PoolResumeRequest&, const PoolResumeRequest&) = default;
};
struct PoolChangeReply {
    Generation counter{};
    std::string name;
    std::string action;  ///< `created`, `changed`, `removed`, `paused`, `resumed`, `unchanged`.
    std::vector<std::string> fields{};  ///< Of its definition, as they were changed.

    friend bool operator==(const PoolChangeReply&, const PoolChangeReply&) = default;
};

struct PoolShowRequest {
    std::string name;

    friend bool operator==(const PoolShowRequest&, const PoolShowRequest&) = default;
};
/// A node of the pool, or one that was asked for.
struct PoolNodeView {
    std::string node;   ///< Empty: the provider has not named it yet.
    std::string state;  ///< `requested`, `active`, `draining`, `removing`; `fixed`: no provider's.
    std::string request{};     ///< The request that it came from. Empty: none.
    CivilMs since{};           ///< When the state began. 0: unknown.
    std::uint64_t amount = 0;  ///< Its capacity in the unit of the pool; 0: it counts for nothing.
    std::uint64_t instances = 0;  ///< That it reports.

    friend bool operator==(const PoolNodeView&, const PoolNodeView&) = default;
};
/// The last decision about the size of a pool.
struct PoolDecisionView {
    CivilMs at{};
    std::string reason;          ///< A code, such as `need`, `at_max` or `paused`.
    std::string detail;          ///< The same for people.
    std::uint64_t demand = 0;    ///< The sum of the adverts,
    std::uint64_t derived = 0;   ///< what the instances of its tasks need,
    std::uint64_t wanted = 0;    ///< and what was decided on: the prediction, or more.
    std::uint64_t capacity = 0;  ///< Of `nodes`, present and asked for.
    std::uint32_t nodes = 0;
    std::uint32_t up = 0;    ///< Nodes that were taken back or asked for,
    std::uint32_t down = 0;  ///< or that began to drain.

    friend bool operator==(const PoolDecisionView&, const PoolDecisionView&) = default;
};
struct PoolShowReply {
    std::string name;
    bool defined = false;
    bool paused = false;
    PoolSpec spec{};
    std::string author{};  ///< Of the last change of the definition.
    CivilMs since{};
    std::string alarm{};  ///< Why its membership is frozen. Empty: it is not.
    PoolDecisionView decision{};
    std::vector<PoolNodeView> nodes{};

    friend bool operator==(const PoolShowReply&, const PoolShowReply&) = default;
};

/// The nodes that serve, for whoever routes traffic to them.
struct PoolMembersRequest {
    std::string name;
    /// Of the last reply: the answer has what changed since, if that is known.
    std::uint64_t epoch = 0;
    std::uint64_t version = 0;

    friend bool operator==(const PoolMembersRequest&, const PoolMembersRequest&) = default;
};
struct PoolMemberView {
    std::string node;
    std::string address{};     ///< Its label `address`. Empty: it has none.
    std::uint64_t amount = 0;  ///< Its capacity in the unit of the pool.

    friend bool operator==(const PoolMemberView&, const PoolMemberView&) = default;
};
struct PoolMembersReply {
    std::string name;
    std::uint64_t epoch = 0;
    std::uint64_t version = 0;  ///< Higher with each change in the same epoch.
    /// 0: the reply has all members. Otherwise only the changes since this version: `left` are
    /// taken out of the list first, and `members` are added to its end. A node may be in both.
    std::uint64_t since = 0;
    std::vector<PoolMemberView> members{};  ///< In the order in which they began to serve.
    std::vector<std::string> left{};

    friend bool operator==(const PoolMembersReply&, const PoolMembersReply&) = default;
};

}  // namespace muster
