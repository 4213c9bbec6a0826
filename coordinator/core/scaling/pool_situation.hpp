#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/time.hpp"
#include "coordinator/core/pools/forecast/need_sample.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/core/scaling/providers.hpp"

namespace muster::coordinator {

/// A node of a pool: one that the provider has or was asked for, or that joined by itself.
struct PoolNode {
    StoredPoolNode row;         ///< Without an id or a request: no provider has it.
    bool is_provided = false;   ///< The row is stored.
    bool has_record = false;    ///< The coordinator knows a node of its name.
    bool is_known = false;      ///< It has joined this pool, and its record was not deleted.
    bool answers = false;       ///< Its agent is connected, or not lost.
    bool serves = false;        ///< It may get work.
    bool is_silent = false;     ///< It has missed polls. It may be lost, and that is not decided.
    bool counts = false;        ///< Its capacity is there: it is not lost, flaky or going.
    bool is_idle = false;       ///< It reports that nothing runs.
    bool is_active = true;      ///< As its intent says.
    bool is_own_drain = false;  ///< It drains because the pool wants it, and no operator.
    CivilMs lost_since{};       ///< 0: it is not lost.
    std::string elsewhere{};    ///< It serves in this other pool. Empty: it does not.
    Amount amount = 0;          ///< Its capacity, in the unit of the pool.
    std::string address{};      ///< Its label `address`. Empty: it has none.
    std::uint64_t instances = 0;

    /// It was asked for and has no name yet.
    [[nodiscard]] bool is_slot() const { return is_provided && row.id.empty(); }
};

/// `requested`, `active`, `draining`, `removing`; `fixed`: no provider has it.
[[nodiscard]] std::string_view state_of(const PoolNode& node);
/// The author of drains that a pool begins by itself.
[[nodiscard]] inline std::string author_of_drains(const std::string& pool) {
    return "pool " + pool;
}

/// Why the size of a pool is what it is. `code` is stable.
struct PoolDecision {
    CivilMs at{};
    std::string code;
    std::string detail;
    Amount demand = 0;
    Amount derived = 0;
    Amount wanted = 0;
    Amount capacity = 0;
    std::uint32_t nodes = 0;
    std::uint32_t up = 0;
    std::uint32_t down = 0;
};

/// All that one decision about a pool depends on.
struct PoolSituation {
    const StoredPool& pool;
    CivilMs now{};
    std::vector<PoolNode> nodes;  ///< By name.
    const Providers::Listing& listing;
    const std::set<std::string>& accepted;  ///< Nodes that may miss, as an operator said.
    std::set<std::string> foreign{};        ///< Listed nodes that the pool may not take.
    bool is_listing_current = true;         ///< False: the provider has failed to list since.
    /// The program that predicts has not answered yet, so no node goes because of the demand.
    bool is_predictor_awaited = false;
    /// Why nothing may be asked for and no drain may begin, with its code. Empty: it may.
    std::string hold_code{};
    std::string hold{};
    bool is_hold_alarm = false;
    Amount demand = 0;
    Amount derived = 0;
    Amount wanted = 0;
    Amount of_new_node = 1;
    bool is_new_node_known = true;  ///< Otherwise `of_new_node` is a guess.
    /// Why no more nodes are asked for at present. Empty: they may be.
    std::string shortage{};
    std::map<std::string, std::uint32_t> grants{};  ///< Answers of the provider, by request.
    std::string next_request{};                     ///< The id of a request that begins now.
};

/// What a decision changes.
struct PoolChange {
    std::vector<StoredPoolNode> put;
    std::vector<std::string> erased;
    std::vector<std::string> drained;     ///< Drains begin.
    std::vector<std::string> taken_back;  ///< Drains end.
    std::vector<std::string> gone;        ///< Their records end.
    PoolDecision decision;
    std::string alarm{};  ///< Why its membership is not to be trusted. Empty: it is.
    std::vector<std::pair<std::string, std::string>> events;  ///< Topics and details.

    [[nodiscard]] bool changes_rows() const {
        return !put.empty() || !erased.empty() || !drained.empty() || !taken_back.empty() ||
               !gone.empty();
    }
};

}  // namespace muster::coordinator
