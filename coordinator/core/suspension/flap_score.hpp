#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace muster::coordinator {

/// What counts against a node.
enum class FlapCause : std::uint8_t {
    missed_poll,
    reconnect,
    refused_commands,
    ignored_commands,
    spawn_failing,
    journal_failing,
    bad_report,
    claimed_instance,
    vanished_instance,
};
inline constexpr std::size_t flap_causes = 9;

/// One row of the table of weights.
struct Weight {
    FlapCause cause{};
    std::string_view name;
    std::uint32_t weight = 0;
    std::string_view meaning;
};

/// All there are, in the order of FlapCause. docs/operations/nodes-and-maintenance.md
/// shows them to people.
[[nodiscard]] const std::array<Weight, flap_causes>& flap_weights();
[[nodiscard]] const Weight& weight_of(FlapCause cause);

/// Of one node: its score, what fed it, and how often it was suspended.
///
/// The score halves with every minute. A node that loses 5 % of its polls for ever stays near 120;
/// one that answers but cannot spawn reaches the threshold with its fourth answer, or fifth.
class FlapScore {
public:
    static constexpr std::uint32_t threshold = 1'000;
    static constexpr Duration half_life = 1min;
    static constexpr Duration first_penalty = 30s;
    static constexpr Duration good_conduct = 10min;

    struct Contribution {
        std::uint32_t times = 0;
        CivilMs last{};
    };

    /// Counts it, by so much. True if the score has reached the threshold.
    [[nodiscard]] bool add(Instant now, CivilMs civil, FlapCause cause, std::uint32_t weight);
    [[nodiscard]] std::uint32_t score(Instant now) const;
    [[nodiscard]] std::uint32_t relapses() const { return relapses_; }
    /// What fed the score since it last began at 0: after a penalty, what led to it.
    [[nodiscard]] const std::array<Contribution, flap_causes>& contributions() const {
        return contributions_;
    }

    /// A penalty begins, and lasts so long: doubled with each one before it, up to `most`. The
    /// score starts anew.
    [[nodiscard]] Duration suspend(Instant now, CivilMs civil, Duration most);
    /// When the last suspension ends or ended; 0: there was none.
    [[nodiscard]] CivilMs suspended_until() const { return penalty_ends_; }

private:
    friend struct CoreFields;

    void halve(Instant now);

    std::uint32_t score_ = 0;
    std::uint32_t relapses_ = 0;  // Penalties so far that are not forgiven.
    Instant since_{};             // Halved up to here.
    CivilMs penalty_ends_{};
    bool suspended_ = false;  // Nothing was fed since.
    std::array<Contribution, flap_causes> contributions_{};
};

}  // namespace muster::coordinator
