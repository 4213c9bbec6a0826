#include "coordinator/core/planning/index/filters.hpp"

#include <algorithm>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

namespace {

std::uint64_t less(std::uint64_t capacity, std::uint64_t reserved) {
    return capacity - std::min(capacity, reserved);
}

bool has_room(std::uint64_t asked, std::uint64_t allowed, std::uint64_t used) {
    return asked == 0 || (used <= allowed && asked <= allowed - used);
}

}  // namespace

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::fits: return "fits";
        case Verdict::not_serving: return "not_serving";
        case Verdict::pool: return "pool";
        case Verdict::label: return "label";
        case Verdict::cpu: return "cpu";
        case Verdict::memory: return "memory";
        case Verdict::slots: return "slots";
        case Verdict::full: return "full";
        case Verdict::max_per_node: return "max_per_node";
        case Verdict::has_copy: return "has_copy";
        case Verdict::failed: return "failed";
    }
    return "unknown";
}

const Constraint* unmet(const PlacementRule& rule, std::string_view node_name, const Offer& offer) {
    for (const Constraint& constraint : rule.constraints) {
        if (constraint.key == node_key) {
            const std::string name{node_name};
            if (!is_met(constraint, &name)) {
                return &constraint;
            }
            continue;
        }
        const auto label = offer.labels.find(constraint.key);
        if (!is_met(constraint, label == offer.labels.end() ? nullptr : &label->second)) {
            return &constraint;
        }
    }
    return nullptr;
}

Verdict judge_offer(const PlacementRule& rule, std::string_view node_name, const Offer& offer) {
    if (rule.pool != offer.pool) {
        return Verdict::pool;
    }
    return unmet(rule, node_name, offer) == nullptr ? Verdict::fits : Verdict::label;
}

Allowance allowance_of(const Offer& offer) {
    const Capacity& capacity = offer.capacity;
    Allowance allowance;
    if (capacity.cpu_milli) {
        allowance.cpu_milli = less(*capacity.cpu_milli, offer.reserved.cpu_milli);
    }
    if (capacity.memory_bytes) {
        allowance.memory_bytes = less(*capacity.memory_bytes, offer.reserved.memory_bytes);
    }
    if (capacity.slots) {
        allowance.slots = less(*capacity.slots, offer.reserved.slots);
    }
    return allowance;
}

void Use::add(const Resources& request) {
    cpu_milli += request.cpu_milli;
    memory_bytes += request.memory_bytes;
    slots += request.slots;
}

void Use::take(const Resources& request) {
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
