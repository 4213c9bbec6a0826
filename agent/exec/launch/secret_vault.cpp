#include "agent/exec/launch/secret_vault.hpp"

#include <algorithm>

#include "common/crypto/random_key.hpp"
#include "common/crypto/secret_box.hpp"

namespace muster::agent {

OpenedSecret::~OpenedSecret() { wipe(value_); }

SecretVault::SecretVault() : own_{random_key_pair()} {}

OpenedSecrets SecretVault::open(const std::vector<SecretValue>& sealed) const {
    OpenedSecrets opened;
    for (const SecretValue& secret : sealed) {
        if (auto value = open_secret(own_, secret.name, secret.version, secret.value)) {
            opened.emplace_back(OpenedSecret{secret.name, *std::move(value)});
        }
    }
    return opened;
}

std::optional<std::string> SecretVault::keep(const Start& start, const TaskSpec& spec,
                                             const OpenedSecrets& opened) {
    OpenedSecrets needed;
    for (const std::string& name : spec.cluster_secrets) {
        const auto found = std::ranges::find_if(
            opened, [&](const Shared<OpenedSecret>& secret) { return secret->name() == name; });
        if (found == opened.end()) {
            return "the value of the secret '" + name + "' did not come with the order: 'muster " +
                   "secret set " + name + "' sets it again";
        }
        needed.push_back(*found);
    }
    if (!needed.empty()) {
        kept_[start.id].insert_or_assign(start.generation, std::move(needed));
    }
    return std::nullopt;
}

std::optional<OpenedSecrets> SecretVault::of(const InstanceId& id, Generation generation,
                                             const TaskSpec& spec) {
    if (spec.cluster_secrets.empty()) {
        return OpenedSecrets{};
    }
    const auto entry = kept_.find(id);
    if (entry == kept_.end()) {
        return std::nullopt;
    }
    auto& by_generation = entry->second;
    by_generation.erase(by_generation.begin(), by_generation.lower_bound(generation));
    const auto found = by_generation.find(generation);
    return found == by_generation.end() ? std::nullopt : std::optional{found->second};
}

}  // namespace muster::agent
