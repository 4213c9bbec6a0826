#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/time.hpp"
#include "coordinator/core/pools/forecast/need_sample.hpp"

namespace muster::coordinator {

/// How a pool may change, in nodes.
struct SizeLimits {
    std::uint32_t min = 0;
    std::uint32_t max = 1'000;
    std::uint32_t step = 20;   ///< At most so many are asked for, or drained, at once.
    Duration up_cooldown{};    ///< So long after it grew it does not grow.
    Duration down_cooldown{};  ///< So long after it changed it does not shrink.
};

/// What a pool has. Nodes that drain do not count.
struct Holding {
    std::uint32_t nodes = 0;  ///< Active ones, and those that were asked for and may still come.
    Amount capacity = 0;      ///< The sum of theirs.
    Amount of_new_node = 1;   ///< What one more would have. At least 1.
};

/// The reason of a change, or why there is none.
enum class SizeReason : std::uint8_t {
    enough,  ///< Less than a node is too much, and nothing is missing.
    need,    ///< What is wanted is more, or less, than there is.
    below_min,
    above_max,
    at_max,  ///< More is wanted than the pool may have.
    at_min,  ///< Less is wanted than the pool must have.
    up_cooldown,
    down_cooldown,
};
[[nodiscard]] std::string_view to_string(SizeReason reason);

struct Resize {
    std::uint32_t up = 0;    ///< So many more nodes,
    std::uint32_t down = 0;  ///< or fewer.
    SizeReason reason = SizeReason::enough;

    friend bool operator==(const Resize&, const Resize&) = default;
};

/// How many nodes a pool gets or loses, so that its capacity is what is wanted. It has a hysteresis
/// of one node: what is too much stays until a whole node is.
class Sizing {
public:
    /// `changed`: when the pool last changed, as far as it is known.
    explicit Sizing(const SizeLimits& limits, std::optional<Instant> changed = {})
        : limits_{limits}, grew_{changed}, changed_{changed} {}

    void set_limits(const SizeLimits& limits) { limits_ = limits; }

    /// The change that is wanted now.
    [[nodiscard]] Resize resize(Instant now, Amount wanted, const Holding& has) const;
    /// The pool got and lost so many nodes, so its cooldowns begin.
    void on_resized(Instant now, std::uint32_t up, std::uint32_t down);

private:
    friend struct CoreFields;

    [[nodiscard]] Resize wished(Amount wanted, const Holding& has) const;

    SizeLimits limits_;
    std::optional<Instant> grew_;
    std::optional<Instant> changed_;
};

}  // namespace muster::coordinator
