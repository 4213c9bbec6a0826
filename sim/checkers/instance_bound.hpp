#pragma once

#include "sim/checkers/checker.hpp"
#include "sim/checkers/copies.hpp"

namespace muster::sim {

/// S7: when a start is ordered, the copies of its task that are not proven gone, with those that
/// were ordered, are at most instances + max_surge. A start that replaces a copy in its place adds
/// none, so it may be ordered while surplus copies are still on their way out. What is to run on
/// every node is not counted.
class InstanceBound : public Checker {
public:
    explicit InstanceBound(const Copies& copies) : copies_{copies} {}

    void see(Instant now, const BatchIssued& issued);

private:
    const Copies& copies_;
};

}  // namespace muster::sim
