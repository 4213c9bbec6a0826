#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/integration/support/keyed_cluster.hpp"

namespace muster::integration {
namespace {

// Far less than the attacks send, and more than a busy allocator keeps. 10^5 frames of 500 bytes
// alone are 50 MB.
constexpr std::size_t growth_of_attacks = 48U * 1024U * 1024U;

// Those after which a connection is of no use: the coordinator must end it.
const std::set<std::string> cut_off_attacks{"giant_frame",   "frame_above_the_limit",
                                            "many_frames",   "endless_message",
                                            "long_metadata", "wrong_boxes"};
// Those that the guard or the decoder sees, and counts.
const std::set<std::string> counted_attacks{
    "giant_frame",   "frame_above_the_limit", "many_frames", "endless_message",
    "long_metadata", "deep_nesting",          "array_bomb"};

}  // namespace

// Goal: an enrolled peer can neither end nor grow the coordinator nor keep it from others, and what
// it does is counted.
// Method: an agent's key and an operator's, and a subscriber of events, attack under CURVE from
// Python; after each attack the same key is answered again.
TEST_CASE("an enrolled peer that attacks is refused, cut off and counted [A14]",
          "[integration][keys][hostile]") {
    KeyedCluster cluster;
    const auto& at = cluster.endpoints();
    const std::string rogue = cluster.enrolled("rogue");
    struct Attack {
        std::string endpoint;
        std::string keys;
        std::string kind;
    };
    const Attack all[] = {{at.agents, rogue, "DEALER"},
                          {at.operators, cluster.admin_file(), "DEALER"},
                          {at.events, cluster.admin_file(), "SUB"}};
    const auto pid = cluster.coordinator().pid();
    const auto before = resident_bytes(pid);
    for (const auto& [endpoint, keys, kind] : all) {
        INFO(endpoint);
        const auto outcomes = lines_of(
            run(cluster.directory(), hostile("curve_attacks.py", {endpoint, cluster.server_key(),
                                                                  keys, at.http, "--kind", kind})));
        CHECK(outcomes.size() == (kind == "SUB" ? 9 : 11));
        for (const auto& outcome : outcomes) {
            INFO(outcome.dump());
            const std::string name = outcome.at("attack");
            CHECK(outcome.at("cut") == cut_off_attacks.contains(name));
            for (const auto& answer : outcome.at("answers")) {
                CHECK((contains(answer, "malformed") || contains(answer, "too_large")));
            }
            CHECK((outcome.at("counted") > 0 || !counted_attacks.contains(name)));
        }
        REQUIRE(cluster.coordinator().running());
        CHECK(cluster.serving(1));
    }
    const auto after = resident_bytes(pid);
    INFO("resident before " << before << ", after " << after);
    CHECK(after < before + growth_of_attacks);
    CHECK(cluster.agent("n1").running());
}

}  // namespace muster::integration
