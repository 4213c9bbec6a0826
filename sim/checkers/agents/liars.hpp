#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/checkers/checker.hpp"
#include "sim/checkers/copies.hpp"

namespace muster::sim {

/// S18: a host that lies hurts itself only. What it says changes nothing that the coordinator holds
/// of another node; and no copy that was ordered elsewhere in this leadership is stopped for one
/// that it only claims: that neither runs there nor was ordered there in this leadership, nor was
/// found there when that began, since of this no leader knows who ordered it.
///
/// Terms that close meanwhile may change any node.
class Liars : public Checker {
public:
    explicit Liars(const Copies& copies) : copies_{copies} {}

    void see(Instant now, const LeadershipBegan& began);
    void see(Instant now, const LieHeard& lie);
    void see(Instant now, const LieOver& over);
    void see(Instant now, const EventPublished& published);
    void see(Instant now, const BatchIssued& issued);

private:
    void check_stop(const BatchIssued& issued, const Stop& stop);

    const Copies& copies_;
    std::set<HostIndex> liars_;
    std::optional<std::string> speaking_;  ///< The name of the liar that is being heard.
    std::vector<std::string> changed_;     ///< Other nodes, since.
    bool term_closed_ = false;
    std::map<InstanceId, std::map<HostIndex, Generation>> ordered_;  ///< In this leadership.
};

}  // namespace muster::sim
