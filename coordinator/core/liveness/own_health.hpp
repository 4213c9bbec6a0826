#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "common/base/time.hpp"

namespace muster::coordinator {

/// Whether the coordinator's own loop, store and sockets allow it to judge nodes (S10).
///
/// PollRounds counts no misses in a round in which our loop was late by half of its length. Such a
/// loop may be late again, so a late round raises `patience`: by one for each whole round of delay,
/// at least by one, up to 8. A node may miss `patience` times as many polls as usual. Each round in
/// time lowers `patience` by one.
class OwnHealth {
public:
    static constexpr std::uint32_t most = 8;

    explicit OwnHealth(Duration round) : round_{round} {}

    /// A step began this long after its deadline. True if that counts as late.
    bool was_late(Duration late) {
        if (late < round_ / 2) {
            return false;
        }
        worst_ = std::max(worst_, late);
        return true;
    }
    /// In the open round.
    [[nodiscard]] bool is_late() const { return worst_ > Duration::zero(); }
    void round_closed(Instant now) {
        degraded_reason_ = is_store_degraded(now)
                               ? "the store confirms nothing for more than a round"
                           : sockets_degraded_ ? "no file is left for new connections"
                                               : "";
        if (is_late()) {
            const auto rounds = std::clamp<std::int64_t>(worst_ / round_, 1, most);
            patience_ = std::min(most, patience_ + static_cast<std::uint32_t>(rounds));
        } else {
            patience_ = std::max(1U, patience_ - 1);
        }
        worst_ = Duration::zero();
    }
    /// The factor on the number of polls that a node may miss.
    [[nodiscard]] std::uint32_t patience() const { return patience_; }

    /// Notes the oldest write that the store has not confirmed; 0: there is none.
    void note_pending_write(Instant now, std::uint64_t number) {
        if (number != oldest_unconfirmed_) {
            oldest_unconfirmed_ = number;
            unconfirmed_since_ = now;
        }
    }
    void set_sockets_degraded(bool ill) { sockets_degraded_ = ill; }
    [[nodiscard]] bool is_store_degraded(Instant now) const {
        return oldest_unconfirmed_ != 0 && now > unconfirmed_since_ + round_;
    }
    /// True if missing answers may be our own fault.
    [[nodiscard]] bool is_degraded(Instant now) const {
        return sockets_degraded_ || is_store_degraded(now);
    }
    /// For people: what was ill when the last round closed. Empty: nothing.
    [[nodiscard]] std::string_view degraded_reason() const { return degraded_reason_; }

private:
    friend struct CoreFields;

    Duration round_;
    Duration worst_{};  // In the open round.
    std::uint32_t patience_ = 1;
    std::uint64_t oldest_unconfirmed_ = 0;
    Instant unconfirmed_since_{};
    bool sockets_degraded_ = false;
    std::string_view degraded_reason_;
};

}  // namespace muster::coordinator
