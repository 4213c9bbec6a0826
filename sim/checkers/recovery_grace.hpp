#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// S11: a new leadership calls no node lost before its grace is over, nor, when the node has a
/// route, before it asked `lost_after` times; and it leaves instances of older generations alone
/// until every awaited node reported, or the grace is over. A task that was changed since is not
/// held back: its old copies may be stopped.
class RecoveryGrace : public Checker {
public:
    using Checker::see;

    void see(Instant now, const LeadershipBegan& began) override;
    void see(Instant now, const Committed& committed) override;
    void see(Instant now, const BatchIssued& issued) override;
    void see(Instant now, const WelcomeIssued& welcome) override;
    void see(Instant now, const RouteClosed& closed) override;
    void see(Instant now, const PollIssued& issued) override;
    void see(Instant now, const EventPublished& published) override;
    void see(Instant now, const AgentHeard& heard) override;

private:
    struct Route {
        std::string name;
        std::uint32_t polls = 0;  ///< Of this leadership.
    };
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
