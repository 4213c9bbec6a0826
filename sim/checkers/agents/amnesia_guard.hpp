#pragma once

#include "sim/checkers/checker.hpp"
#include "sim/checkers/copies.hpp"

namespace muster::sim {

/// S13: a stop is ordered only with an intent on record, from the store of the agent's own cluster,
/// and from one that is not older than what the agent saw. S25: nor is a start from another.
class AmnesiaGuard : public Checker {
public:
    explicit AmnesiaGuard(const Copies& copies) : copies_{copies} {}

    void see(Instant now, const BatchIssued& issued);

private:
    void check_store(const BatchIssued& issued);
    void check_intent(const BatchIssued& issued, const Stop& stop);

    const Copies& copies_;
};

}  // namespace muster::sim
