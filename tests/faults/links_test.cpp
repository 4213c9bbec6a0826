#include <fcntl.h>
#include <fstream>
#include <optional>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "common/base/file_descriptor.hpp"
#include "tests/faults/trial.hpp"

// Real daemons in network namespaces of their own. The test cuts the link between them.
namespace muster::faults {

namespace {

using integration::until;

constexpr auto no_namespaces =
    "SKIPPED: network namespaces and links between them take the rights of root and `ip`";

std::string ip_program() {
    for (const char* const path : {"/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"}) {
        if (access(path, X_OK) == 0) {
            return path;
        }
    }
    return "";
}

/// The namespace exists until its last process and this object are gone. It is not open if the test
/// has no right to make one.
FileDescriptor new_network() {
    FileDescriptor network;
    std::thread{[&] {
        if (unshare(CLONE_NEWNET) == 0) {
            network = FileDescriptor{open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)};
        }
    }}.join();
    return network;
}

/// During its lifetime, everything that this thread starts is in that network.
class Inside {
public:
    explicit Inside(const FileDescriptor& network)
        : before_{open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)} {
        REQUIRE(setns(network.get(), CLONE_NEWNET) == 0);
    }
    ~Inside() { setns(before_.get(), CLONE_NEWNET); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

private:
    FileDescriptor before_;
};

/// Two hosts with a link between them: one has the coordinator and some agents, the other is
/// remote. Daemons without keys accept only loopback addresses, so the link uses those.
class TwoHosts {
public:
    TwoHosts() {
        near = new_network();
        far = new_network();
        if (ip_.empty() || !near.is_open() || !far.is_open()) {
            return;
        }
        const auto endpoint = integration::free_endpoints().agents;
        const auto host = endpoint.substr(6, endpoint.rfind(':') - 6);
        const std::string other = "127.127.255.254";
        are_linked_ =
            lay(near, {{"link", "set", "lo", "up"},
                       {"address", "del", "127.0.0.1/8", "dev", "lo"},
                       {"link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns",
                        "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(far.get())},
                       {"address", "add", host, "peer", other, "dev", "wire"},
                       {"link", "set", "wire", "up"}}) &&
            lay(far, {{"address", "add", other, "peer", host, "dev", "wire"},
                      {"link", "set", "wire", "up"}});
    }

    [[nodiscard]] bool are_linked() const { return are_linked_; }
    void cut() const { REQUIRE(lay(far, {{"link", "set", "wire", "down"}})); }
    void mend() const { REQUIRE(lay(far, {{"link", "set", "wire", "up"}})); }

    FileDescriptor near;
    FileDescriptor far;

private:
    [[nodiscard]] bool lay(const FileDescriptor& network,
                           const std::vector<std::vector<std::string>>& commands) const {
        const Inside inside{network};
        std::ofstream may_route{"/proc/sys/net/ipv4/conf/all/route_localnet"};
        if (!(may_route << 1 << std::flush)) {
            return false;
        }
        for (auto words : commands) {
            words.insert(words.begin(), ip_);
            const auto done = integration::run(directory_.path(), std::move(words));
            if (done.exit.code != 0) {
                WARN(done.errors);
                return false;
            }
        }
        return true;
    }

    integration::Directory directory_;
    std::string ip_ = ip_program();
    bool are_linked_ = false;
};

}  // namespace

// Goal: a host whose link is cut, briefly or until the node is lost, loses no process that can
// continue.
// Method: n1 is alone on its host; n2 and n3 are with the coordinator.
TEST_CASE("a host whose link is cut and restored is served again", "[integration][faults][links]") {
    const TwoHosts hosts;
    if (!hosts.are_linked()) {
        WARN(no_namespaces);
        return;
    }
    // The library's threads stay in the network in which they were started.
    const integration::Client early{zmq::socket_type::req, "inproc://nobody"};
    std::optional<Inside> here{std::in_place, hosts.near};
    Trial trial;
    trial.start("n2");
    trial.start("n3");
    here.emplace(hosts.far);
    trial.start("n1");
    here.reset();
    trial.begin();
    auto& cluster = trial.cluster();
    for (const bool lasts : {false, true}) {
        CAPTURE(lasts);
        hosts.cut();
        trial.give_more_work();
        trial.changes().ask();
        REQUIRE(until([&] { return !lasts || cluster.node("n1").at("health") == "lost"; }));
        hosts.mend();
        trial.check({"n1"});
    }
}

}  // namespace muster::faults
