#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "common/spec/placement.hpp"

/// What rules a node out for an instance. Each filter is a pure function of integers and texts, the
/// same for placing, moving, explaining and asking what if.
namespace muster::coordinator {

/// What the filters say of one node, in the order in which they are asked. The name is the code
/// that operators see.
enum class Verdict : std::uint8_t {
    fits,
    not_serving,  ///< Of the node alone; why is a matter of its health and intent.
    pool,         ///< It is of another pool.
    label,        ///< A constraint is not met.
    cpu,          ///< Capacity less what is reserved and placed is less than is asked for.
    memory,
    slots,
    full,          ///< It has as many instances as a node may have.
    max_per_node,  ///< It has as many instances of this task as the task allows.
    has_copy,      ///< Another copy of this very instance is there.
    failed,        ///< The instance failed there, and is not tried there again.
};
inline constexpr std::size_t verdicts = 11;

/// The first constraint that the node does not meet; null if it meets all.
[[nodiscard]] const Constraint* unmet(const PlacementRule& rule, const std::string& node_name,
                                      const Offer& offer);
/// Pool and labels.
[[nodiscard]] Verdict judge_offer(const PlacementRule& rule, const std::string& node_name,
                                  const Offer& offer);

/// What the instances on a node may take of it together, in all.
struct Allowance {
    static constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t cpu_milli = unbounded;
    std::uint64_t memory_bytes = unbounded;
    std::uint64_t slots = unbounded;

    friend bool operator==(const Allowance&, const Allowance&) = default;
};
/// The capacity less what is reserved for others.
[[nodiscard]] Allowance allowance_of(const Offer& offer);

/// What they do take. Sums are of 64 bits: they hold 10,000 of the largest requests.
struct Use {
    std::uint64_t cpu_milli = 0;
    std::uint64_t memory_bytes = 0;
    std::uint64_t slots = 0;

    void add(const Resources& request);
    void take(const Resources& request);
    friend bool operator==(const Use&, const Use&) = default;
};
/// Resources. What is not asked for is not looked at: a node that is over its capacity in one
/// takes those that need none of it.
[[nodiscard]] Verdict judge_room(const Resources& request, const Allowance& allowance,
                                 const Use& use);

}  // namespace muster::coordinator

template <>
inline constexpr auto muster::enum_names<muster::coordinator::Verdict> =
    muster::name_list("fits", "not_serving", "pool", "label", "cpu", "memory", "slots", "full",
                      "max_per_node", "has_copy", "failed");
