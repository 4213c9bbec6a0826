#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/support/cluster.hpp"

namespace muster::integration {

/// Real etcd servers that are members of one etcd cluster, each in a directory of its own.
class EtcdServers {
public:
    /// Returns when they answer. Throws if etcd is not installed. With `tls` they ask for the
    /// certificate of a client. `more`: options of each.
    explicit EtcdServers(std::size_t members = 1, bool tls = false,
                         std::vector<std::string> more = {});

    /// `host:port` of each member.
    [[nodiscard]] const std::vector<std::string>& endpoints() const { return endpoints_; }
    /// The shortest lease where a pace is 100 ms, for tests in which a leader dies.
    [[nodiscard]] static std::chrono::milliseconds short_lease() { return paces(20); }
    /// For all others, as a call may last for a quarter of a lease.
    [[nodiscard]] static std::chrono::milliseconds long_lease() { return paces(200); }
    /// The section [etcd] of a coordinator that uses them.
    [[nodiscard]] std::string section(const std::string& prefix = "/muster/test") const;
    /// The same with other endpoints, such as those of proxies, or another lease.
    [[nodiscard]] static std::string section(const std::string& prefix,
                                             const std::vector<std::string>& endpoints,
                                             std::chrono::milliseconds lease = short_lease());
    [[nodiscard]] const std::string& directory() const { return directory_.path(); }
    /// A file of the certificates: `ca.pem`, and NAME.pem and NAME.key of `server` and `client`.
    [[nodiscard]] std::string file(const std::string& name) const {
        return directory() + "/" + name;
    }
    /// Makes NAME.pem and NAME.key, signed by the authority of this name.
    void make_certificate(const std::string& name, const std::string& by = "ca") const;
    void make_authority(const std::string& name) const;
    /// What etcdctl says. Throws if it fails.
    std::string control(std::vector<std::string> words) const;
    void kill(std::size_t member);
    /// Of a killed member of one: all that it had stored is gone, or is that of a snapshot.
    void lose_data();
    void restore(const std::string& snapshot);
    void start(std::size_t member);
    void signal(std::size_t member, int number) { servers_.at(member)->signal(number); }
    /// Until a member answers, perhaps only after an election among them.
    [[nodiscard]] bool answers(std::size_t member) const;

private:
    void openssl(std::vector<std::string> words) const;

    Directory directory_;
    bool tls_ = false;
    std::vector<std::string> more_;
    std::vector<std::string> endpoints_;
    std::vector<std::string> peers_;
    std::vector<std::unique_ptr<Process>> servers_;
};

}  // namespace muster::integration
