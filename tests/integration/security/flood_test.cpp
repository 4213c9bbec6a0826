#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <iostream>
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
        {"agent, valid", at.agents, rogue, {ack}, "an agent sends too many messages"},
        {"agent, invalid", at.agents, rogue, {"hex:c1", "{"}, "an agent sends too many messages"},
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

}  // namespace muster::integration
