#pragma once

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// The counts of `status`, `stats` and `/metrics` are the same at any moment, and add up: nodes by
/// health, by intent, free and busy ones of those that serve, instances by state, unplaced ones by
/// reason. None is below zero, which a count without a sign would show as a huge one.
class Counts : public Checker {
public:
    void see(Instant now, const NumbersShown& shown);

private:
    void check_sums(const StatusReply& status);
    void check_stats(const NumbersShown& shown);
    void check_text(const NumbersShown& shown);
};

}  // namespace muster::sim
