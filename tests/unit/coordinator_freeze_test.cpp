#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator_bench_top.hpp"

using namespace muster;
using muster::testing::BenchTop;
using muster::testing::Puppet;

namespace {

/// So many nodes of the list that have served for longer than a window.
void settle(BenchTop& bench, int nodes) {
    NodeAddRequest list;
    for (int node = 0; node < nodes; ++node) {
        list.nodes.push_back({.name = "n" + std::to_string(node)});
        bench.join(list.nodes.back().name);
    }
    REQUIRE(bench.ask(list)->result);
    bench.pass(12s);
}

/// The first so many neither hear nor say anything.
void silence(BenchTop& bench, int nodes, bool silent = true, int from = 0) {
    for (int node = from; node < from + nodes; ++node) {
        Puppet& puppet = bench["n" + std::to_string(node)];
        puppet.answers = !silent;
        puppet.obeys = !silent;
    }
}

FreezeView shown(BenchTop& bench) { return bench.read<FreezeReply>(FreezeShowRequest{}).freeze; }

FreezeView changed(const std::optional<Reply>& reply) {
    REQUIRE(reply->result);
    return std::get<FreezeReply>(*reply->result).freeze;
}

std::size_t times_told(const BenchTop& bench, const std::string& topic) {
    return static_cast<std::size_t>(std::ranges::count(bench.events, topic, &Event::topic));
}

/// Starts for a lost node's sake since the event of this number.
std::size_t rescheduled(const BenchTop& bench, std::size_t since = 0) {
    return static_cast<std::size_t>(std::ranges::count_if(
        bench.events.begin() + static_cast<std::ptrdiff_t>(since), bench.events.end(),
        [](const Event& event) {
            return event.topic == "instance.start" && event.detail.ends_with(": lost");
        }));
}

const Occasion ann{.reason = "new switches", .author = "ann@desk"};

}  // namespace

// Goal: the shares at which a fleet freezes, and that below them nodes are lost as ever (S9).
// Method: 10, 24, 25, 26, 55 and 100 % of a hundred nodes fall silent at once.
TEST_CASE("mass silence freezes a fleet, and less makes nodes lost", "[coordinator][freeze][S9]") {
    const int silent = GENERATE(10, 24, 25, 26, 55, 100);
    CAPTURE(silent);
    BenchTop bench;
    settle(bench, 100);
    bench.want("web", 60);
    bench.pass(4s);
    silence(bench, silent);
    bench.pass(30s);
    const bool freezes = silent >= 25;
    const StatusReply status = bench.status();
    CHECK(status.freeze.on == freezes);
    CHECK(status.phase == (freezes ? "frozen" : "leading"));
    CHECK(status.health.lost == (freezes ? 0 : static_cast<std::uint32_t>(silent)));
    CHECK((rescheduled(bench) > 0) != freezes);
    if (freezes) {
        CHECK(status.freeze.counted == 100);
        CHECK(status.freeze.silent == static_cast<std::uint32_t>(silent));
        CHECK(status.serving == static_cast<std::uint32_t>(100 - silent));
        CHECK(status.alarms.front().starts_with("frozen: " + std::to_string(silent) +
                                                " of 100 nodes are silent, none becomes lost and "
                                                "nothing is rescheduled; it ends once fewer than "
                                                "15 are silent"));
        CHECK(times_told(bench, "freeze.began") == 1);
        CHECK(times_told(bench, "node.suspended") == 0);
    }
}

// Goal: a freeze costs nothing: what ran runs on, and ends it (L11).
// Method: half of the nodes are cut off for long, and come back.
TEST_CASE("after a freeze nodes serve as if nothing had been", "[coordinator][freeze][L11]") {
    BenchTop bench;
    settle(bench, 8);
    bench.want("web", 8);
    bench.pass(4s);
    silence(bench, 4);
    bench.pass(5min);
    REQUIRE(shown(bench).on);
    CHECK(shown(bench).since > CivilMs{});
    silence(bench, 4, false);
    bench.pass(1s);
    CHECK(bench.status().serving == 8);
    bench.pass(2s);
    CHECK(shown(bench).calm_terms > 0);
    CHECK_THAT(shown(bench).detail, Catch::StartsWith("it ends in "));
    bench.pass(3s);
    CHECK_FALSE(shown(bench).on);
    CHECK(times_told(bench, "freeze.ended") == 1);
    CHECK(rescheduled(bench) == 0);
    CHECK(times_told(bench, "node.lost") == 0);
    CHECK(bench.running("web") == 8);
    CHECK(bench.status().converged);
}

