#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// S11: until every awaited node reported, or the grace is over, a new leadership calls no node
/// lost and leaves instances of older generations alone; a task that was changed since is not held
/// back: its old copies may be stopped. And at no time is a node that has a route called lost
/// before it was asked `lost_after` times by this leadership.
class RecoveryGrace : public Checker {
public:
    void see(Instant now, const LeadershipBegan& began);
    void see(Instant now, const Committed& committed);
    void see(Instant now, const BatchIssued& issued);
    void see(Instant now, const WelcomeIssued& welcome);
    void see(Instant now, const RouteClosed& closed);
    void see(Instant now, const PollIssued& issued);
    void see(Instant now, const EventPublished& published);
    void see(Instant now, const AgentHeard& heard);

private:
    struct Route {
        std::string name;
        bool is_open = false;
        std::uint32_t polls = 0;  ///< Of this leadership.
    };
    void take(const coordinator::Persist& persist);
    [[nodiscard]] bool is_over(Instant now) const;

    Instant grace_ends_{};
    std::uint32_t lost_after_ = 0;
    Epoch epoch_{};
    Generation held_back_{};
    std::set<std::string> awaited_;
    std::set<std::string> changed_;  ///< Tasks, since the leadership began.
    std::map<HostIndex, Route> routes_;
};

}  // namespace muster::sim
