#include "tests/integration/support/etcd_servers.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace muster::integration {

namespace {

std::string without_scheme(const std::string& endpoint) {
    return endpoint.substr(endpoint.find("//") + 2);
}

}  // namespace

EtcdServers::EtcdServers(std::size_t members, bool tls, std::vector<std::string> more)
    : tls_{tls}, more_{std::move(more)} {
    for (std::size_t member = 0; member < members; ++member) {
        const Endpoints free = free_endpoints();
        endpoints_.push_back(without_scheme(free.agents));
        peers_.push_back(without_scheme(free.operators));
    }
    if (tls_) {
        make_authority("ca");
        make_certificate("server");
        make_certificate("client");
    }
    servers_.resize(members);
    for (std::size_t member = 0; member < members; ++member) {
        start(member);
    }
    for (std::size_t member = 0; member < members; ++member) {
        if (!until([&] { return answers(member); })) {
            throw std::runtime_error{"etcd does not answer: " +
                                     text_of(directory() + "/e" + std::to_string(member) + ".log")};
        }
    }
}

void EtcdServers::start(std::size_t member) {
    const std::string name = "e" + std::to_string(member);
    std::string all;
    for (std::size_t at = 0; at < peers_.size(); ++at) {
        all += (all.empty() ? "e" : ",e") + std::to_string(at) + "=http://" + peers_[at];
    }
    const std::string client = (tls_ ? "https://" : "http://") + endpoints_[member];
    const std::string peer = "http://" + peers_[member];
    std::vector<std::string> argv{"/usr/bin/etcd",
                                  "--name",
                                  name,
                                  "--data-dir",
                                  directory() + "/" + name,
                                  "--listen-client-urls",
                                  client,
                                  "--advertise-client-urls",
                                  client,
                                  "--listen-peer-urls",
                                  peer,
                                  "--initial-advertise-peer-urls",
                                  peer,
                                  "--initial-cluster",
                                  all,
                                  "--heartbeat-interval",
                                  std::to_string((pace() / 2).count()),
                                  "--election-timeout",
                                  std::to_string(paces(5).count())};
    argv.insert(argv.end(), more_.begin(), more_.end());
    if (tls_) {
        argv.insert(argv.end(),
                    {"--cert-file", file("server.pem"), "--key-file", file("server.key"),
                     "--client-cert-auth", "--trusted-ca-file", file("ca.pem")});
    }
    servers_[member] =
        std::make_unique<Process>(Command{.argv = std::move(argv),
                                          .env = {"TEST_CLUSTER=" + directory()},
                                          .output = directory() + "/" + name + ".log",
                                          .errors = directory() + "/" + name + ".log"});
}

std::string EtcdServers::section(const std::string& prefix) const {
    return section(prefix, endpoints_);
}

std::string EtcdServers::section(const std::string& prefix,
                                 const std::vector<std::string>& endpoints,
                                 std::chrono::milliseconds lease) {
    std::string list;
    for (const std::string& endpoint : endpoints) {
        list += (list.empty() ? "\"" : ", \"") + endpoint + "\"";
    }
    return "[etcd]\nendpoints = [" + list + "]\nprefix = \"" + prefix + "\"\nlease = \"" +
           in_ms(lease) + "\"\n";
}

void EtcdServers::make_authority(const std::string& name) const {
    openssl({"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=" + name,
             "-keyout", file(name + ".key"), "-out", file(name + ".pem")});
}

void EtcdServers::make_certificate(const std::string& name, const std::string& by) const {
    const std::string host = endpoints_.front().substr(0, endpoints_.front().rfind(':'));
    write_text(file(name + ".ext"),
               "subjectAltName=IP:" + host + "\nextendedKeyUsage=serverAuth,clientAuth\n");
    openssl({"req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=" + name, "-keyout",
             file(name + ".key"), "-out", file(name + ".csr")});
    openssl({"x509", "-req", "-days", "2", "-in", file(name + ".csr"), "-CA", file(by + ".pem"),
             "-CAkey", file(by + ".key"), "-CAcreateserial", "-extfile", file(name + ".ext"),
             "-out", file(name + ".pem")});
}

void EtcdServers::openssl(std::vector<std::string> words) const {
    words.insert(words.begin(), "/usr/bin/openssl");
    if (const auto done = run(directory(), std::move(words)); done.exit != Exit{.code = 0}) {
        throw std::runtime_error{"openssl: " + done.errors};
    }
}

void EtcdServers::kill(std::size_t member) {
    servers_.at(member)->signal(SIGKILL);
    static_cast<void>(servers_.at(member)->wait(soon()));
}

std::string EtcdServers::control(std::vector<std::string> words) const {
    words.insert(words.begin(), {"/usr/bin/etcdctl", "--endpoints", endpoints_.front()});
    const auto done = run(directory(), words, {"ETCDCTL_API=3"});
    if (done.exit != Exit{.code = 0}) {
        throw std::runtime_error{"etcdctl: " + done.errors};
    }
    return done.output;
}

void EtcdServers::lose_data() { std::filesystem::remove_all(directory() + "/e0"); }

void EtcdServers::restore(const std::string& snapshot) {
    lose_data();
    static_cast<void>(control({"snapshot", "restore", snapshot, "--name", "e0", "--initial-cluster",
                               "e0=http://" + peers_.front(), "--initial-advertise-peer-urls",
                               "http://" + peers_.front(), "--data-dir", directory() + "/e0"}));
}

bool EtcdServers::answers(std::size_t member) const {
    std::vector<std::string> words{"/usr/bin/etcdctl", "--endpoints", endpoints_.at(member),
                                   "--dial-timeout", in_ms(paces(10))};
    if (tls_) {
        words.insert(words.end(), {"--cacert", file("ca.pem"), "--cert", file("client.pem"),
                                   "--key", file("client.key")});
    }
    words.insert(words.end(), {"endpoint", "health"});
    const auto asked = run(directory(), words, {"ETCDCTL_API=3"});
    return asked.exit == Exit{.code = 0};
}

}  // namespace muster::integration
