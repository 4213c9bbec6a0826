#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace muster::coordinator {

/// The causes that add to the flap score of a node.
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

/// All rows, in the order of FlapCause. docs/operations/nodes-and-maintenance.md shows them to
/// people.
[[nodiscard]] const std::array<Weight, flap_causes>& flap_weights();
[[nodiscard]] const Weight& weight_of(FlapCause cause);

/// The flap score of one node, its contributions, and how often the node was suspended.
///
/// The score halves every minute. A node that loses 5 % of its polls for ever stays near 120. A
/// node that answers but cannot spawn reaches the threshold with its fourth or fifth answer.
class FlapScore {
public:
    static constexpr std::uint32_t threshold = 1'000;
    static constexpr Duration half_life = 1min;
    static constexpr Duration first_suspension = 30s;
    static constexpr Duration quiet_period = 10min;

    struct Contribution {
        std::uint32_t times = 0;
        CivilMs last{};
    };

    /// Adds `weight` to the score. True if the score has reached the threshold.
    [[nodiscard]] bool add(Instant now, CivilMs civil, FlapCause cause, std::uint32_t weight);
    [[nodiscard]] std::uint32_t score(Instant now) const;
    [[nodiscard]] std::uint32_t repeats() const { return relapses_; }
    /// Contributions since the score last began at 0. After a suspension: what led to it.
    [[nodiscard]] const std::array<Contribution, flap_causes>& contributions() const {
        return contributions_;
    }

    /// Begins a suspension and returns its length: doubled with each earlier one, up to `most`. The
    /// score starts at 0 again.
    [[nodiscard]] Duration suspend(Instant now, CivilMs civil, Duration most);
    /// When the last suspension ends or ended; 0: there was none.
    [[nodiscard]] CivilMs suspended_until() const { return suspended_until_; }

private:
    friend struct CoreFields;

    void halve(Instant now);

    std::uint32_t score_ = 0;
    std::uint32_t relapses_ = 0;  // Suspensions so far that were not cleared.
    Instant since_{};             // The score is halved up to this time.
    CivilMs suspended_until_{};
    bool suspended_ = false;  // Suspended, and no contribution since.
    std::array<Contribution, flap_causes> contributions_{};
};

}  // namespace muster::coordinator
