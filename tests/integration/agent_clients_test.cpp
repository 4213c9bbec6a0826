#include <memory>
#include <string>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

/// At once, as three terminals or scripts do.
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

// Goal: whoever asks an agent for its status leaves nothing behind that harms a task.
// Method: several ask at once and go; the numbers of their files go to the links of new shims.
TEST_CASE("clients of an agent's own socket cost it no process", "[integration][clients]") {
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
    // Nor was anything lost and mended later.
    CHECK(cluster.log_of("n1").find("asked again") == std::string::npos);
}

}  // namespace muster::integration
