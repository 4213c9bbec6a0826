// Pools that grow and shrink, with real agents: muster-pool-local is the provider.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {
namespace {

constexpr const char* laptop = R"(
[providers.laptop]
kind = "local-process"
arguments = ["--slots", "10"]
)";

/// A coordinator with a provider, and no other node.
class Pool {
public:
    Pool() : cluster_{{.nodes = {}, .config = laptop}} {}

    [[nodiscard]] Cluster& cluster() { return cluster_; }
    /// With more members of its definition.
    void create(Json definition) const {
        definition.update({{"verb", "pool create"},
                           {"request_id", new_request_id()},
                           {"name", "web"},
                           {"provider", "laptop"},
                           {"unit", "slots"}});
        const Json created = cluster_.ask(definition);
        INFO(created.dump());
        REQUIRE(created.at("ok") == true);
    }
    void need(int amount) const {
        const Json said = cluster_.ask({{"verb", "demand set"},
                                        {"reporter", "lb-1"},
                                        {"ttl_ms", 30'000},
                                        {"needs", {{{"pool", "web"}, {"amount", amount}}}}});
        INFO(said.dump());
        REQUIRE(said.at("ok") == true);
    }
    [[nodiscard]] std::vector<std::string> members() const {
        std::vector<std::string> names;
        const Json reply = cluster_.ask({{"verb", "pool members"}, {"name", "web"}});
        if (reply.at("ok") == true) {
            for (const Json& member : reply.at("members")) {
                names.push_back(member.at("node"));
            }
        }
        return names;
    }
    [[nodiscard]] std::string address_of(const std::string& node) const {
        const Json reply = cluster_.ask({{"verb", "pool members"}, {"name", "web"}});
        for (const Json& member : reply.at("members")) {
            if (member.at("node") == node) {
                return member.at("address");
            }
        }
        return {};
    }
    [[nodiscard]] bool has_members(std::size_t count) const {
        return until([&] { return members().size() == count; });
    }
    [[nodiscard]] Json show() const {
        return cluster_.ask({{"verb", "pool show"}, {"name", "web"}});
    }
    /// The processes of one node.
    [[nodiscard]] std::vector<pid_t> processes_of(const std::string& node) const {
        std::vector<pid_t> pids;
        for (const Found& found : find_processes("none", nodes())) {
            std::error_code gone;
            const auto place =
                std::filesystem::read_symlink("/proc/" + std::to_string(found.pid) + "/cwd", gone);
            if (contains(place.string() + "/", "/" + node + "/")) {
                pids.push_back(found.pid);
            }
        }
        return pids;
    }
    /// The processes of nodes: agents, shims and tasks.
    [[nodiscard]] std::size_t processes() const { return find_processes("none", nodes()).size(); }
    [[nodiscard]] std::size_t count_in(const std::string& state) const {
        const Json nodes = show().at("nodes");
        return static_cast<std::size_t>(std::ranges::count_if(
            nodes, [&](const Json& node) { return node.at("state") == state; }));
    }
    /// The pool shrinks to nothing. A provider's nodes would outlive the coordinator.
    [[nodiscard]] bool ends() const {
        cluster_.ask({{"verb", "pool set"},
                      {"request_id", new_request_id()},
                      {"name", "web"},
                      {"min", 0},
                      {"max", 0}});
        return until([&] { return show().at("nodes").empty() && processes() == 0; });
    }
    [[nodiscard]] pid_t agent_of(const std::string& node) const {
        for (const Found& found : find_processes("none", cluster_.directory())) {
            const auto argv = arguments_of(found.pid);
            const bool is_agent = !argv.empty() && argv.front() == program("muster-agent");
            if (is_agent && std::ranges::count(argv, node) > 0) {
                return found.pid;
            }
        }
        return -1;
    }

private:
    /// Where the provider keeps them.
    [[nodiscard]] std::string nodes() const {
        return cluster_.directory() + "/state/coordinator/pools";
    }

    Cluster cluster_;
};

/// examples/proxy.py in front of the pool, and its clients.
class Proxy {
public:
    explicit Proxy(const Cluster& cluster)
        : output_{cluster.directory() + "/proxy"},
          process_{
              Command{.argv = {"/usr/bin/python3", "-B",
                               std::string{MUSTER_SOURCE_DIR} + "/examples/proxy.py",
                               cluster.endpoints().operators, "web", "127.0.0.1:0", "1", "0.2"},
                      .output = output_,
                      .errors = cluster.directory() + "/proxy-errors"}} {
        REQUIRE(until([&] { return text_of(output_).ends_with('\n'); }));
        endpoint_ = "tcp://127.0.0.1:" + text_of(output_).substr(std::string{"listening "}.size());
        endpoint_.pop_back();
    }

