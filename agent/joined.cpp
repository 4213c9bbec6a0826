#include "agent/joined.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

#include "common/crypto/key_file.hpp"
#include "common/crypto/random_key.hpp"
#include "common/net/endpoint.hpp"

namespace muster::agent {
namespace {

std::string key_path(const std::string& state) { return state + "/agent.key"; }
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
    const auto endpoint = net::endpoint_to_connect(value_in(*text, "coordinator").value_or(""));
    if (!key || !endpoint) {
        return fail(Errc::invalid,
                    cluster_path(state) +
                        " is not whole: it needs a line coordinator = \"ENDPOINT\" "
                        "and a line coordinator_key = \"KEY\"; join again with a new "
                        "token");
    }
    return std::optional{Joined{.own = *own, .coordinator_key = *key, .coordinator = *endpoint}};
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

Result<void> write_cluster(const std::string& state, const Joined& joined) {
    const std::string path = cluster_path(state);
    const std::string fresh = path + ".new";
    unlink(fresh.c_str());
    return write_secret_file(fresh, "# The cluster that this host joined.\ncoordinator = \"" +
                                        joined.coordinator + "\"\ncoordinator_key = \"" +
                                        to_string(joined.coordinator_key) + "\"\n")
        .and_then([&]() -> Result<void> {
            if (std::rename(fresh.c_str(), path.c_str()) != 0) {
                return fail(Errc::io, path + " cannot be written: " + std::strerror(errno));
            }
            return {};
        });
}

}  // namespace muster::agent
