#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.hpp"

/// The limits that operators set for the whole cluster, while it runs.
namespace muster {

struct LimitListRequest {
    friend bool operator==(const LimitListRequest&, const LimitListRequest&) = default;
};
/// Without a value: as if nobody had set it.
struct LimitSetRequest {
    std::string name;
    std::optional<std::uint32_t> value{};

    friend bool operator==(const LimitSetRequest&, const LimitSetRequest&) = default;
};

struct LimitView {
    std::string name;  ///< starts_per_term | moves_per_term
    std::optional<std::uint32_t> value{};
    std::uint32_t least = 0;                 ///< That may be set.
    std::uint32_t used = 0;                  ///< In the running term.
    std::optional<std::uint32_t> applies{};  ///< What holds now; nothing: no bound.
    std::string detail{};

    friend bool operator==(const LimitView&, const LimitView&) = default;
};
struct LimitsReply {
    Generation counter{};
    bool dry_run = false;
    std::vector<LimitView> limits;

    friend bool operator==(const LimitsReply&, const LimitsReply&) = default;
};

}  // namespace muster
