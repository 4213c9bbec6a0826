#include "coordinator/core/planning/index/filters.hpp"

#include <cstdint>
#include <string>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "coordinator/core/planning/index/scores.hpp"

namespace muster::coordinator::test {
namespace {

PlacementRule rule_of(const std::string& constraint) {
    PlacementRule rule;
    rule.constraints.push_back(*parse_constraint(constraint));
    return rule;
}

Offer offer_of(const Labels& labels) {
    Offer offer;
    offer.labels = labels;
    return offer;
}

}  // namespace

TEST_CASE("the filters check a node's pool first, then its labels", "[planner]") {
    const Offer offer = offer_of({{"rack", "r7"}, {"cores", "16"}});
    CHECK(judge_offer({}, "n1", offer) == Verdict::fits);
    CHECK(judge_offer(rule_of("rack = r7"), "n1", offer) == Verdict::fits);
    CHECK(judge_offer(rule_of("rack != r7"), "n1", offer) == Verdict::label);
    CHECK(judge_offer(rule_of("rack in (r1, r7)"), "n1", offer) == Verdict::fits);
    CHECK(judge_offer(rule_of("zone != a"), "n1", offer) == Verdict::fits);
    CHECK(judge_offer(rule_of("ssd exists"), "n1", offer) == Verdict::label);
    CHECK(judge_offer(rule_of("cores >= 16"), "n1", offer) == Verdict::fits);
    CHECK(judge_offer(rule_of("cores > 16"), "n1", offer) == Verdict::label);
    PlacementRule elsewhere = rule_of("rack != r7");
    elsewhere.pool = "gpu";
    CHECK(judge_offer(elsewhere, "n1", offer) == Verdict::pool);
}

TEST_CASE("a constraint on node compares the node's own name", "[planner]") {
    CHECK(judge_offer(rule_of("node = n1"), "n1", {}) == Verdict::fits);
    CHECK(judge_offer(rule_of("node = n1"), "n2", {}) == Verdict::label);
    CHECK(judge_offer(rule_of("node != n1"), "n2", {}) == Verdict::fits);
}

TEST_CASE("the unmet constraint is named", "[planner]") {
    PlacementRule rule = rule_of("rack = r7");
    rule.constraints.push_back(*parse_constraint("cores >= 16"));
    const Offer offer = offer_of({{"rack", "r7"}, {"cores", "8"}});
    REQUIRE(unmet(rule, "n1", offer) != nullptr);
    CHECK(to_string(*unmet(rule, "n1", offer)) == "cores >= 16");
}

TEST_CASE("room is the capacity less what is reserved and placed", "[planner]") {
    Offer offer;
    offer.capacity = {.cpu_milli = 4'000, .memory_bytes = 1'000, .slots = 3};
    offer.reserved = {.cpu_milli = 500, .memory_bytes = 0, .slots = 1};
    const Allowance allowance = allowance_of(offer);
    CHECK(allowance == Allowance{3'500, 1'000, 2});
    const Use use{3'000, 900, 1};
    CHECK(judge_room({500, 100, 1}, allowance, use) == Verdict::fits);
    CHECK(judge_room({501, 100, 1}, allowance, use) == Verdict::cpu);
    CHECK(judge_room({500, 101, 1}, allowance, use) == Verdict::memory);
    CHECK(judge_room({500, 100, 2}, allowance, use) == Verdict::slots);
}

TEST_CASE("a resource that is not requested never rules out a node, even over its capacity",
          "[planner]") {
    const Allowance allowance{.cpu_milli = 100, .memory_bytes = 100, .slots = 0};
    const Use use{200, 50, 5};
    CHECK(judge_room({0, 50, 0}, allowance, use) == Verdict::fits);
    CHECK(judge_room({1, 50, 0}, allowance, use) == Verdict::cpu);
    CHECK(judge_room({0, 50, 1}, allowance, use) == Verdict::slots);
}

TEST_CASE("an unknown capacity is unlimited, and a reserve above it leaves nothing", "[planner]") {
    CHECK(allowance_of({}) == Allowance{});
    const std::uint64_t most = limits::cpu_milli;
    CHECK(judge_room({most, 0, 1}, Allowance{}, Use{most * limits::instances_per_node, 0, 0}) ==
          Verdict::fits);
    Offer offer;
    offer.capacity.cpu_milli = 100;
    offer.reserved.cpu_milli = 200;
    CHECK(allowance_of(offer).cpu_milli == 0);
}

TEST_CASE("the first part of a score that differs decides, and is named", "[planner]") {
    const Score best{0, 3, 9, 9};
    CHECK(best < Score{1, 0, 0, 0});
    CHECK(to_string(decided_by(best, {1, 0, 0, 0})) == "affinity");
    CHECK(best < Score{0, 4, 0, 0});
    CHECK(to_string(decided_by(best, {0, 4, 0, 0})) == "spread");
    CHECK(to_string(decided_by(best, {0, 3, 10, 0})) == "load");
    CHECK(to_string(decided_by(best, {0, 3, 9, 10})) == "name");
}

}  // namespace muster::coordinator::test
