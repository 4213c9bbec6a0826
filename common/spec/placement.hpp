#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/base/names.hpp"
#include "common/base/time.hpp"
#include "common/spec/constraint.hpp"

/// Where instances may run: the rule of a task, and the offer of a node.
namespace muster {

/// For one instance, reserved on a node, or used on a node.
struct Resources {
    std::uint64_t cpu_milli = 0;  ///< 1,000 are one core.
    std::uint64_t memory_bytes = 0;
    std::uint32_t slots = 0;  ///< Counted places: 1 per instance, unless its task needs more.

    friend bool operator==(const Resources&, const Resources&) = default;
};

/// The size of a node. Nothing: unknown, so no bound.
struct Capacity {
    std::optional<std::uint64_t> cpu_milli;
    std::optional<std::uint64_t> memory_bytes;
    std::optional<std::uint32_t> slots;

    friend bool operator==(const Capacity&, const Capacity&) = default;
};

/// Which of two copies of an ordinal stays when nothing else decides: the older or the younger.
enum class Reconcile : std::uint8_t { original, replacement };
template <>
inline constexpr auto enum_names<Reconcile> = name_list("original", "replacement");

inline constexpr std::string_view default_pool = "default";

/// Where a task's instances are placed. Not part of its spec: agents never receive it, and a change
/// of it moves the instances that no longer fit but restarts no others.
struct PlacementRule {
    std::string pool{default_pool};
    std::vector<Constraint> constraints;  ///< All of them hold.
    Resources request{.slots = 1};        ///< Of each instance.
    std::string spread;                   ///< The label whose values share evenly, or none.
    std::string group;                    ///< Prefer nodes that last ran it. Empty: none.
    bool every_node = false;              ///< One instance on each node that fits.
    bool pinned = false;                  ///< Never moved for balance.
    std::int32_t priority = 0;            ///< The highest is placed first.
    Duration reschedule_after{};          ///< How long a lost node's instances wait for it.
    Reconcile reconcile = Reconcile::original;

    friend bool operator==(const PlacementRule&, const PlacementRule&) = default;
};

/// A node's offer when it joins.
struct Offer {
    Labels labels;
    std::string pool{default_pool};
    Capacity capacity;
    Resources reserved;  ///< For others: instances get capacity less this.

    friend bool operator==(const Offer&, const Offer&) = default;
};

/// The source of a host's capacity: its `configuration`, the `host`, its processor `affinity` or
/// its `cgroup`. Empty: unknown.
struct CapacityFrom {
    std::string cpu;
    std::string memory;

    friend bool operator==(const CapacityFrom&, const CapacityFrom&) = default;
};

/// Whether a host enforces one of the limits of tasks.
struct LimitFact {
    std::string limit;  ///< `cpu`, `memory`, `pids` or `sandbox`.
    bool enforced = false;
    std::string how;  ///< The means, such as `cgroup v2`; or why not. At most detail_bytes.

    friend bool operator==(const LimitFact&, const LimitFact&) = default;
};

/// A rule that is broken.
struct FieldFault {
    std::string_view field;  ///< `argv`, `instances`, ...
    std::string what;        ///< `is empty; ...`: the rest of a sentence after the field.
};

/// The first fault of the given checks.
template <class T>
[[nodiscard]] std::optional<FieldFault> first_fault(
    const T& value,
    std::initializer_list<std::optional<FieldFault> (*)(const std::type_identity_t<T>&)> checks) {
    for (const auto check : checks) {
        if (auto fault = check(value)) {
            return fault;
        }
    }
    return std::nullopt;
}

/// The first broken rule of a placement rule or an offer. All these rules are here.
[[nodiscard]] std::optional<FieldFault> fault_of(const PlacementRule& rule);
[[nodiscard]] std::optional<FieldFault> fault_of(const Offer& offer);

}  // namespace muster
