#include "agent/joined.hpp"

#include <unistd.h>

#include "common/crypto/key_file.hpp"
#include "common/crypto/random_key.hpp"
#include "common/net/endpoint.hpp"

namespace muster::agent {
namespace {

std::string key_path(const std::string& state) { return state + "/agent.key"; }
std::string new_key_path(const std::string& state) { return key_path(state) + ".new"; }
std::string cluster_path(const std::string& state) { return state + "/cluster"; }

}  // namespace

Result<std::optional<Joined>> read_joined(const std::string& state) {
    const auto text = read_secret_file(cluster_path(state));
    if (!text && text.error().code == Errc::not_found) {
        return std::optional<Joined>{};
    }
    if (!text) {
        return tl::unexpected{text.error()};
    }
    const auto own = read_key_file(key_path(state));
    if (!own) {
        return tl::unexpected{own.error()};
    }
    const auto key = parse_public_key(value_in(*text, "coordinator_key").value_or(""));
    const auto endpoint = net::endpoints_to_connect(value_in(*text, "coordinator").value_or(""));
    if (!key || !endpoint) {
        return fail(Errc::invalid,
                    cluster_path(state) +
                        " is not whole: it needs a line coordinator = \"ENDPOINT\" "
                        "and a line coordinator_key = \"KEY\"; join again with a new "
                        "token");
    }
    // A new key that is not whole was never sent: another one is made.
    const auto made = read_key_file(new_key_path(state));
    return std::optional{Joined{.own = *own,
                                .made = made ? std::optional{*made} : std::nullopt,
                                .coordinator_key = *key,
                                .coordinator = *endpoint}};
}

Result<KeyPair> own_key(const std::string& state) {
    auto found = read_key_file(key_path(state));
    if (found || found.error().code != Errc::not_found) {
        return found;
    }
    const KeyPair pair = random_key_pair();
    return write_key_file(key_path(state), pair, "Proves this host to its coordinator.").map([&] {
        return pair;
    });
}

Result<void> write_new_key(const std::string& state, const KeyPair& pair) {
    unlink(new_key_path(state).c_str());
    return write_key_file(new_key_path(state), pair,
                          "Replaces the key of this host once the coordinator uses it.");
}

Result<void> keep_new_key(const std::string& state) {
    return replace_file(new_key_path(state), key_path(state));
}

Result<void> write_cluster(const std::string& state, const Joined& joined) {
    const std::string path = cluster_path(state);
    const std::string fresh = path + ".new";
    unlink(fresh.c_str());
    return write_secret_file(fresh, "# The cluster that this host joined.\ncoordinator = \"" +
                                        joined.coordinator + "\"\ncoordinator_key = \"" +
                                        to_string(joined.coordinator_key) + "\"\n")
        .and_then([&] { return replace_file(fresh, path); });
}

}  // namespace muster::agent
