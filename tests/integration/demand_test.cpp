// Demand for pools, from a foreign program, over real sockets.

#include <fstream>
#include <string>
#include <sys/stat.h>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

// Goal: the example of the documentation works, and what it needs no more is gone at once. Method:
// it reads amounts from a pipe that the test writes; its own time to live is longer than this test
// waits.
TEST_CASE("a program reports what it needs of a pool, and takes it back",
          "[integration][pools][FN-03]") {
    Cluster cluster{{.nodes = {}}};
    const std::string pipe = cluster.directory() + "/amounts";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    Process reporter{
        Command{.argv = {"/bin/sh", "-c", "exec /usr/bin/python3 \"$0\" \"$1\" web lb-1 < \"$2\"",
                         std::string{MUSTER_SOURCE_DIR} + "/examples/report_demand.py",
                         cluster.endpoints().operators, pipe},
                .errors = cluster.directory() + "/errors"}};
    const auto demand = [&] {
        const Json rows = cluster.ask({{"verb", "demand list"}}).at("demand");
        return rows.empty() ? 0 : rows.at(0).at("amount").get<int>();
    };
    std::ofstream amounts{pipe};
    amounts << "300\n" << std::flush;
    CHECK(until([&] { return demand() == 300; }));
    amounts << "20\n" << std::flush;
    CHECK(until([&] { return demand() == 20; }));
    const Json pools = cluster.ask({{"verb", "pool list"}}).at("pools");
    REQUIRE(pools.size() == 1);
    CHECK(pools.at(0).at("demand") == 20);
    CHECK(pools.at(0).at("reporters") == 1);
    amounts.close();
    CHECK(reporter.wait(soon()) == Exit{.code = 0});
    CHECK(demand() == 0);
    CHECK(text_of(cluster.directory() + "/errors").empty());
}

}  // namespace muster::integration