    [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
    /// Asks a server of the pool over this connection. True: it has answered.
    [[nodiscard]] static bool ask(RawConnection& connection) {
        connection.send("GET / HTTP/1.0\r\n\r\n");
        std::string answer;
        for (std::string part = connection.receive(4'096); !part.empty();
             part = connection.receive(4'096)) {
            answer += part;
        }
        return contains(answer, " 200 ");
    }
    /// How many of these requests are answered, one after the other.
    [[nodiscard]] int ask(int requests) const {
        int answered = 0;
        for (int request = 0; request < requests; ++request) {
            RawConnection connection{endpoint_};
            answered += ask(connection) ? 1 : 0;
        }
        return answered;
    }
    void end() {
        process_.signal(SIGTERM);
        CHECK(process_.wait(soon()).has_value());
    }

private:
    std::string output_;
    std::string endpoint_;
    Process process_;
};

bool takes_connections(const std::string& address) {
    try {
        const RawConnection connection{"tcp://" + address};
        return true;
    } catch (const std::runtime_error&) {
        return false;
    }
}

}  // namespace

// Goal: no request is lost while a pool grows, loses a node and shrinks. Method: connections are
// open while nodes come; none is open while a node dies with its server.
TEST_CASE("a load balancer in front of a real pool loses no request", "[integration][pools]") {
    Pool pool;
    pool.create({{"min", 1}, {"max", 6}});
    const auto applied = pool.cluster().muster(
        {"apply", "-f", std::string{MUSTER_SOURCE_DIR} + "/examples/pool.toml", "--force"});
    INFO(applied.errors);
    REQUIRE(applied.exit == Exit{.code = 0});
    Proxy proxy{pool.cluster()};
    std::vector<std::unique_ptr<RawConnection>> open;
    for (int client = 0; client < 25; ++client) {
        open.push_back(std::make_unique<RawConnection>(proxy.endpoint()));
    }
    CHECK(pool.has_members(3));
    for (const auto& connection : open) {
        CHECK(Proxy::ask(*connection));
    }
    REQUIRE(until([&] { return pool.count_in("active") == 3; }));
    const std::string victim = pool.members().front();
    const std::string address = pool.address_of(victim);
    for (const pid_t process : pool.processes_of(victim)) {
        kill(process, SIGKILL);
    }
    // Until its server's socket is closed, it may still take a connection, which then breaks.
    REQUIRE(until([&] { return !takes_connections(address); }));
    CHECK(proxy.ask(20) == 20);
    CHECK(until([&] {
        const auto now = pool.members();
        return now.size() == 3 && std::ranges::count(now, victim) == 0;
    }));
    open.clear();
    CHECK(proxy.ask(5) == 5);
    CHECK(pool.has_members(1));
    CHECK(proxy.ask(5) == 5);
    proxy.end();
    CHECK(pool.ends());
}

TEST_CASE("a pool grows with its demand, and shrinks to nothing with no process left",
          "[integration][pools][FN-12][FN-27]") {
    Pool pool;
    pool.create({{"max", 10}});
    CHECK(pool.members().empty());
    pool.need(25);
    CHECK(pool.has_members(3));
    pool.need(31);
    CHECK(pool.has_members(4));
    pool.need(0);
    CHECK(pool.has_members(0));
    CHECK(until([&] { return pool.show().at("nodes").empty(); }));
    CHECK(until([&] { return pool.processes() == 0; }));
    const Json removed = pool.cluster().ask(
        {{"verb", "pool remove"}, {"request_id", new_request_id()}, {"name", "web"}});
    CHECK(removed.at("ok") == true);
}

TEST_CASE("a node of a pool that dies is replaced", "[integration][pools][FN-D1]") {
    Pool pool;
    pool.create({{"min", 2}, {"max", 4}});
    REQUIRE(pool.has_members(2));
    // The provider has listed them: before, a node that dies counts as one that still comes.
    REQUIRE(until([&] { return pool.count_in("active") == 2; }));
    const auto before = pool.members();
    kill(pool.agent_of(before.front()), SIGKILL);
    CHECK(until([&] {
        const auto now = pool.members();
        return now.size() == 2 && now.front() == before.back();
    }));
    CHECK(pool.members().back() != before.front());
    CHECK(pool.ends());
}

TEST_CASE("after a restart of the coordinator a pool has the nodes that it had",
          "[integration][pools][FN-D2]") {
    Pool pool;
    pool.create({{"min", 3}, {"max", 6}, {"demand_ttl_ms", 1'000}});
    REQUIRE(pool.has_members(3));
    const auto before = pool.members();
    pool.cluster().kill_coordinator();
    pool.cluster().start_coordinator();
    CHECK(pool.has_members(3));
    const auto after = pool.members();
    CHECK(std::set(after.begin(), after.end()) == std::set(before.begin(), before.end()));
    CHECK(until([&] { return pool.show().at("decision").at("reason") == "at_min"; }));
    CHECK(pool.show().at("nodes").size() == 3);
    CHECK(pool.ends());
}

}  // namespace muster::integration
