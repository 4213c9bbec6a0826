#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "common/crypto/key.hpp"
#include "coordinator/core/policies.hpp"

namespace muster::coordinator {

/// When silence is a loss, and how fast losses are decided.
struct LossOptions {
    std::uint32_t after = 10;  ///< Missed polls until a node is lost.
    /// Missed polls until a node is silent: at least 2, and fewer than `after`.
    std::uint32_t silent_after = 3;
    Duration departure_grace = 30s;  ///< A node that left becomes lost after this time.
    Duration max_lost = 24h;  ///< A lost node without placements is forgotten after this time.
    std::uint32_t rate_percent = 1;  ///< Nodes decided lost per round (at least 1), S9.
    std::uint32_t burst = 10;
};

struct CoordinatorOptions {
    Duration round = 1s;
    LossOptions loss{};
    Duration recovery_grace = 25s;  ///< See usual_recovery_grace().
    Duration lease = 30s;           ///< How long an exclusive instance runs without contact.
    Rebalance rebalance = Rebalance::automatic;
    /// An instance that the balance moved stays this long. A new leadership moves none before.
    Duration move_cooldown = 5min;
    bool stop_strays = false;    ///< False: they are listed and left alone.
    Duration max_flaky = 15min;  ///< The longest suspension; the first takes 30 s.
    FlakyTasks flaky_tasks = FlakyTasks::keep;
    bool listed_only = false;     ///< Only names that operators listed may join.
    bool keys = false;            ///< Agents must prove their names by keys.
    bool accept_pending = false;  ///< Hosts may ask to be admitted without a token.
    std::string version;
    std::size_t rows_of_step = 500;         ///< A change with more rows takes several steps.
    SecretKey order_key{};                  ///< Of the proofs of orders. None: there are no proofs.
    std::vector<std::string> providers{};   ///< Their names, sorted: calls may go to these alone.
    std::vector<std::string> predictors{};  ///< Likewise, besides those that are built in.
};

/// The time that a working node may need to find a new leadership, plus the polls until a node is
/// lost. An agent notices a broken connection after 6 s and tries again within 8 s; the handshake
/// takes up to 1 s.
[[nodiscard]] inline Duration usual_recovery_grace(const CoordinatorOptions& options) {
    constexpr Duration reconnected = 6s + 8s + 1s;
    return reconnected + options.round * options.loss.after;
}

}  // namespace muster::coordinator
