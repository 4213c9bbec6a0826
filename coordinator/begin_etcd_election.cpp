#include "coordinator/begin_etcd_election.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <sys/stat.h>
#include <utility>

#include "common/base/read_file.hpp"
#include "coordinator/store/etcd/etcd_election.hpp"
#include "coordinator/store/etcd/whole_etcd.hpp"

namespace muster::coordinator::etcd {

namespace {

/// The first line of a file that nobody else may read.
Result<std::string> password_in(const std::string& path) {
    struct stat status = {};
    if (stat(path.c_str(), &status) == 0 && (status.st_mode & 0077U) != 0) {
        return fail(Errc::refused, "others may read " + path +
                                       ", which has the password for etcd: 'chmod 600 " + path +
                                       "'");
    }
    constexpr std::size_t most = 4096;
    return read_file(path, most).map([](const std::string& text) {
        return text.substr(0, text.find_first_of("\r\n"));
    });
}

Result<Options> client_options(const EtcdOptions& options) {
    if (options.certificate.empty() != options.key.empty()) {
        return fail(Errc::invalid, "etcd.certificate and etcd.key belong together: set both");
    }
    if (options.ca.empty() && !options.certificate.empty()) {
        return fail(Errc::invalid,
                    "etcd.certificate needs etcd.ca, who signed etcd's certificates");
    }
    if (options.user.empty() != options.password_file.empty()) {
        return fail(Errc::invalid, "etcd.user and etcd.password_file belong together: set both");
    }
    const auto password = options.password_file.empty() ? Result<std::string>{""}
                                                        : password_in(options.password_file);
    return password.map([&](const std::string& secret) {
        return Options{.endpoints = options.endpoints,
                       .ca_file = options.ca,
                       .certificate_file = options.certificate,
                       .key_file = options.key,
                       .user = options.user,
                       .password = secret};
    });
}

}  // namespace

Result<std::unique_ptr<Election>> begin_election(const EtcdOptions& options,
                                                 const Candidacy& candidacy) {
    // Whoever led on one store may not lead on another, in a later election either.
    static const auto store = std::make_shared<std::atomic<std::uint64_t>>(0);
    return client_options(options)
        .and_then([&](Options etcd) {
            etcd.cluster = store;
            return EtcdElection::begin({.etcd = std::move(etcd),
                                        .prefix = options.prefix,
                                        .lease = options.lease,
                                        .self = candidacy.self,
                                        .name = candidacy.name,
                                        .version = candidacy.version,
                                        .key = candidacy.key,
                                        .cluster = candidacy.cluster,
                                        .may_differ = !candidacy.is_cluster_known});
        })
        .map([](std::unique_ptr<EtcdElection>&& election) {
            return std::unique_ptr<Election>{std::move(election)};
        });
}

Result<std::unique_ptr<WholeStore>> open_store(const EtcdOptions& options) {
    return client_options(options)
        .and_then([&](const Options& etcd) {
            return WholeEtcd::open(etcd, options.prefix, options.lease);
        })
        .map([](std::unique_ptr<WholeEtcd>&& store) {
            return std::unique_ptr<WholeStore>{std::move(store)};
        });
}

}  // namespace muster::coordinator::etcd
