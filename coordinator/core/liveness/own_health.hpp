#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "common/base/time.hpp"

namespace muster::coordinator {

/// Whether our own time, store and sockets allow us to judge others (S10).
///
/// A round in which our loop was late by half of its length is not counted against anybody: Rounds
/// sees to that. Such a loop may be late again, so for each late round, and for each whole round
/// that it was late by, a node may miss as many polls more as make one lost; up to 8 times as many.
/// Each round in time takes one of these back.
class OwnHealth {
public:
    static constexpr std::uint32_t most = 8;

    explicit OwnHealth(Duration round) : round_{round} {}

    /// Something was done so late after its time. True if that is late.
    bool was_late(Duration late) {
        if (late < round_ / 2) {
            return false;
        }
        worst_ = std::max(worst_, late);
        return true;
    }
    /// In the running round.
    [[nodiscard]] bool is_late() const { return worst_ > Duration::zero(); }
    void round_closed(Instant now) {
        degraded_reason_ = is_store_ill(now) ? "the store confirms nothing for more than a round"
                           : sockets_ill_    ? "no file is left for new connections"
                                             : "";
        if (is_late()) {
            const auto rounds = std::clamp<std::int64_t>(worst_ / round_, 1, most);
            patience_ = std::min(most, patience_ + static_cast<std::uint32_t>(rounds));
        } else {
            patience_ = std::max(1U, patience_ - 1);
        }
        worst_ = Duration::zero();
    }
    /// So many times the polls that make a node lost at other times.
    [[nodiscard]] std::uint32_t patience() const { return patience_; }

    /// The oldest write that the store has not confirmed; 0: there is none.
    void note_pending_write(Instant now, std::uint64_t number) {
        if (number != owed_) {
            owed_ = number;
            owed_since_ = now;
        }
    }
    void sockets_are(bool ill) { sockets_ill_ = ill; }
    [[nodiscard]] bool is_store_ill(Instant now) const {
        return owed_ != 0 && now > owed_since_ + round_;
    }
    /// What we do not hear, we may be deaf to.
    [[nodiscard]] bool is_ill(Instant now) const { return sockets_ill_ || is_store_ill(now); }
    /// For people: of the last round that closed, what was ill. Empty: nothing.
    [[nodiscard]] std::string_view degraded_reason() const { return degraded_reason_; }

private:
    friend struct CoreFields;

    Duration round_;
    Duration worst_{};  // In the running round.
    std::uint32_t patience_ = 1;
    std::uint64_t owed_ = 0;
    Instant owed_since_{};
    bool sockets_ill_ = false;
    std::string_view degraded_reason_;
};

}  // namespace muster::coordinator
