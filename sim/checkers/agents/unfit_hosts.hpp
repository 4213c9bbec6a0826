#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// L10: a node whose host cannot make processes or keep its journal is suspended within five of its
/// answers; and where a host asks for no work, none is ordered.
///
/// Judged on the answers that the coordinator waits for: late ones change nothing.
class UnfitHosts : public Checker {
public:
    void see(Instant now, const LeadershipBegan& began);
    void see(Instant now, const WelcomeIssued& welcome);
    void see(Instant now, const PollIssued& poll);
    void see(Instant now, const AgentHeard& heard);
    void see(Instant now, const EventPublished& published);
    void see(Instant now, const BatchIssued& issued);

private:
    static constexpr std::uint32_t borne = 5;  // Answers in a row.

    struct Host {
        std::string name;
        Poll asked;
        bool unable = false;
    };
    struct Conduct {
        std::uint32_t failing = 0;  // Answers in a row.
        bool suspended = false;
    };

    std::map<HostIndex, Host> hosts_;
    std::map<std::string, Conduct> conducts_;
};

}  // namespace muster::sim