TEST_CASE("when a freeze ends by itself, those still silent have the time of anybody else",
          "[coordinator][freeze]") {
    BenchTop bench;
    settle(bench, 8);
    silence(bench, 4);
    bench.pass(10s);
    REQUIRE(shown(bench).on);
    silence(bench, 2, false);
    bench.pass(6s);
    REQUIRE(times_told(bench, "freeze.ended") == 1);
    bench.pass(1s);
    CHECK(bench.status().health.lost == 0);
    bench.pass(3s);
    CHECK(bench.status().health.lost == 2);
    CHECK_FALSE(shown(bench).on);
}

// Goal: where anyone may join, agents that bear nothing cannot freeze a cluster by falling silent.
// Method: seven nodes of ten have work. Silent are the three that never had any, without and with a
// word of an operator about them, or three that have; or three that had until it was removed.
TEST_CASE("nodes that never had work and that no operator named freeze nothing",
          "[coordinator][freeze][S9]") {
    BenchTop bench;
    for (int node = 0; node < 7; ++node) {
        bench.join("n" + std::to_string(node));
    }
    bench.want("web", 7);
    bench.pass(4s);
    for (int node = 7; node < 10; ++node) {
        bench.join("n" + std::to_string(node));
    }
    bench.pass(15s);
    REQUIRE(shown(bench).counted == 10);
    SECTION("strangers") {
        silence(bench, 3, true, 7);
        bench.pass(10s);
        CHECK(times_told(bench, "freeze.began") == 0);
        CHECK(bench.status().health.lost == 3);
        CHECK(shown(bench).counted == 7);
        CHECK(bench.running("web") == 7);
    }
    SECTION("named by an operator") {
        REQUIRE(bench.ask(NodeAddRequest{{{"n7"}, {"n8"}, {"n9"}}})->result);
        silence(bench, 3, true, 7);
        bench.pass(10s);
        CHECK(times_told(bench, "freeze.began") == 1);
    }
    SECTION("with work") {
        silence(bench, 3);
        bench.pass(10s);
        CHECK(times_told(bench, "freeze.began") == 1);
        CHECK(bench.status().health.lost == 0);
        CHECK(shown(bench).silent == 3);
    }
    SECTION("with work once") {
        bench.ask(TaskRemoveRequest{"web"}, bench.fresh_id());
        bench.pass(3s);
        silence(bench, 3);
        bench.pass(10s);
        CHECK(times_told(bench, "freeze.began") == 1);
    }
    SECTION("all of them") {
        silence(bench, 10);
        bench.pass(10s);
        CHECK(times_told(bench, "freeze.began") == 1);
        CHECK(shown(bench).counted == 7);
    }
}

// Goal: an operator can always end it, and then the silent are lost at the rate of losses.
// Method: 30 of 100 nodes are gone for good.
TEST_CASE("freeze off gives the silent up as lost, at the rate, and does not count them again",
          "[coordinator][freeze][S9][L11]") {
    BenchTop bench;
    settle(bench, 100);
    bench.want("web", 100);
    bench.pass(4s);
    silence(bench, 30);
    bench.pass(20s);
    REQUIRE(shown(bench).on);
    const FreezeView off = changed(bench.ask(FreezeOffRequest{ann}, bench.fresh_id()));
    CHECK_FALSE(off.on);
    CHECK(std::ranges::any_of(bench.events, [](const Event& event) {
        return event.topic == "freeze.ended" && event.detail == "by ann@desk: new switches";
    }));
    bench.pass(1s);
    CHECK(bench.status().health.lost <= 11);
    CHECK(shown(bench).counted == 70);
    bench.pass(25s);
    CHECK(bench.status().health.lost == 30);
    CHECK(times_told(bench, "freeze.began") == 1);
    silence(bench, 30, false);
    bench.pass(15s);
    CHECK(shown(bench).counted == 100);  // They answered.
}

