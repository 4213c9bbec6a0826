#include "common/crypto/cluster_keys.hpp"

#include <unistd.h>

#include "common/base/read_file.hpp"
#include "common/crypto/key_file.hpp"

namespace muster {
namespace {

std::string coordinator_file(const std::string& directory) {
    return directory + "/coordinator.key";
}
std::string cluster_file(const std::string& directory) { return directory + "/cluster.key"; }
std::string admin_file(const std::string& directory) { return directory + "/admin.pub"; }

}  // namespace

Result<std::optional<ClusterSecret>> read_cluster_secret(const std::string& directory) {
    const std::string path = cluster_file(directory);
    const auto text = read_secret_file(path);
    if (!text && text.error().code == Errc::not_found) {
        return std::optional<ClusterSecret>{};
    }
    if (!text) {
        return tl::unexpected{text.error()};
    }
    const auto end = text->find('\n');
    const auto cluster = parse_id<ClusterId>(text->substr(0, end));
    const auto orders = end == std::string::npos
                            ? std::nullopt
                            : parse_secret_key(text->substr(end + 1, 2 * SecretKey::size));
    if (!cluster || !orders) {
        return fail(Errc::invalid, path +
                                       " is not whole: it has one line with the cluster's id and "
                                       "one with its secret; restore it from a copy");
    }
    return std::optional{ClusterSecret{*cluster, *orders}};
}

Result<void> write_cluster_keys(const std::string& directory, const ClusterKeys& keys) {
    return write_key_file(coordinator_file(directory), keys.coordinator,
                          "Proves the coordinator. Whoever has it can pose as the coordinator.")
        .and_then([&]() -> Result<void> {
            const auto kept = read_cluster_secret(directory);
            if (!kept || *kept) {
                return kept ? Result<void>{} : tl::unexpected{kept.error()};
            }
            return write_secret_file(
                cluster_file(directory),
                to_string(keys.secret.cluster) + '\n' + secret_text(keys.secret.orders) + '\n');
        })
        .and_then([&] {
            unlink(admin_file(directory).c_str());
            return write_secret_file(admin_file(directory), to_string(keys.first_admin) + '\n');
        });
}

Result<std::optional<ClusterKeys>> read_cluster_keys(const std::string& directory) {
    const auto pair = read_key_file(coordinator_file(directory));
    const auto secret = read_cluster_secret(directory);
    if (!pair && pair.error().code == Errc::not_found && secret && !*secret) {
        return std::optional<ClusterKeys>{};
    }
    if (!pair && pair.error().code == Errc::not_found) {
        return fail(Errc::not_found, pair.error().detail +
                                         ": restore it from a copy, or make another one by "
                                         "'muster init'; then every host joins again");
    }
    if (!pair || !secret) {
        return tl::unexpected{pair ? secret.error() : pair.error()};
    }
    if (!*secret) {
        return fail(Errc::not_found,
                    cluster_file(directory) +
                        " is missing, and coordinator.key is there: restore it from "
                        "a copy; without it the coordinator would not know its own "
                        "orders again");
    }
    ClusterKeys keys{.coordinator = *pair, .secret = **secret};
    if (const auto text = read_file(admin_file(directory), 1024)) {
        const auto admin = parse_public_key(text->substr(0, 2 * PublicKey::size));
        if (!admin) {
            return fail(Errc::invalid, admin_file(directory) +
                                           " is not a key of 64 hexadecimal digits; remove the "
                                           "file, and admit a key with 'muster key add'");
        }
        keys.first_admin = *admin;
    }
    return std::optional{keys};
}

}  // namespace muster
