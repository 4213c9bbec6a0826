#include "coordinator/core/scaling/resizing.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "common/base/limits.hpp"
#include "coordinator/core/scaling/members.hpp"

namespace muster::coordinator {

namespace {

bool is_draining(const PoolNode& node) {
    return node.is_provided && node.row.state == PoolNodeState::draining;
}

bool is_going(const PoolNode& node) {
    return node.is_provided &&
           (node.row.state == PoolNodeState::draining || node.row.state == PoolNodeState::removing);
}

}  // namespace

Resizing::Resizing(PoolSituation& at, PoolChange& change) : at_{at}, change_{change} {
    for (const PoolNode& node : at_.nodes) {
        const bool is_coming = node.is_provided && node.row.state == PoolNodeState::requested;
        if (node.counts && !is_going(node)) {
            ++has_.nodes;
            has_.capacity += node.amount;
            real_nodes_ += node.is_silent ? 0U : 1U;
            real_ += node.is_silent ? 0 : node.amount;
        } else if (is_coming) {
            ++has_.nodes;
            has_.capacity += at_.of_new_node;
        }
        coming_ += is_coming ? 1U : 0U;
        draining_ += is_draining(node) ? 1U : 0U;
    }
    has_.of_new_node = at_.of_new_node;
}

void Resizing::grow(std::uint32_t count) {
    std::vector<PoolNode*> back;
    for (PoolNode& node : at_.nodes) {
        if (is_draining(node) && node.answers && node.is_own_drain) {
            back.push_back(&node);
        }
    }
    std::ranges::sort(back, [](const PoolNode* a, const PoolNode* b) {
        return std::tie(a->row.since, a->row.name) > std::tie(b->row.since, b->row.name);
    });
    for (PoolNode* const node : back) {
        if (count == 0) {
            break;
        }
        node->row.state = PoolNodeState::active;
        node->row.since = at_.now;
        change_.put.push_back(node->row);
        change_.taken_back.push_back(node->row.name);
        has_.capacity += node->amount;
        ++has_.nodes;
        // One that came back may have more than a new one would.
        count = std::min(count - 1, missing());
    }
    lacks_ = count > 0 && !at_.shortage.empty();
    count = lacks_ ? 0 : count;
    for (std::uint32_t at = 1; at <= count; ++at) {
        change_.put.push_back({.name = at_.next_request + "/" + std::to_string(at),
                               .pool = at_.pool.name,
                               .provider = at_.pool.spec.provider,
                               .request = at_.next_request,
                               .since = at_.now,
                               .of_request = count});
    }
    change_.decision.up = count + static_cast<std::uint32_t>(change_.taken_back.size());
    if (!change_.taken_back.empty()) {
        change_.events.emplace_back("pool.returned",
                                    some_of(change_.taken_back) + ": drained, needed again");
    }
    if (count > 0) {
        change_.events.emplace_back("pool.requested", std::to_string(count) +
                                                          (count == 1 ? " node" : " nodes") +
                                                          ", request " + at_.next_request + ": " +
                                                          std::to_string(at_.wanted) + " wanted, " +
                                                          std::to_string(has_.capacity) + " there");
    }
}

void Resizing::shrink(std::uint32_t count) {
    std::vector<PoolNode*> candidates;
    for (PoolNode& node : at_.nodes) {
        if (node.is_provided && node.row.state == PoolNodeState::active && node.is_active &&
            node.counts && !node.is_silent) {
            candidates.push_back(&node);
        }
    }
    std::ranges::sort(candidates, [](const PoolNode* a, const PoolNode* b) {
        return std::tuple{a->instances, raw(b->row.since), b->row.name} <
               std::tuple{b->instances, raw(a->row.since), a->row.name};
    });
    const PoolSpec& spec = at_.pool.spec;
    for (PoolNode* const node : candidates) {
        if (count == 0 || draining_ >= spec.drain_budget || real_nodes_ <= spec.min) {
            break;
        }
        // Those that were asked for may not come, so they make none of the others superfluous.
        const bool is_above_max = real_nodes_ > spec.max;
        if (!is_above_max && real_ < at_.wanted + node->amount) {
            continue;
        }
        node->row.state = PoolNodeState::draining;
        node->row.since = at_.now;
        change_.put.push_back(node->row);
        change_.drained.push_back(node->row.name);
        real_ -= node->amount;
        --real_nodes_;
        --has_.nodes;
        ++draining_;
        --count;
    }
    change_.decision.down = static_cast<std::uint32_t>(change_.drained.size());
    if (!change_.drained.empty()) {
        change_.events.emplace_back("pool.draining", some_of(change_.drained) + ": " +
                                                         std::to_string(at_.wanted) + " wanted, " +
                                                         std::to_string(has_.capacity) + " there");
    }
}

std::uint32_t Resizing::missing() const {
    const Amount lacks = at_.wanted > has_.capacity ? at_.wanted - has_.capacity : 0;
    const std::uint32_t min = at_.pool.spec.min;
    const Amount for_min = min > has_.nodes ? min - has_.nodes : 0;
    return static_cast<std::uint32_t>(std::min<Amount>(
        std::max((lacks + at_.of_new_node - 1) / at_.of_new_node, for_min), limits::pool_nodes));
}

}  // namespace muster::coordinator
