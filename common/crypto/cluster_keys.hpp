#pragma once

#include <optional>
#include <string>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/crypto/key.hpp"

namespace muster {

/// The keys of a cluster, in the coordinator's state directory:
///
///     coordinator.key    proves the coordinator to agents and operators
///     cluster.key        the cluster's id, and the secret by which it knows its own orders again
///     admin.pub          the public key that is admitted while no other is
struct ClusterSecret {
    ClusterId cluster;
    SecretKey orders;
};
struct ClusterKeys {
    KeyPair coordinator;
    ClusterSecret secret;
    PublicKey first_admin{};
};

/// Nothing: there is none.
[[nodiscard]] Result<std::optional<ClusterSecret>> read_cluster_secret(
    const std::string& directory);
/// `exists`: the coordinator has a key already, and all are left alone. A secret that is there
/// stays, so that a new key of the coordinator leaves the cluster what it is.
[[nodiscard]] Result<void> write_cluster_keys(const std::string& directory,
                                              const ClusterKeys& keys);
/// Nothing: none were made. An error: some cannot be used, or one of them is missing.
[[nodiscard]] Result<std::optional<ClusterKeys>> read_cluster_keys(const std::string& directory);

}  // namespace muster
