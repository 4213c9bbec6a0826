#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "sim/checkers/fleet/leaving.hpp"

namespace muster::sim {

/// S11: until every awaited node has reported or the grace is over, a new leadership declares no
/// node lost and leaves instances of older generations alone. Exception: old copies of a task that
/// was changed since may be stopped. A connected node never becomes lost before this leadership
/// polled it `lost_after` times, or `silent_after` times once an operator ended a freeze.
class RecoveryGrace : public Checker {
public:
    void on(Instant now, const LeadershipBegan& began) {
        grace_ends_ = now + began.recovery_grace;
        silent_after_ = began.silent_after;
        lost_after_ = began.lost_after;
        is_given_up_ = false;
        epoch_ = began.image.meta.epoch;
        held_back_ = began.image.meta.counter;
        changed_.clear();
        routes_.clear();
        awaited_.clear();
        for (const coordinator::StoredNode& node : began.image.nodes) {
            if (!node.lost && !node.gone) {
                awaited_.insert(node.name);
            }
        }
    }

    void on(Instant, const Committed& committed) {
        epoch_ = committed.after.meta.epoch;
        for (const coordinator::Persist& persist : committed.persists) {
            on_persist(persist);
        }
    }

    void on(Instant now, const BatchIssued& issued) {
        if (is_over(now)) {
            return;
        }
        for (const Start& start : issued.batch.starts) {
            if (start.generation <= held_back_) {
                violated("S11", "{} was started in recovery", to_string(start.id));
            }
        }
        for (const Stop& stop : issued.batch.stops) {
            if (stop.generation <= held_back_ && !changed_.contains(stop.id.task)) {
                violated("S11", "{} was stopped in recovery", to_string(stop.id));
            }
        }
    }

    void on(Instant, const WelcomeIssued& welcome) {
        auto& route = routes_[welcome.host];
        route.name = welcome.name;
        route.is_open = true;
    }

    void on(Instant, const RouteClosed& closed) { routes_[closed.host].is_open = false; }

    void on(Instant, const PollIssued& issued) { ++routes_[issued.host].polls; }

    void on(Instant now, const EventPublished& published) {
        if (published.event.topic == "freeze.ended") {
            is_given_up_ = !published.event.detail.starts_with("fewer than ");
        }
        if (published.event.topic == "node.left") {  // Perhaps its key ended, not its connection.
            for (auto& [host, route] : routes_) {
                route.is_open = route.is_open && route.name != published.event.name;
            }
        }
        if (published.event.topic != "node.lost") {
            return;
        }
        if (!is_over(now)) {
            violated("S11", "{} was called lost in the grace of a new leader",
                     published.event.name);
        }
        const std::uint32_t least = is_given_up_ ? silent_after_ : lost_after_;
        for (const auto& [host, route] : routes_) {
            if (route.is_open && route.name == published.event.name && route.polls < least) {
                violated("S11", "{} was called lost after {} polls", route.name, route.polls);
            }
        }
    }

    void on(Instant, const AgentMessageReceived& received) {
        const auto route = routes_.find(received.host);
        if (route == routes_.end()) {
            return;
        }
        const auto* report = std::get_if<Report>(&received.message);
        const bool is_complete =
            report != nullptr && report->kind == ReportKind::snapshot && report->epoch == epoch_;
        if (is_complete || std::holds_alternative<Departure>(received.message)) {
            awaited_.erase(route->second.name);
        }
    }

private:
    struct Route {
        std::string name;
        bool is_open = false;
        std::uint32_t polls = 0;  ///< In this leadership.
    };

    void on_persist(const coordinator::Persist& persist) {
        for (const coordinator::Write& write : persist.writes) {
            if (auto task = task_in(write); !task.empty()) {
                changed_.insert(std::move(task));
            } else if (const auto* node = std::get_if<coordinator::StoredNode>(&write);
                       node != nullptr && node->gone) {
                awaited_.erase(node->name);
            } else if (const auto* forgotten =
                           std::get_if<coordinator::Erase<coordinator::StoredNode>>(&write)) {
                awaited_.erase(forgotten->name);
            }
        }
    }

    [[nodiscard]] bool is_over(Instant now) const { return now >= grace_ends_ || awaited_.empty(); }

    Instant grace_ends_{};
    std::uint32_t silent_after_ = 0;
    std::uint32_t lost_after_ = 0;
    bool is_given_up_ = false;  ///< An operator ended the last freeze.
    Epoch epoch_{};
    Generation held_back_{};
    std::set<std::string> awaited_;
    std::set<std::string> changed_;  ///< Tasks that changed since the leadership began.
    std::map<HostIndex, Route> routes_;
};

}  // namespace muster::sim
