#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/support/keyed_cluster.hpp"

namespace muster::integration {

// Goal: an enrolled peer that sends as much as it can delays neither rounds nor other operators.
// Method: a rogue agent and a rogue operator flood with valid and with invalid messages over four
// connections each, while real agents are polled and another operator asks and changes.
TEST_CASE("a flooding agent or operator is bounded, and rounds go on in time",
          "[integration][keys][hostile]") {
    const auto seconds = std::to_string(number_from("TEST_FLOOD_SECONDS", 1));
    KeyedCluster cluster{{"n1", "n2"}};
    const auto& at = cluster.endpoints();
    constexpr std::uint64_t rate = 1'000;  // Messages of a key in a second.
    const std::string rogue = cluster.enrolled("rogue");
    struct Flood {
        std::string name;
        std::string endpoint;
        std::string keys;
        std::vector<std::string> messages;
        std::string sentence;
    };
    const std::string ack = R"({"type": "ack", "epoch": 1, "incarnation": 4711, "obeyed": 1})";
    const Flood all[] = {
        {"agent, valid", at.agents, rogue, {ack}, "an agent sends too much"},
        {"agent, invalid", at.agents, rogue, {"hex:c1", "{"}, "an agent sends too much"},
        {"operator, valid",
         at.operators,
         cluster.admin_file(),
         {R"({"verb": "ping"})"},
         "a client sends too many requests"},
        {"operator, invalid",
         at.operators,
         cluster.admin_file(),
         {"hex:c1", "{"},
         "a client sends too many requests"}};
    for (const auto& [name, endpoint, keys, messages, sentence] : all) {
        INFO(name);
        const auto round = [&] { return cluster.status().at("round").get<std::uint64_t>(); };
        const auto rounds_before = round();
        const auto missed_before = cluster.metric("muster_misses_total");
        const auto fast_before = cluster.metric("muster_message_errors_total", "too_fast");
        std::vector<std::string> words{endpoint, cluster.server_key(), keys, seconds, "4"};
        words.insert(words.end(), messages.begin(), messages.end());
        const auto output = cluster.directory() + "/flood";
        Process flood{{.argv = hostile("flood.py", words), .output = output, .errors = output}};
        const auto start = Clock::now();
        std::chrono::steady_clock::duration longest{};
        int asked = 0;
        while (flood.running()) {
            const auto began = Clock::now();
            CHECK(cluster.ask({{"verb", "ping"}}).at("ok") == true);
            longest = std::max(longest, Clock::now() - began);
            ++asked;
        }
        const auto elapsed = static_cast<std::uint64_t>(
            std::chrono::ceil<std::chrono::seconds>(Clock::now() - start).count());
        const auto rounds = round() - rounds_before;
        const auto missed = cluster.metric("muster_misses_total") - missed_before;
        const auto dropped =
            cluster.metric("muster_message_errors_total", "too_fast") - fast_before;
        std::cout << "flood by " << name << ": " << text_of(output)
                  << "    above the rate: " << dropped << "; rounds: " << rounds
                  << ", missed polls: " << missed << "; pings: " << asked << ", the longest "
                  << std::chrono::duration_cast<std::chrono::milliseconds>(longest).count()
                  << " ms\n";
        // A slow host does not get so far, and then nothing has to be dropped.
        const auto served = Json::parse(text_of(output)).at("answers").get<std::uint64_t>() -
                            Json::parse(text_of(output)).at("busy").get<std::uint64_t>();
        CHECK(served <= (elapsed + 1) * rate);
        CHECK(rounds > 0);
        CHECK(cluster.status().at("health").at("healthy") == 2);
        CHECK((dropped == 0 || contains(cluster.log_of("coordinator"), sentence)));
        std::remove(output.c_str());
    }
}

namespace {

/// The key file of an operator of this name, who is admitted.
std::string operator_of(const KeyedCluster& cluster, const std::string& name) {
    const std::string home = cluster.directory() + "/" + name;
    const auto added =
        cluster.muster_by_key(home, {"context", "add", "c", "-c", cluster.endpoints().operators,
                                     "--coordinator-key", cluster.server_key(), "-o", "json"});
    REQUIRE(added.exit == Exit{.code = 0});
    const std::string key = Json::parse(added.output).at("key");
    REQUIRE(cluster.muster_by_key({"key", "add", name, "operator", key}).exit == Exit{.code = 0});
    return home + "/muster/contexts/c";
}

/// Established connections to this endpoint, `tcp://127.1.2.3:7700`.
int connections_to(const std::string& endpoint) {
    in_addr host{};
    const auto port_at = endpoint.rfind(':');
    REQUIRE(inet_pton(AF_INET, endpoint.substr(6, port_at - 6).c_str(), &host) == 1);
    std::array<char, 16> local{};  // As the kernel writes it.
    std::snprintf(local.data(), local.size(), "%08X:%04X", host.s_addr,
                  static_cast<unsigned>(std::stoi(endpoint.substr(port_at + 1))));
    std::istringstream lines{text_of("/proc/net/tcp")};
    int count = 0;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words{line};
        std::string number;
        std::string ours;
        std::string theirs;
        std::string state;
        words >> number >> ours >> theirs >> state;
        count += state == "01" && ours == local.data() ? 1 : 0;
    }
    return count;
}

}  // namespace