// Goal: who leaves on purpose alarms nobody (S9).
// Method: most nodes say goodbye, are removed, or are drained and then cut off.
TEST_CASE("goodbyes, removals and drained nodes never begin a freeze",
          "[coordinator][freeze][S9]") {
    BenchTop bench;
    settle(bench, 8);
    SECTION("goodbyes") {
        for (int node = 0; node < 7; ++node) {
            Puppet& puppet = bench["n" + std::to_string(node)];
            bench.give(FromAgent{puppet.session, Goodbye{puppet.incarnation}});
        }
        silence(bench, 7);
        bench.pass(60s);
        CHECK(bench.status().health.lost == 7);
    }
    SECTION("removals") {
        REQUIRE(bench.ask(NodeRemoveRequest{.pattern = "n[0-6]", .force = true})->result);
        bench.pass(60s);
    }
    SECTION("a scale-down") {
        REQUIRE(bench.ask(NodeRemoveRequest{.pattern = "n[0-6]"})->result);
        silence(bench, 7);
        bench.pass(60s);
    }
    SECTION("a goodbye that makes the silent a greater share") {
        silence(bench, 1);
        bench.pass(1s);
        for (int node = 2; node < 8; ++node) {
            Puppet& puppet = bench["n" + std::to_string(node)];
            bench.give(FromAgent{puppet.session, Goodbye{puppet.incarnation}});
        }
        silence(bench, 6, true, 2);
        bench.pass(60s);
        CHECK(bench.node("n0").health == "lost");
    }
    CHECK(times_told(bench, "freeze.began") == 0);
}

TEST_CASE("nodes that fall silent one after the other within ten terms freeze the fleet",
          "[coordinator][freeze][S9]") {
    const bool is_slow = GENERATE(false, true);
    BenchTop bench;
    settle(bench, 8);
    silence(bench, 1, true, 0);
    bench.pass(is_slow ? 15s : 4s);
    silence(bench, 1, true, 1);
    bench.pass(4s);
    silence(bench, 1, true, 2);
    bench.pass(6s);
    CHECK(shown(bench).on != is_slow);
}

// Goal: in a freeze operators get what they ask for, and get it where somebody answers.
// Method: half of the fleet is silent; a task is added, scaled and removed, a node drained.
TEST_CASE("operators' own changes act in a freeze, on nodes that answer", "[coordinator][freeze]") {
    BenchTop bench;
    settle(bench, 8);
    bench.want("web", 4);
    bench.pass(4s);
    silence(bench, 4, true, 4);
    bench.pass(5s);
    REQUIRE(shown(bench).on);
    bench.want("db", 3);
    bench.pass(3s);
    CHECK(bench.running("db") == 3);
    bench.ask(TaskScaleRequest{"db", 4}, bench.fresh_id());
    bench.pass(2s);
    CHECK(bench.running("db") == 4);
    for (int node = 4; node < 8; ++node) {
        CHECK(bench["n" + std::to_string(node)].batches.size() <= 2);
    }
    CHECK(bench.read<ExplainReply>(ExplainRequest{Subject::node, "n5"}).decided_by == "silent");
    bench.ask(TaskRemoveRequest{"db"}, bench.fresh_id());
    bench.pass(2s);
    CHECK(bench.running("db") == 0);
    CHECK(shown(bench).on);
    CHECK(rescheduled(bench) == 0);
}

// Goal: what was lost before the freeze waits for its end, with its reason.
// Method: a node is lost while nobody has room; the freeze begins; a node comes.
TEST_CASE("what ran on a node lost before the freeze is not placed in it",
          "[coordinator][freeze]") {
    BenchTop bench;
    settle(bench, 4);
    bench.want("web", 4);
    bench.pass(3s);
    silence(bench, 1);
    bench.pass(5s);
    REQUIRE(bench.node("n0").health == "lost");
    REQUIRE(bench.status().unplaced == 1);
    changed(bench.ask(FreezeOnRequest{ann}, bench.fresh_id()));
    bench.join("n9");
    bench.pass(5s);
    CHECK(bench["n9"].instances.empty());
    REQUIRE(bench.status().unplaced_reasons.size() == 1);
    CHECK(bench.status().unplaced_reasons.front().code == "frozen");
    const std::size_t before = bench.events.size();
    changed(bench.ask(FreezeOffRequest{}, bench.fresh_id()));
    bench.pass(3s);
    CHECK(bench["n9"].instances.size() == 1);
    CHECK(rescheduled(bench, before) == 1);
}

