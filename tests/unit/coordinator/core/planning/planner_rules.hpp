#pragma once

#include <cstdint>
#include <string>

#include "common/spec/placement.hpp"

/// One-line builders for requirements of tasks and offers of nodes.
namespace muster::coordinator::test {

inline PlacementRule rule_with(const std::string& constraint) {
    PlacementRule rule;
    rule.constraints.push_back(*parse_constraint(constraint));
    return rule;
}

inline Offer with_slots(std::uint32_t slots) {
    Offer offer;
    offer.capacity.slots = slots;
    return offer;
}

}  // namespace muster::coordinator::test
