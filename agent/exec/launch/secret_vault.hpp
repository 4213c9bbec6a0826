#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/shared.hpp"
#include "common/crypto/key.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// A secret that the coordinator sent, in memory only. The value is overwritten at its end.
class OpenedSecret {
public:
    OpenedSecret(std::string name, std::string value)
        : name_{std::move(name)}, value_{std::move(value)} {}
    ~OpenedSecret();
    OpenedSecret(OpenedSecret&&) = default;
    OpenedSecret(const OpenedSecret&) = delete;
    OpenedSecret& operator=(const OpenedSecret&) = delete;
    OpenedSecret& operator=(OpenedSecret&&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::string& value() const { return value_; }

private:
    std::string name_;
    std::string value_;
};
using OpenedSecrets = std::vector<Shared<OpenedSecret>>;

/// The secrets that came with the starts of instances. Each instance keeps those of its start while
/// it is here: its process may start again. They are gone with this life of the agent.
///
/// Values are sealed for a key that this life made, and that is nowhere else.
class SecretVault {
public:
    SecretVault();

    [[nodiscard]] const PublicKey& key() const { return own_.open; }
    /// Those that are sealed for this life.
    [[nodiscard]] OpenedSecrets open(const std::vector<SecretValue>& sealed) const;
    /// Keeps those that the spec names. The reason not to start, if one of them did not come.
    [[nodiscard]] std::optional<std::string> keep(const Start& start, const TaskSpec& spec,
                                                  const OpenedSecrets& opened);
    /// Those of an instance in this generation. Nothing: an earlier life of the agent got them.
    [[nodiscard]] std::optional<OpenedSecrets> of(const InstanceId& id, Generation generation,
                                                  const TaskSpec& spec);
    void forget(const InstanceId& id) { kept_.erase(id); }
    [[nodiscard]] std::size_t size() const { return kept_.size(); }
    void forget_but(const std::set<InstanceId>& ids) {
        std::erase_if(kept_, [&](const auto& entry) { return !ids.contains(entry.first); });
    }

private:
    KeyPair own_;
    std::map<InstanceId, std::map<Generation, OpenedSecrets>> kept_;
};

}  // namespace muster::agent
