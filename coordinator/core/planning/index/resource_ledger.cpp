#include "coordinator/core/planning/index/resource_ledger.hpp"

#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

void ResourceLedger::set_offer(NodeIndex node, const Offer& offer) {
    const Allowance allowance = allowance_of(offer);
    if (raw(node) >= rooms_.size() && allowance == Allowance{}) {
        return;  // The default needs no entry.
    }
    room(node).allowance = allowance;
    ++falls_;
    counts_slots_ = counts_slots_ || offer.capacity.slots.has_value();
}

bool ResourceLedger::tracks(TaskIndex task, const Resources& request) const {
    return counts_slots_ || request.cpu_milli > 0 || request.memory_bytes > 0 ||
           (raw(task) < claims_.size() && !claims_[raw(task)].nodes.empty());
}

void ResourceLedger::set_claims(TaskIndex task, const Resources& request,
                                std::vector<NodeIndex> nodes) {
    Claims& claims = made_at(claims_, task);
    std::ranges::sort(nodes);
    std::ranges::sort(claims.nodes);
    if (claims.request == request && claims.nodes == nodes) {
        return;
    }
    const bool adds_only = claims.request == request && std::ranges::includes(nodes, claims.nodes);
    falls_ += adds_only ? 0U : 1U;
    for (const NodeIndex node : claims.nodes) {
        room(node).use.subtract(claims.request);
    }
    claims.request = request;
    claims.nodes = std::move(nodes);
    for (const NodeIndex node : claims.nodes) {
        room(node).use.add(request);
    }
}

void ResourceLedger::forget(TaskIndex task) {
    if (raw(task) < claims_.size()) {
        set_claims(task, Resources{.slots = 1}, {});
    }
}

void ResourceLedger::claim(TaskIndex task, NodeIndex node) {
    ensure(raw(task) < claims_.size(), "a task's claims are stated before they change");
    claims_[raw(task)].nodes.push_back(node);
    room(node).use.add(claims_[raw(task)].request);
}

void ResourceLedger::unclaim(TaskIndex task, NodeIndex node) {
    ensure(raw(task) < claims_.size(), "a task's claims are stated before they change");
    std::vector<NodeIndex>& nodes = claims_[raw(task)].nodes;
    const auto found = std::find(nodes.rbegin(), nodes.rend(), node);
    if (found == nodes.rend()) {
        return;  // A node that does not count has no claims.
    }
    std::swap(*found, nodes.back());
    nodes.pop_back();
    room(node).use.subtract(claims_[raw(task)].request);
    ++falls_;
}

Resources ResourceLedger::request_of(TaskIndex task) const {
    return raw(task) < claims_.size() ? claims_[raw(task)].request : Resources{.slots = 1};
}

Verdict ResourceLedger::judge(NodeIndex node, const Resources& request) const {
    return raw(node) < rooms_.size()
               ? judge_room(request, rooms_[raw(node)].allowance, rooms_[raw(node)].use)
               : Verdict::fits;
}

Use ResourceLedger::used(NodeIndex node) const {
    return raw(node) < rooms_.size() ? rooms_[raw(node)].use : Use{};
}

bool ResourceLedger::is_consistent() const {
    std::vector<Use> sums(rooms_.size());
    for (const Claims& claims : claims_) {
        for (const NodeIndex node : claims.nodes) {
            sums[raw(node)].add(claims.request);
        }
    }
    return std::ranges::equal(sums, rooms_, {}, {}, &Room::use);
}

}  // namespace muster::coordinator
