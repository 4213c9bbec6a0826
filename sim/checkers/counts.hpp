#pragma once

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// The counts of `status`, `stats` and `/metrics` are equal at any moment, and add up: nodes by
/// health, nodes by intent, free and busy nodes of the serving ones, instances by state, unplaced
/// instances by reason. No count is negative, which would show as a huge unsigned number.
class Counts : public Checker {
public:
    void on(Instant now, const NumbersShown& shown);

private:
    void check_sums(const StatusReply& status);
    void check_stats(const NumbersShown& shown);
    void check_text(const NumbersShown& shown);
};

}  // namespace muster::sim
