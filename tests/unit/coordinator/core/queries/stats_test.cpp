// The coordinator's metrics, and the last reports of agents.

#include <algorithm>
#include <string>

#include "tests/catch.hpp"

#include "coordinator/core/planning/histogram.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

namespace {

std::uint64_t sample(const StatsReply& stats, const std::string& name, const MetricLabels& labels) {
    const auto found = std::ranges::find_if(stats.samples, [&](const Sample& one) {
        return one.name == "muster_" + name && one.labels == labels;
    });
    INFO(name);
    REQUIRE(found != stats.samples.end());
    return found->value;
}

std::uint64_t sample(CoordinatorHarness& harness, const std::string& name,
                     const MetricLabels& labels = {}) {
    return sample(harness.read<StatsReply>(StatsRequest{}), name, labels);
}

}  // namespace

// Goal: GO-02, by the metric. Method: one of three nodes misses a round.
TEST_CASE("a round in which two of three nodes answer counts two", "[coordinator][stats][GO-02]") {
    CoordinatorHarness harness;
    for (const char* const name : {"n1", "n2", "n3"}) {
        harness.join(name);
    }
    harness.pass(3s);
    CHECK(sample(harness, "last_round_answered") == 3);
    const std::uint64_t rounds = sample(harness, "rounds_total");
    const std::uint64_t polls = sample(harness, "polls_total");
    const std::uint64_t misses = sample(harness, "misses_total");

    harness["n2"].answers = false;
    harness.pass(2s);
    CHECK(sample(harness, "last_round_answered") == 2);
    CHECK(sample(harness, "last_round_missed") == 1);
    CHECK(sample(harness, "rounds_total") > rounds);
    CHECK(sample(harness, "polls_total") >= polls + 3);
    CHECK(sample(harness, "misses_total") > misses);
}

// Goal: all numbers agree. Method: a cluster with something of every kind; compare both views.
TEST_CASE("the numbers of stats are those of status", "[coordinator][stats]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.join("n3").obeys = false;
    harness.want("web", 2);
    harness.want("big", 5);
    harness.pass(3s);
    harness["n2"].answers = false;
    harness.pass(4s);

    const StatusReply status = harness.status();
    const auto stats = harness.read<StatsReply>(StatsRequest{});
    const auto of = [&](const std::string& name, const MetricLabels& labels = {}) {
        return sample(stats, name, labels);
    };
    CHECK(of("nodes") == 3);
    CHECK(of("nodes_serving") == status.serving);
    CHECK(of("nodes_free") + of("nodes_busy") == status.serving);
    CHECK(of("nodes_by_health", {{"health", "lost"}}) == 1);
    CHECK(of("nodes_by_health", {{"health", "lost"}}) == status.lost);
    CHECK(of("nodes_by_intent", {{"intent", "active"}}) == 3);
    CHECK(of("instances_wanted") == 7);
    CHECK(of("instances", {{"state", "running"}}) == status.running);
    CHECK(of("instances", {{"state", "unplaced"}}) == status.unplaced);
    CHECK(of("node_changes_total", {{"change", "joined"}}) == 3);
    CHECK(of("node_changes_total", {{"change", "lost"}}) == 1);
    std::uint64_t unplaced = 0;
    for (const UnplacedReason& reason : status.unplaced_reasons) {
        unplaced += of("unplaced", {{"reason", reason.code}});
    }
    CHECK(unplaced == status.unplaced);
    CHECK(unplaced > 0);
}

TEST_CASE("commands are counted by their outcome", "[coordinator][stats]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.want("web", 2);
    harness.pass(3s);
    const auto of = [&](const char* outcome) {
        return sample(harness, "commands_total", {{"outcome", outcome}});
    };
    CHECK(sample(harness, "orders_total", {{"action", "start"}}) == 2);
    CHECK(of("answered") == 2);
    CHECK(of("unanswered") == 0);
    harness["n2"].answers = false;
    harness["n2"].obeys = false;
    harness.ask(TaskScaleRequest{"web", 0}, harness.fresh_id());
    harness.pass(6s);
    CHECK(sample(harness, "orders_total", {{"action", "stop"}}) == 2);
    CHECK(of("answered") == 3);
    CHECK(of("unanswered") == 1);
    CHECK(of("refused") == 0);
}

