// The clients of a pool: examples/pool_client.py, which is pure, and examples/proxy.py around it.
// The tests are in Python, beside this file.

#include <fstream>
#include <string>
#include <sys/stat.h>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {
namespace {

void passes(const std::string& file, const std::string& test) {
    const Directory directory;
    const auto done =
        run(directory.path(),
            {"/usr/bin/python3", "-B",
             std::string{MUSTER_SOURCE_DIR} + "/tests/integration/pools/" + file, test});
    INFO(done.errors);
    CHECK(done.exit == Exit{.code = 0});
    CHECK(contains(done.errors, "Ran 1 test"));
}

void client_passes(const std::string& test) { passes("pool_client_test.py", test); }
void proxy_passes(const std::string& test) { passes("proxy_test.py", "ProxyTest." + test); }

}  // namespace

TEST_CASE("the demand of a client is the sum of its open reservations",
          "[integration][pools][FN-01]") {
    client_passes("DemandTest.test_follows_reservations");
}

TEST_CASE("a client's demands of two pools are independent", "[integration][pools][FN-02]") {
    client_passes("DemandTest.test_pools_are_independent");
}

TEST_CASE("a client says 0 once, and again only if that was lost", "[integration][pools][FN-03]") {
    client_passes("DemandTest.test_zero_is_said_once");
}

TEST_CASE("a doubled release takes nothing from other reservations",
          "[integration][pools][FN-D8]") {
    client_passes("DemandTest.test_release_never_goes_below_zero");
}

TEST_CASE("a client merges updates to one request a period, and loses no release",
          "[integration][pools][FN-D9]") {
    client_passes("DemandTest.test_updates_merge_and_no_release_is_lost");
}

TEST_CASE("a client uses exactly the members that serve, in their order",
          "[integration][pools][FN-06]") {
    client_passes("MembersTest.test_exactly_those_that_serve_in_their_order");
}

TEST_CASE("a client applies changes of its list in their order", "[integration][pools][FN-06]") {
    client_passes("MembersTest.test_changes_are_applied_in_order");
}

TEST_CASE("a member that cannot be reached keeps its position", "[integration][pools][FN-07]") {
    client_passes("MembersTest.test_a_placeholder_keeps_positions");
}

TEST_CASE("a client keeps the last members without an answer, and a failure spoils one of them",
          "[integration][pools][FN-D10]") {
    client_passes("MembersTest.test_the_last_members_stay_without_an_answer");
}

TEST_CASE("the proxy's demand follows its connections", "[integration][pools][FN-01][FN-03]") {
    proxy_passes("test_demand_follows_the_connections");
}

TEST_CASE("the proxy loses no request when a member is dead", "[integration][pools][FN-07]") {
    proxy_passes("test_no_request_is_lost_when_a_member_is_dead");
}

TEST_CASE("a member that left finishes its connections, and gets no new ones from the proxy",
          "[integration][pools][FN-06]") {
    proxy_passes("test_a_member_that_left_finishes_and_gets_nothing_new");
}

TEST_CASE("a connection to a pool without members waits for the first", "[integration][pools]") {
    proxy_passes("test_a_request_waits_for_the_first_node");
}

TEST_CASE("the proxy serves while no coordinator answers", "[integration][pools][FN-D10]") {
    proxy_passes("test_it_goes_on_without_a_coordinator");
}

// Goal: the example in C++ does the same as that in Python. Method: as in demand_test.cpp; the
// local socket needs no keys.
TEST_CASE("a program in C++ reports what it needs of a pool, and takes it back",
          "[integration][pools][FN-03]") {
    Cluster cluster{{.nodes = {}, .keys = true}};
    const std::string pipe = cluster.directory() + "/amounts";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    Process reporter{Command{.argv = {"/bin/sh", "-c", "exec \"$0\" \"$1\" web lb-1 < \"$2\"",
                                      program("report-demand"), cluster.operators_socket(), pipe},
                             .errors = cluster.directory() + "/errors"}};
    const auto demand = [&] {
        const Json rows = cluster.ask({{"verb", "demand list"}}).at("demand");
        return rows.empty() ? 0 : rows.at(0).at("amount").get<int>();
    };
    std::ofstream amounts{pipe};
    amounts << "7\n300\n" << std::flush;
    CHECK(until([&] { return demand() == 300; }));
    amounts.close();
    CHECK(reporter.wait(soon()) == Exit{.code = 0});
    CHECK(demand() == 0);
    CHECK(text_of(cluster.directory() + "/errors").empty());
}

}  // namespace muster::integration
