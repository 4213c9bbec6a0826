#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "common/spec/placement.hpp"

/// The filters that exclude a node for an instance. Each is a pure function of integers and texts;
/// placing, moving, explain and what-if plans use the same ones.
namespace muster::coordinator {

/// The result of the filters for one node, in the order in which they run. The name is the code
/// that operators see.
enum class Verdict : std::uint8_t {
    fits,
    not_serving,  ///< The health or intent of the node says why.
    pool,         ///< The node is in another pool.
    label,        ///< A constraint is not met.
    cpu,          ///< Capacity less what is reserved and placed is less than the request.
    memory,
    slots,
    full,          ///< The node has as many instances as a node may have.
    max_per_node,  ///< The node has as many instances of this task as the task allows.
    has_copy,      ///< Another copy of the same instance is there.
    failed,        ///< The instance failed there, and does not start there again.
    refused,       ///< The node refused to start it. It is tried again, each time later.
};
inline constexpr std::size_t verdicts = 12;

/// The first constraint that the node does not meet; null if it meets all.
[[nodiscard]] const Constraint* unmet(const PlacementRule& rule, const std::string& node_name,
                                      const Offer& offer);
/// Pool and labels.
[[nodiscard]] Verdict judge_offer(const PlacementRule& rule, const std::string& node_name,
                                  const Offer& offer);

/// The resources that all instances on a node may use together.
struct Allowance {
    static constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t cpu_milli = unbounded;
    std::uint64_t memory_bytes = unbounded;
    std::uint64_t slots = unbounded;

    friend bool operator==(const Allowance&, const Allowance&) = default;
};
/// The capacity less what is reserved for other uses.
[[nodiscard]] Allowance allowance_of(const Offer& offer);

/// The resources that they do use. Sums have 64 bits: enough for 10,000 of the largest requests.
struct Use {
    std::uint64_t cpu_milli = 0;
    std::uint64_t memory_bytes = 0;
    std::uint64_t slots = 0;

    void add(const Resources& request);
    void subtract(const Resources& request);
    friend bool operator==(const Use&, const Use&) = default;
};
/// Checks the resources. A resource that is not requested is not checked: a node over its capacity
/// in one resource still takes instances that do not need it.
[[nodiscard]] Verdict judge_room(const Resources& request, const Allowance& allowance,
                                 const Use& use);

}  // namespace muster::coordinator

template <>
inline constexpr auto muster::enum_names<muster::coordinator::Verdict> =
    muster::name_list("fits", "not_serving", "pool", "label", "cpu", "memory", "slots", "full",
                      "max_per_node", "has_copy", "failed", "refused");
