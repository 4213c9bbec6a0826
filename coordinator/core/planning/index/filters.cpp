#include "coordinator/core/planning/index/filters.hpp"

#include <algorithm>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

namespace {

bool has_room(std::uint64_t needed, std::uint64_t allowed, std::uint64_t used) {
    return needed == 0 || (used <= allowed && needed <= allowed - used);
}

}  // namespace

const Constraint* unmet(const PlacementRule& rule, const std::string& node_name,
                        const Offer& offer) {
    const auto value_of = [&](const std::string& key) {
        const auto label = offer.labels.find(key);
        const auto* const value = label == offer.labels.end() ? nullptr : &label->second;
        return key == node_key ? &node_name : value;
    };
    const auto found = std::ranges::find_if(rule.constraints, [&](const Constraint& constraint) {
        return !is_met(constraint, value_of(constraint.key));
    });
    return found == rule.constraints.end() ? nullptr : &*found;
}

Verdict judge_offer(const PlacementRule& rule, const std::string& node_name, const Offer& offer) {
    if (rule.pool != offer.pool) {
        return Verdict::pool;
    }
    return unmet(rule, node_name, offer) == nullptr ? Verdict::fits : Verdict::label;
}

Allowance allowance_of(const Offer& offer) {
    const auto left = [](const auto& capacity, std::uint64_t reserved) {
        return capacity ? *capacity - std::min<std::uint64_t>(*capacity, reserved)
                        : Allowance::unbounded;
    };
    const Capacity& capacity = offer.capacity;
    const Resources& reserved = offer.reserved;
    return {left(capacity.cpu_milli, reserved.cpu_milli),
            left(capacity.memory_bytes, reserved.memory_bytes),
            left(capacity.slots, reserved.slots)};
}

void Use::add(const Resources& request) {
    cpu_milli += request.cpu_milli;
    memory_bytes += request.memory_bytes;
    slots += request.slots;
}

void Use::subtract(const Resources& request) {
    ensure(cpu_milli >= request.cpu_milli && memory_bytes >= request.memory_bytes &&
               slots >= request.slots,
           "what is taken back was in use");
    cpu_milli -= request.cpu_milli;
    memory_bytes -= request.memory_bytes;
    slots -= request.slots;
}

Verdict judge_room(const Resources& request, const Allowance& allowance, const Use& use) {
    if (!has_room(request.cpu_milli, allowance.cpu_milli, use.cpu_milli)) {
        return Verdict::cpu;
    }
    if (!has_room(request.memory_bytes, allowance.memory_bytes, use.memory_bytes)) {
        return Verdict::memory;
    }
    if (!has_room(request.slots, allowance.slots, use.slots)) {
        return Verdict::slots;
    }
    return Verdict::fits;
}

}  // namespace muster::coordinator
