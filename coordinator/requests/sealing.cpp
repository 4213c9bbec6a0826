#include "coordinator/requests/sealing.hpp"

#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.hpp"
#include "common/crypto/secret_box.hpp"

namespace muster::coordinator {

Result<void> encrypt_value(const SecretKey& cluster, SecretSetRequest& request) {
    auto value = bytes_of_base64(request.value);
    wipe(request.value);
    if (cluster.is_none()) {
        return fail(Errc::refused,
                    "a coordinator without keys keeps no secrets, because it could not encrypt "
                    "them: 'muster init' makes keys");
    }
    if (!value) {
        return fail(Errc::invalid, "the value of a secret is a text in base64");
    }
    if (value->empty() || value->size() > limits::cluster_secret_bytes) {
        return fail(Errc::too_large,
                    "the secret has " + std::to_string(value->size()) + " bytes; it has 1 to " +
                        std::to_string(limits::cluster_secret_bytes) +
                        ". A larger one can be a file on the hosts (`secrets` in the task)");
    }
    request.value = encrypt_secret(store_key(cluster), request.name, *value);
    wipe(*value);
    return {};
}

Batch sealed_for(const PublicKey& agent, const SecretKey& store_key, Batch batch) {
    std::vector<SecretValue> sealed;
    for (const SecretValue& secret : batch.secrets) {
        auto value = decrypt_secret(store_key, secret.name, secret.value);
        if (!value) {
            continue;
        }
        std::string text = seal_secret(agent, secret.name, secret.version, *value);
        wipe(*value);
        if (!text.empty()) {
            sealed.push_back({secret.name, secret.version, std::move(text)});
        }
    }
    batch.secrets = std::move(sealed);
    return batch;
}

}  // namespace muster::coordinator
