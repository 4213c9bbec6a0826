#pragma once

#include <map>
#include <string>

#include "sim/checkers/checker.hpp"
#include "sim/checkers/copies.hpp"

namespace muster::sim {

/// At the moment of each start its node passes the filters: it serves, it is of the task's pool,
/// its labels meet the constraints, it has not too many of the task, and its capacity holds what is
/// placed there. Judged on what the store wants and what the agent said in its last hello.
///
/// What replaces a copy in its place needs no more room than that had. How much is placed on a host
/// that has lied is not judged: its leader cannot know what runs there.
class Placing : public Checker {
public:
    explicit Placing(const Copies& copies) : copies_{copies} {}

    void see(Instant now, const LeadershipBegan& began);
    void see(Instant now, const WelcomeIssued& welcome);
    void see(Instant now, const AgentHeard& heard);
    void see(Instant now, const EventPublished& published);
    void see(Instant now, const BatchIssued& issued);

private:
    struct Host {
        Offer said;   ///< In the last hello that came,
        Offer offer;  ///< and in the last that was welcomed.
    };
    /// Of a node, in this leadership.
    struct Facts {
        bool able = true;
        bool there = true;
        bool penalty = false;
    };

    void check_start(const BatchIssued& issued, const Start& start, const Offer& offer);
    void check_room(const BatchIssued& issued, const Offer& offer);

    const Copies& copies_;
    std::map<HostIndex, Host> hosts_;
    std::map<std::string, Facts> facts_;
};

}  // namespace muster::sim
