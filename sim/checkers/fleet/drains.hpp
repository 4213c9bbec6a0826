#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "sim/checkers/checker.hpp"
#include "sim/model/trace.hpp"

namespace muster::sim {

/// L5: by its deadline a drain ends or says what blocks it. Without a running coordinator nothing
/// is expected; a leading one reports within a few rounds. A drain that began before the
/// coordinator's clock jumped is not judged.
class Drains : public Checker {
public:
    void on(Instant, const LeadershipBegan& began) {
        drains_.clear();
        on_image(began.image);
    }

    void on(Instant, const Committed& committed) { on_image(committed.after); }

    void on(Instant, const StoreReplaced& replaced) {
        drains_.clear();
        on_image(replaced.image);
    }

    /// The end of a drain is a write, which etcd delays.
    void on(Instant, const ElectionDisturbed&) {
        for (auto& [name, drain] : drains_) {
            drain.rounds = 0;
        }
    }

    void on(Instant now, const CivilClockRead& reported) {
        const Duration ahead = std::chrono::milliseconds{raw(reported.at) - raw(civil(now))};
        if (std::exchange(ahead_, ahead) == ahead) {
            return;
        }
        for (auto& [name, drain] : drains_) {
            drain.reported = true;
        }
    }

    void on(Instant now, const EventPublished& published) {
        const Event& event = published.event;
        if (event.topic == "round.closed") {
            close_round(now);
        } else if (event.topic == "node.drain_overdue") {
            if (const auto drain = drains_.find(event.name); drain != drains_.end()) {
                drain->second.reported = true;
            }
            if (event.detail.find(": ") == std::string::npos) {
                violated("L5", "the drain of {} is overdue, and nothing is in its way: {}",
                         event.name, event.detail);
            }
        }
    }

private:
    static constexpr int rounds_of_grace = 3;  // To store its end, also after a pause.

    struct Drain {
        CivilMs deadline{};
        bool reported = false;  ///< Reported overdue, or not judged.
        int rounds = 0;         ///< Rounds that closed since the deadline, at most one per instant.
        Instant counted{};      ///< When the last of them closed.
    };

    void on_image(const coordinator::StoreImage& image) {
        std::map<std::string, Drain> now;
        for (const coordinator::StoredIntent& row : image.intents) {
            if (row.intent == coordinator::Intent::draining && row.deadline != CivilMs{}) {
                const auto before = drains_.find(row.name);
                const bool same =
                    before != drains_.end() && before->second.deadline == row.deadline;
                now[row.name] = same ? before->second : Drain{.deadline = row.deadline};
            }
        }
        drains_ = std::move(now);
    }

    void close_round(Instant now) {
        for (auto& [name, drain] : drains_) {
            if (drain.reported || civil(now + ahead_) <= drain.deadline || now == drain.counted) {
                continue;
            }
            drain.counted = now;  // After a pause, rounds may close in one instant.
            if (++drain.rounds > rounds_of_grace) {
                violated("L5", "the drain of {} has neither ended nor said why", name);
            }
        }
    }

    Duration ahead_{};                     ///< Of the coordinator's clock.
    std::map<std::string, Drain> drains_;  ///< Drains with a deadline.
};

}  // namespace muster::sim
