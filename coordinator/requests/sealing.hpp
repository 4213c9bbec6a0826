#pragma once

#include "common/base/result.hpp"
#include "common/crypto/key.hpp"
#include "common/messages/message.hpp"
#include "common/messages/operator/secrets.hpp"

/// The values of secrets on their way through the shell: the core, the recorder and the store have
/// them encrypted only.
namespace muster::coordinator {

/// Replaces the value of the request by the encrypted one. `cluster`: the cluster's secret.
[[nodiscard]] Result<void> encrypt_value(const SecretKey& cluster, SecretSetRequest& request);

/// The batch with its secrets sealed for the agent whose key this is. Leaves out those that cannot
/// be decrypted: the agent refuses starts that need them.
[[nodiscard]] Batch sealed_for(const PublicKey& agent, const SecretKey& store_key, Batch batch);

}  // namespace muster::coordinator
