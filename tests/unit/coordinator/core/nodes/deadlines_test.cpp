#include "coordinator/core/nodes/deadlines.hpp"

#include <map>
#include <utility>

#include "tests/catch.hpp"

#include "common/base/random.hpp"

using namespace muster;
using namespace muster::coordinator;

// Goal: a node has one deadline of each kind, which is never early, late or repeated.
// Method: a random history compared with a plain map.
TEST_CASE("a deadline is met once, in the order of time", "[nodes][deadlines]") {
    Random random{7};
    Deadlines deadlines;
    std::map<std::pair<NodeIndex, DueKind>, Instant> plain;
    Instant now{};
    for (int round = 0; round < 20'000; ++round) {
        const NodeIndex node{static_cast<std::uint32_t>(random.below(50))};
        const auto kind = static_cast<DueKind>(random.below(due_kinds));
        if (const auto act = random.below(10); act < 6) {
            const Instant at = now + std::chrono::seconds{random.below(100)};
            deadlines.set(node, kind, at);
            plain[{node, kind}] = at;
        } else if (act < 8) {
            deadlines.end(node, kind);
            plain.erase({node, kind});
        } else {
            deadlines.end_all(node);
            std::erase_if(plain, [&](const auto& entry) { return entry.first.first == node; });
        }
        now += std::chrono::seconds{random.below(5)};
        Instant before{};
        while (const auto due = deadlines.take_due(now)) {
            REQUIRE(due->at >= before);
            before = due->at;
            const auto found = plain.find({due->node, due->kind});
            REQUIRE(found != plain.end());
            REQUIRE(found->second == due->at);
            plain.erase(found);
        }
        REQUIRE(deadlines.count() == plain.size());
        REQUIRE((!deadlines.next() || *deadlines.next() > now));
    }
}