// Goal: an operator can stop all rescheduling beforehand, and it stays so.
// Method: on, with a reason, over a restart of the coordinator; then a node dies; then off.
TEST_CASE("a freeze by an operator is kept with its reason until it is off",
          "[coordinator][freeze]") {
    StoreImage image = BenchTop::empty_store();
    const RequestId id = BenchTop::id_made_at(BenchTop::civil_start, 77);
    {
        BenchTop bench;
        settle(bench, 3);
        const auto reply = bench.ask(FreezeOnRequest{ann}, id);
        const FreezeView on = changed(reply);
        CHECK(on.on);
        CHECK(on.manual);
        CHECK(on.reason == "new switches");
        CHECK(on.author == "ann@desk");
        CHECK(on.since > CivilMs{});
        CHECK(shown(bench) == on);
        CHECK(bench.ask(FreezeOnRequest{ann}, id) == reply);
        CHECK(changed(bench.ask(FreezeOnRequest{}, bench.fresh_id())).reason == "new switches");
        CHECK(times_told(bench, "freeze.began") == 1);
        for (const Persist& persist : bench.persisted) {
            for (const Write& write : persist.writes) {
                if (const auto* row = std::get_if<StoredSetting>(&write)) {
                    image.settings.push_back(*row);
                } else if (const auto* meta = std::get_if<Meta>(&write)) {
                    image.meta = *meta;
                }
            }
        }
        image.meta.epoch = Epoch{3};
    }
    BenchTop bench{image};
    CHECK(shown(bench).on);
    CHECK(shown(bench).author == "ann@desk");
    CHECK(shown(bench).since > CivilMs{});
    CHECK(bench.happened("freeze.began", ""));
    settle(bench, 4);
    bench.want("web", 3);
    bench.pass(3s);
    silence(bench, 1);
    bench.pass(60s);
    CHECK(bench.status().health.lost == 0);
    CHECK(shown(bench).detail == "it ends by 'muster freeze off'");
    CHECK_FALSE(changed(bench.ask(FreezeOffRequest{}, bench.fresh_id())).on);
    bench.pass(5s);
    CHECK(bench.status().health.lost == 1);
    CHECK_FALSE(changed(bench.ask(FreezeOffRequest{}, bench.fresh_id())).on);
    CHECK(times_told(bench, "freeze.ended") == 1);
}

TEST_CASE("an operator who keeps a freeze that began by silence has to end it",
          "[coordinator][freeze]") {
    BenchTop bench;
    settle(bench, 3);
    silence(bench, 3);
    bench.pass(5s);
    REQUIRE(shown(bench).on);
    CHECK_FALSE(shown(bench).manual);
    const CivilMs since = shown(bench).since;
    CHECK(changed(bench.ask(FreezeOnRequest{ann}, bench.fresh_id())).since == since);
    CHECK(times_told(bench, "freeze.kept") == 1);
    CHECK(times_told(bench, "freeze.began") == 1);
    silence(bench, 3, false);
    bench.pass(20s);
    CHECK(shown(bench).on);
    changed(bench.ask(FreezeOffRequest{}, bench.fresh_id()));
    CHECK_FALSE(shown(bench).on);
    const auto control = bench.ask(FreezeOnRequest{{.reason = "a\x1b[2J"}});
    REQUIRE_FALSE(control->result);
    CHECK_THAT(control->result.error().detail, Catch::Contains("control characters"));
    CHECK_FALSE(shown(bench).on);
}

// Goal: a new leader judges those it never heard of together (S11, S9).
// Method: of five known nodes two come back after the restart, and of five four.
TEST_CASE("nodes that are silent after a recovery are judged together, the freeze first",
          "[coordinator][freeze][S9][S11]") {
    const int back = GENERATE(2, 4);
    CAPTURE(back);
    std::vector<StoredNode> stored;
    for (int node = 0; node < 5; ++node) {
        stored.push_back(BenchTop::stored("n" + std::to_string(node)));
    }
    BenchTop bench{BenchTop::store_with(stored)};
    for (int node = 0; node < back; ++node) {
        bench.join("n" + std::to_string(node));
    }
    bench.pass(17s);
    CHECK_FALSE(shown(bench).on);
    CHECK(bench.status().phase == "recovering");
    bench.pass(10s);
    if (back == 4) {
        CHECK(bench.status().health.lost == 1);
        CHECK(bench.status().phase == "leading");
        return;
    }
    CHECK(bench.status().phase == "frozen");
    CHECK(bench.status().health.lost == 0);
    bench.want("web", 2);
    bench.pass(3s);
    CHECK(bench.running("web") == 2);
    for (int node = back; node < 5; ++node) {
        bench.join("n" + std::to_string(node));
    }
    bench.pass(8s);
    CHECK(bench.status().phase == "leading");
    CHECK(bench.status().serving == 5);
}

