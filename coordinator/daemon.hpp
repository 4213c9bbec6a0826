#pragma once

#include <memory>
#include <string>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "coordinator/options.hpp"
#include "coordinator/store/election.hpp"

namespace muster::coordinator {

/// Who takes part in an election.
struct Candidacy {
    ClusterId cluster;  ///< That the store is of; of a new store, that it becomes.
    LeaderId self;
    std::string name;  ///< Of this host, for people.
    std::string version;
    std::string key{};  ///< The fingerprint of what this coordinator proves; empty: it has no key.
    bool is_cluster_known = false;  ///< False: the store may be of any cluster.
};

/// Begins an election with a store in etcd.
using BeginEtcdElection = Result<std::unique_ptr<Election>> (*)(const EtcdOptions& options,
                                                                const Candidacy& candidacy);

/// Runs the coordinator until SIGTERM or SIGINT. An error is why it could not start, or why its
/// leadership ended. `etcd` is used only if the options name endpoints of etcd.
[[nodiscard]] Result<void> run_coordinator(const Options& options, BeginEtcdElection etcd);

}  // namespace muster::coordinator
