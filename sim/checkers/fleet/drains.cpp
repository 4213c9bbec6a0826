#include "sim/checkers/fleet/drains.hpp"

#include <chrono>
#include <utility>

#include "sim/model/trace.hpp"

namespace muster::sim {

namespace {

constexpr int terms_of_grace = 3;  // To store that it has ended, after a pause too.

}  // namespace

void Drains::see(Instant, const LeadershipBegan& began) {
    drains_.clear();
    take(began.image);
}

void Drains::see(Instant, const Committed& committed) { take(committed.after); }

void Drains::see(Instant, const StoreReplaced& replaced) {
    drains_.clear();
    take(replaced.image);
}

void Drains::see(Instant now, const CivilTold& told) {
    const Duration ahead = std::chrono::milliseconds{raw(told.at) - raw(civil(now))};
    if (std::exchange(ahead_, ahead) == ahead) {
        return;
    }
    for (auto& [name, drain] : drains_) {
        drain.told = true;
    }
}

void Drains::take(const coordinator::StoreImage& image) {
    std::map<std::string, Drain> now;
    for (const coordinator::StoredIntent& row : image.intents) {
        if (row.intent == coordinator::Intent::draining && row.deadline != CivilMs{}) {
            const auto before = drains_.find(row.name);
            const bool same = before != drains_.end() && before->second.deadline == row.deadline;
            now[row.name] = same ? before->second : Drain{.deadline = row.deadline};
        }
    }
    drains_ = std::move(now);
}

void Drains::see(Instant now, const EventPublished& published) {
    const Event& event = published.event;
    if (event.topic == "term.closed") {
        close_term(now);
    } else if (event.topic == "node.drain_overdue") {
        if (const auto drain = drains_.find(event.name); drain != drains_.end()) {
            drain->second.told = true;
        }
        if (event.detail.find(": ") == std::string::npos) {
            violated("L5", "the drain of {} is overdue, and nothing is in its way: {}", event.name,
                     event.detail);
        }
    }
}

void Drains::close_term(Instant now) {
    for (auto& [name, drain] : drains_) {
        if (drain.told || civil(now + ahead_) <= drain.deadline || now == drain.counted) {
            continue;
        }
        drain.counted = now;  // After a pause, all that waited closes terms in one instant.
        if (++drain.terms > terms_of_grace) {
            violated("L5", "the drain of {} has neither ended nor said why", name);
        }
    }
}

}  // namespace muster::sim