// Goal: one key costs only itself, whatever it sends on however many connections. Method: 30 of
// them, each sends messages of 1 MiB in which 300,000 empty objects are to be ignored, without a
// hello; a long-lived exclusive instance runs beside. Then the key is revoked.
TEST_CASE("one key with many connections and dear messages costs only itself [A26][A28]",
          "[integration][keys][hostile][A26][A28]") {
    KeyedCluster cluster{{"n1", "n2"}};
    const auto& at = cluster.endpoints();
    Json task = cluster.task("only", 1);
    task["exclusive"] = true;
    cluster.apply({task});
    REQUIRE(cluster.wait("only"));
    const auto running = cluster.pids("only", 1);
    const std::string rogue = cluster.enrolled("rogue");
    const auto log = cluster.directory() + "/flood";
    Process flood{{.argv = hostile("flood.py", {at.agents, cluster.server_key(), rogue, "600", "30",
                                                "objects:1000000"}),
                   .output = log,
                   .errors = log}};
    const auto counted = [&](const char* kind) {
        return cluster.metric("muster_message_errors_total", kind);
    };
    // Their first large frames were enough.
    REQUIRE(until([&] { return counted("guarded") >= 60; }));
    CHECK(cluster.status().at("health").at("healthy") == 2);
    CHECK(cluster.pids("only", 1) == running);
    CHECK(counted("agent_undecodable") == 0);

    REQUIRE(cluster.muster_by_key({"key", "revoke", "rogue"}).exit == Exit{.code = 0});
    CHECK(until([&] { return connections_to(at.agents) == 2; }));
    flood.signal(SIGKILL);
    static_cast<void>(flood.wait(soon()));
    CHECK(cluster.status().at("health").at("healthy") == 2);
    CHECK(cluster.pids("only", 1) == running);
}

// Goal: a revoked key has no connection one round later, and what it sends is not decoded. Method:
// a flood of small senseless messages over many connections, of an agent's and of an operator's
// key; only the first ones count.
TEST_CASE("nothing of a key that was revoked is decoded, and its connections end [A28]",
          "[integration][keys][hostile][A28]") {
    KeyedCluster cluster{{"n1", "n2"}};
    const bool is_agent = GENERATE(true, false);
    const std::string keys = is_agent ? cluster.enrolled("rogue") : operator_of(cluster, "rogue");
    const std::string endpoint =
        is_agent ? cluster.endpoints().agents : cluster.endpoints().operators;
    const auto log = cluster.directory() + "/flood";
    Process flood{
        {.argv = hostile("flood.py", {endpoint, cluster.server_key(), keys, "600", "40", "{"}),
         .output = log,
         .errors = log}};
    const auto counted = [&](const char* kind) {
        return cluster.metric("muster_message_errors_total", kind);
    };
    const auto* const senseless = is_agent ? "agent_undecodable" : "operator_undecodable";
    REQUIRE(until([&] { return counted(senseless) > 0; }));
    if (is_agent) {
        CHECK(until([&] { return counted("ended") >= 36; }));  // It may have four.
    }
    const int others = is_agent ? 2 : 0;
    REQUIRE(cluster.muster_by_key({"key", "revoke", "rogue"}).exit == Exit{.code = 0});
    const auto decoded = counted(senseless);
    CHECK(until([&] { return connections_to(endpoint) == others; }));
    CHECK(counted(senseless) == decoded);
    CHECK(flood.running());
    flood.signal(SIGKILL);
    static_cast<void>(flood.wait(soon()));
}

}  // namespace muster::integration
