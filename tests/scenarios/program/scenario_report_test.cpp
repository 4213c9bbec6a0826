#include <string>
#include <vector>

#include "tests/catch.hpp"
#include <nlohmann/json.hpp>

#include "sim/scenario/report.hpp"

namespace muster::sim {
namespace {

using Json = nlohmann::ordered_json;

/// A step of each kind: one that succeeded, one that cost more than necessary, one that did not
/// end.
ScenarioResult sample() {
    ScenarioResult result;
    result.nodes = 6;
    result.converged = false;
    result.simulated = 90s;
    result.hash = 0xabc;
    result.steps.push_back({.at = 100ms,
                            .text = "begin",
                            .converged = 10ms,
                            .plans = 1,
                            .messages = 18,
                            .bytes = 2048,
                            .made = {12, 0},
                            .least = Moves{12, 0},
                            .short_most = 12,
                            .short_for = 3ms,
                            .load_least = 2,
                            .load_most = 2,
                            .unplaced = 0});
    result.steps.push_back({.at = 60s,
                            .text = "drain n0",
                            .converged = 1500ms,
                            .plans = 2,
                            .made = {3, 3},
                            .least = Moves{2, 3},
                            .unplaced = 4,
                            .notes = {"4 unplaced, slots: web"}});
    result.steps.push_back({.at = 70s, .text = "crash-coordinator", .notes = {"no coordinator"}});
    return result;
}

Scenario named() {
    Scenario scenario;
    scenario.file = "s.toml";
    scenario.options.seed = 7;
    return scenario;
}

TEST_CASE("the report of a scenario as JSON has these fields", "[scenario][written]") {
    const std::string text = to_json(named(), sample());
    CHECK(text.ends_with("}\n"));
    const Json json = Json::parse(text);
    CHECK(json.dump().starts_with(
        R"({"scenario":"s.toml","seed":7,"nodes":6,"good":false,"converged":false,)"
        R"("simulated_ms":90000,"trace":"0000000000000abc","violations":[],"steps":[)"));
    REQUIRE(json["steps"].size() == 3);
    CHECK(json["steps"][0].dump() ==
          R"({"at_ms":100,"do":"begin","converged":true,"converged_after_ms":10,"plans":1,)"
          R"("made":{"starts":12,"stops":0},"least":{"starts":12,"stops":0},)"
          R"("short":{"most":12,"for_ms":3},"load":{"least":2,"most":2},"unplaced":0,)"
          R"("messages":18,"bytes":2048,"refused":0,"violations":0,"notes":[]})");
    CHECK(json["steps"][1]["notes"][0] == "4 unplaced, slots: web");
    CHECK(json["steps"][2]["converged_after_ms"].is_null());
    CHECK(json["steps"][2]["least"].is_null());
    CHECK(json["steps"][2]["unplaced"].is_null());
}

TEST_CASE("the report of a scenario is a table with a row for each step", "[scenario][written]") {
    const std::string text = to_text(named(), sample(), false);
    CHECK(
        text ==
        R"(AT     STEP               CONVERGED  PLANS  STARTS      STOPS  SHORT       LOAD  UNPLACED  MESSAGES  BYTES
100ms  begin              10ms       1      12          0      12 for 3ms  2-2   0         18        2KiB
60.0s  drain n0           1.5s       2      3, least 2  3      -           0-0   4         0         0B
70.0s  crash-coordinator  no         0      0           0      -           0-0   ?         0         0B
60.0s drain n0: 4 unplaced, slots: web
70.0s crash-coordinator: no coordinator
6 nodes, seed 7: NOT converged at the end; 1m30s simulated, trace 0000000000000abc
)");
}

TEST_CASE("the report of a scenario ends with the unplaced instances", "[scenario][written]") {
    ScenarioResult result = sample();
    result.converged = true;
    CHECK_THAT(to_text(named(), result, false),
               Catch::Contains("seed 7: converged, no promise broken; "));
    result.steps.back().unplaced = 82;
    CHECK_THAT(to_text(named(), result, false),
               Catch::Contains("seed 7: converged as far as there is room, 82 unplaced, no "
                               "promise broken; "));
    result.refused = 1;
    CHECK_FALSE(result.is_good());
    CHECK_THAT(to_text(named(), result, false),
               Catch::Contains("seed 7: converged at the end, but 1 request REFUSED; "));
}

TEST_CASE("the report of a scenario begins with the broken promises", "[scenario][written]") {
    ScenarioResult result = sample();
    result.converged = true;
    CHECK(result.is_good());
    result.violations = {"S7: three copies of web.0"};
    CHECK_FALSE(result.is_good());
    const std::string text = to_text(named(), result, false);
    CHECK(text.starts_with("S7: three copies of web.0\nAT "));
    CHECK(text.find("seed 7: 1 promise BROKEN; ") != std::string::npos);
    CHECK(Json::parse(to_json(named(), result))["violations"][0] == "S7: three copies of web.0");
}

}  // namespace
}  // namespace muster::sim
