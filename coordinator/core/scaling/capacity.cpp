#include "coordinator/core/scaling/capacity.hpp"

#include <algorithm>
#include <optional>

namespace muster::coordinator {

namespace {

/// What a node may have of which nothing is known.
Amount guess(PoolUnit unit) {
    switch (unit) {
        case PoolUnit::memory_mb: return 4'096;
        case PoolUnit::slots: return 1;
        case PoolUnit::cpu_milli: return 1'000;
    }
    return 1;
}

std::optional<Amount> stated(const Offer& offer, PoolUnit unit) {
    const auto left = [](std::uint64_t has, std::uint64_t reserved) {
        return has > reserved ? has - reserved : 0;
    };
    constexpr std::uint64_t megabyte = 1'000'000;
    switch (unit) {
        case PoolUnit::memory_mb:
            return offer.capacity.memory_bytes ? std::optional{left(*offer.capacity.memory_bytes,
                                                                    offer.reserved.memory_bytes) /
                                                               megabyte}
                                               : std::nullopt;
        case PoolUnit::slots:
            return offer.capacity.slots
                       ? std::optional<Amount>{left(*offer.capacity.slots, offer.reserved.slots)}
                       : std::nullopt;
        case PoolUnit::cpu_milli:
            return offer.capacity.cpu_milli
                       ? std::optional{left(*offer.capacity.cpu_milli, offer.reserved.cpu_milli)}
                       : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

Amount amount_of(const Offer& offer, const PoolSpec& spec) {
    const Amount usual = spec.node_amount > 0 ? spec.node_amount : guess(spec.unit);
    return std::min(stated(offer, spec.unit).value_or(usual), most_amount);
}

NewNode new_node(const PoolSpec& spec, const std::vector<PoolNode>& nodes) {
    if (spec.node_amount > 0) {
        return {.amount = spec.node_amount};
    }
    Amount most = 0;
    for (const PoolNode& node : nodes) {
        most = node.lost_since == CivilMs{} ? std::max(most, node.amount) : most;
    }
    return most > 0 ? NewNode{.amount = most}
                    : NewNode{.amount = guess(spec.unit), .is_known = false};
}

}  // namespace muster::coordinator
