// A report that makes no sense is shown with its node.

#include <algorithm>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

std::size_t bad_reports(const CoordinatorHarness& harness) {
    return static_cast<std::size_t>(
        std::ranges::count(harness.events, "node.bad_report", &Event::topic));
}

std::uint64_t sample(CoordinatorHarness& harness, const std::string& name) {
    const auto stats = harness.read<StatsReply>(StatsRequest{});
    const auto found = std::ranges::find(stats.samples, name, &Sample::name);
    REQUIRE(found != stats.samples.end());
    return found->value;
}

}  // namespace

// Goal: a node that answers nonsense is not taken for a silent one.
// Method: one agent sends unreadable messages instead of its answers, then answers again.
TEST_CASE("a node whose answers make no sense shows it until a valid one arrives",
          "[coordinator][nodes]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    CHECK(harness.node("n1").bad_report.empty());
    n1.answers = false;
    for (int round = 0; round < 3; ++round) {
        harness.give(Undecodable{n1.session, "report: vitals is not a map"});
        harness.pass(1s);
    }
    const NodeView node = harness.node("n1");
    CHECK(node.bad_report == "its message makes no sense: report: vitals is not a map");
    CHECK_THAT(node.note, Catch::StartsWith("silent for ") && Catch::EndsWith(node.bad_report));
    CHECK(bad_reports(harness) == 1);
    const auto why = harness.read<ExplainReply>(ExplainRequest{Subject::node, "n1"});
    CHECK_THAT(why.detail, Catch::Contains(node.bad_report));

    harness.give(Undecodable{n1.session, "report: to is missing"});
    CHECK(bad_reports(harness) == 2);
    n1.answers = true;
    harness.pass(2s);
    CHECK(harness.node("n1").bad_report.empty());
    CHECK(harness.node("n1").note.empty());
}

TEST_CASE("nonsense of many kinds is one event a round", "[coordinator][nodes]") {
    CoordinatorHarness harness;
    const FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    for (int i = 0; i < 4; ++i) {
        harness.give(Undecodable{n1.session, std::to_string(i)});
    }
    CHECK(bad_reports(harness) == 1);
    CHECK_THAT(harness.node("n1").bad_report, Catch::EndsWith("3"));
}

TEST_CASE("a node that is asked for a complete report and sends a part shows it",
          "[coordinator][nodes]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.add("n1");
    n1.answers = false;
    harness.send_hello(n1);
    REQUIRE_FALSE(n1.polls.empty());
    Report report = harness.report_of(n1, n1.polls.back());
    report.kind = ReportKind::same;
    harness.give(FromAgent{n1.session, report});
    CHECK_THAT(harness.node("n1").note, Catch::Contains("its answer is no snapshot"));
}

// Goal: a node that answers another leadership counts neither as silent nor as late.
TEST_CASE("an answer of another epoch is counted and shown", "[coordinator][nodes]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    CHECK(sample(harness, "muster_other_epoch_reports_total") == 0);
    n1.answers = false;
    harness.pass(1s);
    Report report = harness.report_of(n1, n1.polls.back());
    report.epoch = Epoch{99};
    harness.give(FromAgent{n1.session, report});
    CHECK(sample(harness, "muster_other_epoch_reports_total") == 1);
    CHECK_THAT(harness.node("n1").note,
               Catch::Contains("it answers in epoch 99, and epoch 3 leads"));
    CHECK(bad_reports(harness) == 0);
    report.epoch = Epoch{3};
    report.incarnation = Incarnation{7};
    harness.give(FromAgent{n1.session, report});
    CHECK(sample(harness, "muster_other_epoch_reports_total") == 2);
    CHECK_THAT(harness.node("n1").note, Catch::Contains("incarnation 7"));
}

// Goal: a suspended node shows the cause, if its agent can report it.
TEST_CASE("a suspended node shows what its agent cannot do", "[coordinator][nodes]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    n1.host.journal_failing = true;
    n1.vitals = {.at = CoordinatorHarness::civil_start, .trouble = "/state/journal: No such file"};
    harness.pass(6s);
    REQUIRE(harness.node("n1").health == "flaky");
    const auto why = harness.read<ExplainReply>(ExplainRequest{Subject::node, "n1"});
    CHECK(why.detail ==
          "suspended; cannot write its own state: "
          "/state/journal: No such file");
}
