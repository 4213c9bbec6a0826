#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/model/observation.hpp"

namespace muster::sim {

/// Watches the cluster for one promise (or a few that need the same book-keeping). It is told what
/// happens, and costs no more than what changed.
class Checker {
public:
    Checker() = default;
    virtual ~Checker() = default;
    Checker(const Checker&) = delete;
    Checker& operator=(const Checker&) = delete;

    virtual void see(Instant, const LeadershipBegan&) {}
    virtual void see(Instant, const Committed&) {}
    virtual void see(Instant, const StoreReplaced&) {}
    virtual void see(Instant, const BatchIssued&) {}
    virtual void see(Instant, const WelcomeIssued&) {}
    virtual void see(Instant, const RouteClosed&) {}
    virtual void see(Instant, const PollIssued&) {}
    virtual void see(Instant, const EventPublished&) {}
    virtual void see(Instant, const CivilTold&) {}
    virtual void see(Instant, const NumbersShown&) {}
    virtual void see(Instant, const RequestMade&) {}
    virtual void see(Instant, const ReplyGiven&) {}
    virtual void see(Instant, const ReplyHeard&) {}
    virtual void see(Instant, const AgentBegan&) {}
    virtual void see(Instant, const AgentEnded&) {}
    virtual void see(Instant, const DiskLost&) {}
    virtual void see(Instant, const BatchDelivered&) {}
    virtual void see(Instant, const WriteFailed&) {}
    virtual void see(Instant, const ShutDownOrdered&) {}
    virtual void see(Instant, const AgentSaid&) {}
    virtual void see(Instant, const AgentHeard&) {}
    virtual void see(Instant, const LieHeard&) {}
    virtual void see(Instant, const LieOver&) {}
    virtual void see(Instant, const SpawnOrdered&) {}
    virtual void see(Instant, const ShimKilled&) {}
    virtual void see(Instant, const LeaseRenewed&) {}
    virtual void see(Instant, const LeaseEnded&) {}
    virtual void see(Instant, const HostHalted&) {}
    virtual void see(Instant, const ProcessBegan&) {}
    virtual void see(Instant, const EndOrdered&) {}
    virtual void see(Instant, const ProcessGone&) {}

    [[nodiscard]] std::vector<Violation> take_violations() { return std::exchange(found_, {}); }
    [[nodiscard]] bool is_content() const { return found_.empty(); }

protected:
    void violated(std::string property, std::string what) {
        found_.push_back({std::move(property), std::move(what)});
    }

private:
    std::vector<Violation> found_;
};

}  // namespace muster::sim
