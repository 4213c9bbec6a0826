#include <memory>
#include <string>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

/// Sends the requests at the same time, as several terminals or scripts do.
void ask_at_once(const std::string& endpoint, std::size_t clients) {
    std::vector<std::unique_ptr<Client>> all;
    for (std::size_t i = 0; i < clients; ++i) {
        all.push_back(std::make_unique<Client>(zmq::socket_type::req, endpoint));
        REQUIRE(all.back()->send("status"));
    }
    for (const auto& client : all) {
        REQUIRE(client->receive());
    }
}

}  // namespace

// Goal: a client of an agent's status leaves nothing behind that harms a task.
// Method: several clients ask at once and leave; new shim links then reuse their file descriptors.
TEST_CASE("clients of an agent's own socket do not end a process", "[integration][clients]") {
    Cluster cluster{{.nodes = {"n1"}}};
    const auto endpoint = cluster.agent_socket("n1");
    const pid_t agent = cluster.agent("n1").pid();
    for (std::size_t i = 0; i < 10; ++i) {
        const auto files = open_files(agent);
        ask_at_once(endpoint, 2 + i % 2);
        REQUIRE(until([&] { return open_files(agent) <= files; }));
        cluster.apply({cluster.task("t" + std::to_string(i), 1)});
        CAPTURE(i);
        REQUIRE(cluster.wait("t" + std::to_string(i)));
    }
    cluster.apply({cluster.task("last", 1)}, true);
    CHECK(cluster.wait("last"));
    CHECK(until([&] { return ask_line(endpoint, "list")->at("instances").size() == 1; }));
    CHECK(cluster.tasks().size() == 1);
    // Also, no message was lost and recovered later.
    CHECK(cluster.log_of("n1").find("asked again") == std::string::npos);
}

}  // namespace muster::integration