// Goal: GO-24: the last reports are separate from the wanted state.
// Method: before the first round, with all three nodes, and with one that misses it.
TEST_CASE("reports are none before the first round, then those of each node that answered",
          "[coordinator][stats][GO-24]") {
    Coordinator young{CoordinatorHarness::start, {}, CoordinatorHarness::empty_store()};
    const Output first =
        young.step(CoordinatorHarness::start,
                   FromOperator{Ticket{1}, CoreRequest{.id = {}, .body = ReportedRequest{}}});
    REQUIRE(first.replies.size() == 1);
    const auto none = std::get<ReportedReply>(first.replies[0].reply->result.value());
    CHECK(none.none);
    CHECK(none.nodes.empty());

    CoordinatorHarness harness;
    const auto reported = [&] { return harness.read<ReportedReply>(ReportedRequest{}); };

    for (const char* const name : {"n1", "n2", "n3"}) {
        harness.join(name);
    }
    harness.want("web", 2);
    harness.pass(3s);
    const ReportedReply all = reported();
    CHECK_FALSE(all.none);
    REQUIRE(all.nodes.size() == 3);
    CHECK(all.nodes[0].name == "n1");
    CHECK(all.nodes[0].round >= all.round);
    REQUIRE(all.nodes[0].instances.size() == 1);
    CHECK(all.nodes[0].instances[0].state == "running");
    CHECK(all.nodes[2].instances.empty());

    harness["n1"].answers = false;
    harness.pass(2s);
    REQUIRE(reported().nodes.size() == 2);
    CHECK(reported().nodes[0].name == "n2");
    CHECK(harness.read<ReportedReply>(ReportedRequest{"n3"}).nodes.size() == 1);
    CHECK(harness.read<ReportedReply>(ReportedRequest{"n1"}).nodes.empty());
}

// Goal: GO-24: each round is published with its numbers. Method: a round that begins a move, one
// with a silent node, and some with an unplaced instance; check all published events.
TEST_CASE("each closed round is published with its answers, misses, moves and unplaced instances",
          "[coordinator][stats][GO-24]") {
    CoordinatorOptions options = CoordinatorHarness::losing_quickly();
    options.move_cooldown = {};  // Moves for the balance begin at once.
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), options};
    harness.join("n1");
    harness.pass(1s);
    for (const char* const task : {"a", "b", "c"}) {
        harness.want(task, 1);
    }
    harness.want("web", 2);
    harness.pass(2s);
    const auto rounds_since = [&](std::size_t from) {
        std::vector<std::string> texts;
        for (std::size_t at = from; at < harness.events.size(); ++at) {
            if (harness.events[at].topic == "round.closed") {
                texts.push_back(harness.events[at].name + ": " + harness.events[at].detail);
            }
        }
        return texts;
    };
    const auto name = [&](std::uint64_t later) {
        return std::to_string(raw(harness.status().round) - later);
    };

    std::size_t from = harness.events.size();
    harness.pass(2s);
    CHECK(rounds_since(from) ==
          std::vector<std::string>{name(1) + ": answered 1, missed 0, moves 0, unplaced 1",
                                   name(0) + ": answered 1, missed 0, moves 0, unplaced 1"});
    harness.join("n2");
    from = harness.events.size();
    harness.pass(1s);
    CHECK(rounds_since(from) ==
          std::vector<std::string>{name(0) + ": answered 2, missed 0, moves 1, unplaced 0"});
    harness.pass(5s);
    harness["n2"].answers = false;
    harness.pass(1s);
    from = harness.events.size();
    harness.pass(1s);
    CHECK(rounds_since(from) ==
          std::vector<std::string>{name(1) + ": answered 1, missed 1, moves 0, unplaced 0"});
}

TEST_CASE("a histogram counts each duration at the lowest bound that contains it", "[stats]") {
    Histogram histogram;
    histogram.add(100us);
    histogram.add(101us);
    histogram.add(10s);
    histogram.add(10s + 1us);
    histogram.add(-1s);
    CHECK(histogram.counts().front() == 2);
    CHECK(histogram.counts()[1] == 1);
    CHECK(histogram.counts()[Histogram::bounds.size() - 1] == 1);
    CHECK(histogram.counts().back() == 1);
    CHECK(histogram.sum_us() == 100 + 101 + 20'000'001);
}
