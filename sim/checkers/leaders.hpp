#pragma once

#include <algorithm>
#include <map>
#include <optional>

#include "sim/checkers/checker.hpp"
#include "sim/model/options.hpp"

namespace muster::sim {

/// S4, S5 and L2 of several coordinators: no two act in one epoch, nobody acts or writes once a
/// later leader has the lead, and somebody leads soon after the last fault of the election.
class Leaders : public Checker {
public:
    void on(Instant, const LeaderKeyMade& made) {
        if (made.epoch <= newest_) {
            violated("S4", "epoch {} was given after {}", raw(made.epoch), raw(newest_));
        }
        last_ = std::max(last_, made.epoch);
        holder_ = made.control;
        newest_ = std::max(newest_, last_);
    }

    void on(Instant, const EtcdWritten& written) {
        if (written.epoch != last_) {
            violated("S4", "a write of epoch {} took effect in epoch {}", raw(written.epoch),
                     raw(last_));
        }
    }

    void on(Instant, const CoordinatorActed& acted) {
        const auto [at, is_first] = actors_.emplace(acted.epoch, acted.control);
        if (!is_first && at->second != acted.control) {
            violated("S5", "two coordinators acted in epoch {}", raw(acted.epoch));
        }
        // Whoever accepts a store raises the epoch in which it leads.
        const bool may_have_raised = acted.epoch > last_ && acted.control == holder_;
        newest_ = std::max(newest_, may_have_raised ? acted.epoch : newest_);
        if (acted.epoch != last_ && !may_have_raised) {
            violated("S5", "a coordinator acted in epoch {} after epoch {} began", raw(acted.epoch),
                     raw(last_));
        }
    }

    void on(Instant, const LeadershipBegan& began) { leads_ = began.control; }

    void on(Instant now, const CoordinatorEnded& ended) {
        if (leads_ == ended.control) {
            leads_.reset();
        }
        disturbed_ = now;
    }

    void on(Instant, const CoordinatorResumed& resumed) { leads_ = resumed.control; }

    void on(Instant now, const ElectionDisturbed&) { disturbed_ = now; }

    void on(Instant now, const EtcdReached&) {
        constexpr Duration soon = election_lease + 2s;
        if (!leads_ && now > disturbed_ + soon) {
            violated("L2", "nobody has led for {} ms, though etcd works", to_ms(now - disturbed_));
            disturbed_ = now;
        }
    }

private:
    Epoch last_{};              ///< Of the key of the leader,
    std::uint32_t holder_ = 0;  ///< and whose it is.
    Epoch newest_{};            ///< The highest that any coordinator acted in.
    std::map<Epoch, std::uint32_t> actors_;
    std::optional<std::uint32_t> leads_;  ///< Who acts.
    Instant disturbed_ = origin;
};

}  // namespace muster::sim