// Goal: a goodbye in a freeze is no loss either, but the node gets what it was promised later.
// Method: a node leaves on purpose, and its grace is over before the freeze is.
TEST_CASE("who said goodbye is lost only after the freeze", "[coordinator][freeze]") {
    BenchTop bench;
    settle(bench, 3);
    changed(bench.ask(FreezeOnRequest{}, bench.fresh_id()));
    Puppet& n0 = bench["n0"];
    bench.give(FromAgent{n0.session, Goodbye{n0.incarnation}});
    bench.pass(2min);
    CHECK_FALSE(bench.happened("node.lost", "n0"));
    changed(bench.ask(FreezeOffRequest{}, bench.fresh_id()));
    bench.pass(3s);
    CHECK(bench.happened("node.lost", "n0"));
}

// Goal: what nobody can confirm at present is not sold as seen.
// Method: half of the fleet is silent in a freeze; a look at the whole, a task and a node.
TEST_CASE("copies on silent nodes are counted as unconfirmed", "[coordinator][freeze]") {
    BenchTop bench;
    settle(bench, 8);
    bench.want("web", 8);
    bench.pass(4s);
    CHECK(bench.status().unconfirmed == 0);
    silence(bench, 4);
    bench.pass(10s);
    StatusReply status = bench.status();
    REQUIRE(status.phase == "frozen");
    CHECK(status.running == 8);
    CHECK(status.silent == 4);
    CHECK(status.unconfirmed == 4);
    const auto web = bench.read<TaskShowReply>(TaskShowRequest{"web"});
    for (const InstanceView& instance : web.instances) {
        const bool is_silent = instance.node < "n4";
        CHECK(instance.detail.starts_with("unconfirmed: its node is silent for ") == is_silent);
    }
    CHECK(bench.node("n0").missed > 2);
    CHECK(bench.node("n7").missed == 0);
    silence(bench, 4, false);
    bench.pass(2s);
    status = bench.status();
    CHECK(status.silent + status.unconfirmed == 0);
}

// Goal: who asks what if is told that the freeze would come first, or is there.
// Method: one, then three of eight nodes fail; then an operator freezes the cluster.
TEST_CASE("what if so many nodes failed that the cluster froze says so", "[what_if][freeze]") {
    BenchTop bench;
    settle(bench, 8);
    const auto asked = [&](const std::string& pattern) {
        return bench.read<PlanReply>(PlanRequest{.fail = {"node=" + pattern}}).freeze;
    };
    CHECK(asked("n0") == PlannedFreeze{false, 8, 1});
    CHECK(asked("n[0-2]") == PlannedFreeze{true, 8, 3});
    silence(bench, 2, true, 6);
    bench.pass(4s);
    CHECK(asked("n0") == PlannedFreeze{true, 8, 3});
    CHECK_FALSE(bench.read<PlanReply>(PlanRequest{.add_nodes = 1}).freeze.on);
    changed(bench.ask(FreezeOnRequest{ann}, bench.fresh_id()));
    CHECK(bench.read<PlanReply>(PlanRequest{.add_nodes = 1}).freeze.on);
}

// Goal: the reason of a shortage is the reason: a pool that is silent is there.
// Method: a pool of three whose nodes fall silent; a task of that pool, and one of no pool at all.
TEST_CASE("what lacks a node because those that suit do not serve says so",
          "[coordinator][freeze][placing]") {
    BenchTop bench;
    for (int node = 0; node < 6; ++node) {
        Puppet& puppet = bench.add("n" + std::to_string(node));
        Hello hello = BenchTop::hello_of(puppet);
        hello.offer.pool = node < 3 ? "fast" : "slow";
        bench.give(FromAgent{puppet.session, hello});
        REQUIRE(bench.ask(NodeAddRequest{{{.name = puppet.name}}}, bench.fresh_id())->result);
    }
    bench.pass(12s);
    silence(bench, 3);
    bench.pass(5s);
    REQUIRE(shown(bench).on);
    const auto want = [&](const std::string& name, const std::string& pool) {
        WantedTask task = BenchTop::wanted(name, 1);
        task.place.pool = pool;
        REQUIRE(bench.ask(TaskAddRequest{task}, bench.fresh_id())->result);
        return bench.read<TaskShowReply>(TaskShowRequest{name}).unplaced_reasons.at(0);
    };
    const UnplacedReason fast = want("a", "fast");
    CHECK(fast.code == "not_serving");
    CHECK(fast.detail == "of the nodes that suit none serves at present");
    CHECK(fast.nodes == std::vector<NodeReason>{{"pool", 3, "slow"}, {"silent", 3, ""}});
    CHECK(want("b", "huge").code == "pool");
}
