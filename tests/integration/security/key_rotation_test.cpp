// The keys of agents and operators are replaced while both work.

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

#include "tests/catch.hpp"

#include "tests/integration/support/cluster.hpp"
#include "tests/integration/support/harness.hpp"
#include "tests/integration/support/keyed_cluster.hpp"

using namespace muster;
using namespace muster::integration;

namespace {

bool has_answer(const Json& outcome) { return outcome.contains("answer"); }

}  // namespace

// Goal: the key of an agent is replaced while it works, and nobody notices but the one before.
// Method: rotate under rounds; then look at every round since, at the flap score, the task's
// process, the files, and what a peer with a copy of the old key gets.
TEST_CASE("a key is replaced without a missed poll, for an agent and an operator [A12]",
          "[integration][keys]") {
    KeyedCluster cluster;
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto pids = cluster.pids("web", 1);
    const std::string copy = cluster.directory() + "/agent.copy";
    std::filesystem::copy_file(cluster.key_of("n1"), copy);
    const std::string before = public_key(copy);
    const auto since = cluster.ask({{"verb", "events"}, {"limit", 1000}})
                           .at("events")
                           .back()
                           .at("sequence")
                           .get<int>();
    REQUIRE(cluster.muster_by_key({"key", "rotate", "n1"}).exit == Exit{.code = 0});
    REQUIRE(until([&] {
        return public_key(cluster.key_of("n1")) != before &&
               !std::filesystem::exists(cluster.key_of("n1") + ".new");
    }));
    const auto keys = cluster.ask({{"verb", "key list"}, {"pattern", "n1"}}).at("keys");
    REQUIRE(keys.size() == 1);
    CHECK(keys.at(0).at("key") == public_key(cluster.key_of("n1")));
    CHECK_FALSE(keys.at(0).contains("rotation"));
    struct stat status = {};
    REQUIRE(stat(cluster.key_of("n1").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600);
    // Two more rounds, in which the new link answers.
    const auto rounds = [&] {
        std::vector<std::string> all;
        const auto events = cluster.ask({{"verb", "events"}, {"since", since}, {"limit", 1000}});
        for (const auto& event : events.at("events")) {
            if (event.at("topic") == "round.closed") {
                all.push_back(event.at("detail"));
            }
        }
        return all;
    };
    REQUIRE(cluster.muster_by_key({"round", "now"}).exit == Exit{.code = 0});
    REQUIRE(cluster.muster_by_key({"round", "now"}).exit == Exit{.code = 0});
    for (const std::string& round : rounds()) {
        CHECK(round.find("answered 1, missed 0") == 0);
    }
    const auto shown = cluster.ask({{"verb", "node show"}, {"name", "n1"}});
    CHECK(shown.at("flap_score").at("contributions").empty());
    CHECK(cluster.pids("web", 1) == pids);
    CHECK(cluster.instances_of("web").at(0).at("restarts") == 0);
    CHECK(cluster.log_of("n1").find("connected with the other key") != std::string::npos);
    CHECK_FALSE(has_answer(cluster.curve(cluster.endpoints().agents, copy, hello_of("n1"))));
    CHECK(has_answer(
        cluster.curve(cluster.endpoints().agents, cluster.key_of("n1"), hello_of("n2"))));

    // The same for a person, whose context keeps working.
    const std::string old_admin = cluster.directory() + "/admin.copy";
    std::filesystem::copy_file(cluster.admin_file(), old_admin);
    const auto rotated = cluster.muster_by_key({"key", "rotate"});
    INFO(rotated.errors);
    REQUIRE(rotated.exit == Exit{.code = 0});
    CHECK(public_key(cluster.admin_file()) != public_key(old_admin));
    CHECK(cluster.muster_by_key({"token", "list"}).exit == Exit{.code = 0});
    const std::string ask = R"({"verb": "status"})";
    CHECK_FALSE(has_answer(cluster.curve(cluster.endpoints().operators, old_admin, ask)));
    CHECK(has_answer(cluster.curve(cluster.endpoints().operators, cluster.admin_file(), ask)));
    CHECK(cluster.ask({{"verb", "key list"}, {"pattern", "admin"}}).at("keys").size() == 1);
}

// Goal: a crash at any step of a replacement leaves a key that is admitted.
// Method: kill the coordinator when it has just accepted the wish; then kill the agent, and give it
// the files of each step: the coordinator has retired the key that the agent would try first.
TEST_CASE("a crash while a key is replaced locks nobody out [A12]", "[integration][keys]") {
    KeyedCluster cluster;
    const std::string key = cluster.key_of("n1");
    const std::string copy = cluster.directory() + "/agent.copy";
    std::filesystem::copy_file(key, copy);
    REQUIRE(cluster.muster_by_key({"key", "rotate", "n1"}).exit == Exit{.code = 0});
    cluster.kill_coordinator();
    cluster.start_coordinator();
    REQUIRE(until([&] {
        return public_key(key) != public_key(copy) && !std::filesystem::exists(key + ".new");
    }));
    const std::string after = public_key(key);
    cluster.kill_agent("n1");
    std::filesystem::rename(key, key + ".new");
    std::filesystem::rename(copy, key);
    cluster.start_agent("n1");
    REQUIRE(until([&] { return public_key(key) == after; }));
    CHECK_FALSE(std::filesystem::exists(key + ".new"));
    CHECK(until([&] { return cluster.node("n1").at("health") == "healthy"; }));
    // A new key that was written in part, and never sent.
    cluster.kill_agent("n1");
    std::ofstream{key + ".new"} << "public = ";
    cluster.start_agent("n1");
    REQUIRE(cluster.muster_by_key({"key", "rotate", "n1"}).exit == Exit{.code = 0});
    CHECK(
        until([&] { return public_key(key) != after && !std::filesystem::exists(key + ".new"); }));
    CHECK(until([&] { return cluster.node("n1").at("health") == "healthy"; }));
    // A person whose command ended before the file was replaced runs it again.
    const std::string mine = cluster.admin_file();
    std::filesystem::copy_file(mine, copy);
    REQUIRE(cluster.muster_by_key({"key", "rotate"}).exit == Exit{.code = 0});
    std::filesystem::rename(mine, cluster.contexts() + "/muster/new/default");
    std::filesystem::rename(copy, mine);
    CHECK(cluster.muster_by_key({"token", "list"}).exit == Exit{.code = 6});
    CHECK(cluster.muster_by_key({"key", "rotate"}).exit == Exit{.code = 0});
    CHECK(cluster.muster_by_key({"token", "list"}).exit == Exit{.code = 0});
}
