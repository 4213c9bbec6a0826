#include <string>
#include <vector>

#include "tests/integration/harness.hpp"

namespace muster::integration {

namespace {

std::string source(const std::string& path) { return std::string{MUSTER_SOURCE_DIR} + "/" + path; }

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

// Goal: docs/protocol.md is the contract, so what it shows must happen.
// Method: a client that has nothing of muster executes every example of the page.
TEST_CASE("the examples of the protocol's manual do what it says", "[integration][foreign]") {
    Cluster cluster;
    const auto done =
        run(cluster.directory(),
            {"/usr/bin/python3", source("tests/integration/protocol_examples.py"),
             source("docs/protocol.md"), cluster.endpoints().agents, cluster.endpoints().operators,
             cluster.operators_socket(), cluster.endpoints().events, cluster.agent_socket("n1")});
    INFO(done.output << done.errors);
    CHECK(done.exit == Exit{.code = 0});
    CHECK(lines_of(done.output) >= 5);
}

}  // namespace muster::integration
