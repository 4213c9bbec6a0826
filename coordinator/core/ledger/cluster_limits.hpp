#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/messages/operator/intents.hpp"

namespace muster::coordinator {

/// One of the limits that operators set for the whole cluster.
struct ClusterLimit {
    std::string_view name;  ///< Also of the stored setting.
    std::uint32_t least;    ///< The least allowed value.
    std::string_view meaning;
};

inline constexpr ClusterLimit starts_per_round{
    "starts_per_round", 0, "instances that start in one round; none: all that are due"};
inline constexpr ClusterLimit moves_per_round{
    "moves_per_round", 1, "moves for the balance that begin in one round; none: 1 % of the nodes"};
inline constexpr std::array cluster_limits{&starts_per_round, &moves_per_round};

/// The limit that a request sets; an error if the limit is unknown or the value too low.
[[nodiscard]] Result<const ClusterLimit*> check(const LimitSetRequest& request);
[[nodiscard]] std::string limit_text(std::optional<std::uint32_t> value);
/// Nothing for `none`, and for a limit that was never set.
[[nodiscard]] std::optional<std::uint32_t> limit_from(std::string_view text);

}  // namespace muster::coordinator
