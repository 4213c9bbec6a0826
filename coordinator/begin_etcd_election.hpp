#pragma once

#include "coordinator/daemon.hpp"
#include "coordinator/store_command.hpp"

namespace muster::coordinator::etcd {

/// Takes part in the election among coordinators that share a store in etcd. Reads the files of
/// certificates and of the password.
[[nodiscard]] Result<std::unique_ptr<Election>> begin_election(const EtcdOptions& options,
                                                               const Candidacy& candidacy);

/// For tools.
[[nodiscard]] Result<std::unique_ptr<WholeStore>> open_store(const EtcdOptions& options);

}  // namespace muster::coordinator::etcd
