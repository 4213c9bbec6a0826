#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/time.hpp"
#include "coordinator/core/policies.hpp"

namespace muster::coordinator {

/// When silence is a loss, and how fast losses are decided.
struct LossOptions {
    std::uint32_t after = 10;        ///< Missed polls until a node is lost.
    std::uint32_t silent_after = 3;  ///< And until it is silent: at least 2, and fewer.
    Duration goodbye_grace = 30s;    ///< A node that said goodbye is lost that much later.
    Duration max_lost = 24h;         ///< A lost node without placements is forgotten then.
    std::uint32_t rate_percent = 1;  ///< Nodes decided lost per round (at least 1), S9.
    std::uint32_t burst = 10;
};

struct CoordinatorOptions {
    Duration round = 1s;
    LossOptions loss{};
    Duration recovery_grace = 25s;  ///< See usual_recovery_grace().
    Duration lease = 30s;           ///< That an exclusive instance runs without hearing of us.
    Rebalance rebalance = Rebalance::automatic;
    /// An instance moved for the balance stays that long, and a new leadership moves none before.
    Duration move_cooldown = 5min;
    bool stop_strays = false;    ///< Else they are listed and left alone.
    Duration max_flaky = 15min;  ///< The longest suspension; the first takes 30 s.
    FlakyTasks flaky_tasks = FlakyTasks::keep;
    bool listed_only = false;  ///< Only names that operators listed may join.
    std::string version;
    std::size_t rows_of_step = 500;  ///< Of a change: with more, it takes several steps.
};

/// As long as a node that is there may take to find a new leadership and to miss its polls: a
/// broken connection is noticed after 6 s, the next attempt comes within 8 s, and a second is for
/// the handshake.
[[nodiscard]] inline Duration usual_recovery_grace(const CoordinatorOptions& options) {
    constexpr Duration reconnected = 6s + 8s + 1s;
    return reconnected + options.round * options.loss.after;
}

}  // namespace muster::coordinator
