#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// S8: of an instance of an exclusive task never two processes run, wherever they are; and each
/// that begins has a token above those of all earlier ones, or that of the one before on its host,
/// of which it is a restart: so a storage that keeps the highest refuses none but those that are
/// left over.
///
/// What a host runs that stood still as a whole counts no more: when it goes on, only the storage
/// keeps two apart; and so it is with a host that lies. What an exchanged store ordered binds
/// nobody any more, nor does what runs while its task is not exclusive.
class Exclusive : public Checker {
public:
    void see(Instant now, const StoreReplaced& replaced);
    void see(Instant now, const BatchIssued& issued);
    void see(Instant now, const HostHalted& halted);
    void see(Instant now, const LieHeard& lie);
    void see(Instant now, const ProcessBegan& began);
    void see(Instant now, const ProcessGone& gone);

private:
    void forget(HostIndex host);

    struct Process {
        HostIndex host{};
        std::uint64_t number = 0;

        friend bool operator==(const Process&, const Process&) = default;
    };
    struct Instance {
        std::vector<Process> processes;
        std::uint64_t token = 0;
        HostIndex last{};  ///< Where it had that token.
    };

    std::set<HostIndex> liars_;
    std::map<InstanceId, Instance> instances_;
    using Orders = std::set<std::pair<InstanceId, std::uint64_t>>;  ///< Starts by their token.
    Orders issued_;
    Orders foreign_;  ///< By stores that were exchanged.
};

}  // namespace muster::sim
