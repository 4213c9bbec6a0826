#pragma once

#include "sim/model/observation.hpp"

namespace muster::sim {

/// Gets the observations that a measurement of the cluster needs, beside the checkers.
class Observer {
public:
    virtual void on(Instant, const Committed&) = 0;
    virtual void on(Instant, const BatchIssued&) = 0;
    virtual void on(Instant, const EventPublished&) = 0;
    virtual void on(Instant, const AgentBegan&) = 0;
    virtual void on(Instant, const ShutDownOrdered&) = 0;
    virtual void on(Instant, const EndOrdered&) = 0;
    virtual void on(Instant, const ProcessBegan&) = 0;
    virtual void on(Instant, const ProcessGone&) = 0;

protected:
    ~Observer() = default;
};

}  // namespace muster::sim
