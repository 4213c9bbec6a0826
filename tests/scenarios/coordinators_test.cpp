#include <cstdint>
#include <string>

#include "coordinator/store/etcd/etcd_rules.hpp"
#include "sim/program/random_run.hpp"
#include "tests/scenarios/checkers/checker_stories.hpp"
#include "tests/scenarios/support.hpp"

// Several coordinators that share a store in etcd.
namespace muster::sim {
namespace {

namespace rules = coordinator::etcd;

bool led_by_another(const Cluster& cluster, std::uint32_t before) {
    return cluster.coordinator_is_up() && cluster.leading_number() != before &&
           !cluster.coordinator_is_paused();
}

// Goal: an election happens only for a reason. Method: let three coordinators run for minutes;
// the first leader must still lead, in the first epoch.
TEST_CASE("a leader without faults leads for as long as it runs", "[scenario][leadership][L2]") {
    Cluster cluster{{.nodes = 2, .coordinators = 3}};
    cluster.want("web", 2);
    require_convergence(cluster, 20s);
    cluster.run(3min);
    CHECK(raw(cluster.leading().epoch()) == 1);
    require_no_violations(cluster);
}

// Goal: another coordinator leads after at most the lease and 2 s, and touches no process (L2).
// Method: kill the leader; then look at processes, and at what it had acknowledged.
TEST_CASE("after the death of a leader another one leads, and no task notices",
          "[scenario][leadership][L2][S1][S11]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Cluster cluster{{.seed = seed, .nodes = 3, .coordinators = 3}};
        cluster.want("web", 4);
        require_convergence(cluster, 20s);
        const auto before = cluster.truth().processes();
        const std::uint32_t leader = cluster.leading_number();
        cluster.crash_coordinator(leader);
        REQUIRE(cluster.run_until([&] { return led_by_another(cluster, leader); },
                                  election_lease + 2s));
        cluster.run(30s);
        CHECK(cluster.truth().processes() == before);
        CHECK(cluster.converged());
        require_no_violations(cluster);
    }
}

// Goal: a leader that resigns is not missed. Method: the next one leads within a second, long
// before the lease would have ended.
TEST_CASE("a leader that resigns hands over at once", "[scenario][leadership][L2]") {
    Cluster cluster{{.nodes = 2, .coordinators = 2}};
    cluster.run(3s);
    const std::uint32_t leader = cluster.leading_number();
    cluster.resign_coordinator(leader);
    CHECK(cluster.run_until([&] { return led_by_another(cluster, leader); }, 500ms));
    require_no_violations(cluster);
}

// Goal: of two that believe that they lead only one acts (S4, S5). Method: pause the leader for
// longer than its lease, with a change on its way; let it go on when another one leads.
TEST_CASE("a leader that was paused does not act beside its successor",
          "[scenario][leadership][S4][S5]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Cluster cluster{{.seed = seed, .nodes = 5, .coordinators = 2}};
        cluster.want("web", 3);
        require_convergence(cluster, 20s);
        const std::uint32_t old = cluster.leading_number();
        cluster.scale("web", 5);
        cluster.run(std::chrono::milliseconds{seed / 4});
        cluster.pause_coordinator(old);
        REQUIRE(cluster.run_until([&] { return led_by_another(cluster, old); }, 8s));
        CHECK(cluster.control(old).is_up());  // As far as it knows.
        cluster.want("api", 2);
        cluster.run(std::chrono::milliseconds{seed * 100});
        cluster.resume_coordinator(old);
        CHECK_FALSE(cluster.control(old).is_up());
        require_convergence(cluster, 60s);
        CHECK(cluster.running("web") == 5);
        CHECK(cluster.running("api") == 2);
        require_no_violations(cluster);
    }
}

// Goal: a leader without etcd stops acting before another one may lead (S5). Method: cut it off;
// clocks run apart by up to a hundredth, and the checkers compare each act with the leader's key.
TEST_CASE("a leader that is cut off from etcd ends before its successor begins",
          "[scenario][leadership][S4][S5][L2]") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        Cluster cluster{{.seed = seed, .nodes = 2, .coordinators = 2}};
        cluster.want("web", 2);
        require_convergence(cluster, 20s);
        const std::uint32_t old = cluster.leading_number();
        cluster.run(std::chrono::milliseconds{seed * 97});
        cluster.cut_from_etcd(old);
        REQUIRE(cluster.run_until([&] { return led_by_another(cluster, old); }, 9s));
        cluster.heal_all();
        require_convergence(cluster, 60s);
        require_no_violations(cluster);
    }
}

// Goal: unclear writes take effect once, and what was acknowledged stays (S1, S3). Method: lose and
// delay messages to etcd under changes, while leaders change.
TEST_CASE("changes are kept though calls to etcd stay without an answer",
          "[scenario][leadership][S1][S2][S3][S4]") {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        CAPTURE(seed);
        Cluster cluster{{.seed = seed, .nodes = 2, .coordinators = 3}};
        cluster.run(2s);
        cluster.lose_etcd_messages(seed % 2 == 0 ? 300 : 100);
        cluster.slow_etcd(std::chrono::milliseconds{seed % 3 * 1500});
        for (std::uint32_t step = 0; step < 12; ++step) {
            cluster.want(step % 2 == 0 ? "web" : "api", step % 5);
            cluster.run(1s);
            if (step == 5) {
                cluster.resign_coordinator(cluster.leading_number());
            }
            if (step % 4 == 3) {
                cluster.crash_coordinator(cluster.leading_number());
                cluster.run(200ms);
                cluster.repair_coordinator();
            }
        }
        cluster.heal_all();
        require_convergence(cluster, 90s);
        require_no_violations(cluster);
    }
}

// Goal: while etcd is down nothing is restarted, and afterwards somebody leads.
TEST_CASE("tasks run on while etcd is down", "[scenario][leadership][L2][S12]") {
    Cluster cluster{{.nodes = 3, .coordinators = 3}};
    cluster.want("web", 3);
    require_convergence(cluster, 20s);
    const auto before = cluster.truth().processes();
    cluster.stop_etcd();
    cluster.run(60s);
    CHECK_FALSE(cluster.coordinator_is_up());
    cluster.start_etcd();
    CHECK(cluster.run_until([&] { return cluster.coordinator_is_up(); }, election_lease + 2s));
    cluster.run(30s);
    CHECK(cluster.truth().processes() == before);
    require_no_violations(cluster);
}

// Goal: no promise is broken whatever happens to coordinators and etcd. Method: random runs with
// all their faults, and those of elections.
TEST_CASE("random faults of several coordinators break no promise",
          "[scenario][leadership][S4][S5][L1][L2]") {
    for (std::uint64_t seed = 1; seed <= share_of(200); ++seed) {
        CAPTURE(seed);
        RandomRun run = drawn_run(seed);
        run.coordinators = 2 + static_cast<std::uint32_t>(seed % 2);
        run.faults_last = 40s;
        CHECK(carry_out(run).violations == std::vector<std::string>{});
    }
}

// Goal: whoever accepts a store leads in a higher epoch than its key has, and so does the next one.
TEST_CASE("an accepted store raises the epoch of one among several coordinators",
          "[scenario][leadership][S4][S5]") {
    RandomRun run = drawn_run(4300002153);
    run.coordinators = 3;
    CHECK(carry_out(run).violations == std::vector<std::string>{});
}

// Goal: a task that was not exclusive for one generation has two copies; the next leader hears only
// of the later one.
TEST_CASE("a task that is exclusive again under a new leader never runs twice",
          "[scenario][leadership][S8]") {
    RandomRun run = drawn_run(106562);
    run.coordinators = 3;
    CHECK(carry_out(run).violations == std::vector<std::string>{});
}

TEST_CASE("a run with several coordinators can be replayed", "[scenario][leadership]") {
    RandomRun run = drawn_run(17);
    run.coordinators = 3;
    CHECK(carry_out(run).hash == carry_out(run).hash);
    CHECK(command_of(run) == "muster-sim replay 17 --coordinators 3");
}

// ---- the rules ----

TEST_CASE("a campaign compares the key of the leader and the epoch", "[leadership][S4]") {
    const rules::Keys keys{"/p"};
    const auto campaign = rules::campaign_of(keys, {.leader = LeaderId{1, 2}, .epoch = Epoch{4}},
                                             coordinator::LeaseId{7},
                                             {.key = "/p/meta", .before = "3", .after = "4"});
    REQUIRE(campaign.conditions.size() == 2);
    CHECK(std::get<rules::IsAbsent>(campaign.conditions[0]).key == keys.leader());
    REQUIRE(std::holds_alternative<rules::HasValue>(campaign.conditions[1]));
    CHECK(std::get<rules::HasValue>(campaign.conditions[1]).value == "3");
    REQUIRE(campaign.operations.size() == 2);
    CHECK(std::get<rules::Put>(campaign.operations[0]).lease == coordinator::LeaseId{7});
    CHECK(std::get<rules::Put>(campaign.operations[1]).value == "4");
}

TEST_CASE("a refused campaign is won only by our own key of this lease", "[leadership][S4]") {
    const LeaderId self{1, 2};
    const auto seen = [](const LeaderId& leader, std::int64_t lease) {
        rules::Snapshot snapshot{.at = rules::Revision{9}, .pairs = {}};
        snapshot.pairs.push_back({.key = "/p/leader",
                                  .value = rules::text_of({.leader = leader, .epoch = Epoch{4}}),
                                  .created = rules::Revision{5},
                                  .changed = rules::Revision{5},
                                  .lease = coordinator::LeaseId{lease}});
        return snapshot;
    };
    const auto own = rules::won_before(seen(self, 7), self, coordinator::LeaseId{7});
    REQUIRE(own);
    CHECK(raw(own->epoch) == 4);
    CHECK(own->made == rules::Revision{5});
    CHECK_FALSE(rules::won_before(seen(self, 6), self, coordinator::LeaseId{7}));
    CHECK_FALSE(rules::won_before(seen(LeaderId{1, 3}, 7), self, coordinator::LeaseId{7}));
    CHECK_FALSE(rules::won_before({}, self, coordinator::LeaseId{7}));
}

TEST_CASE("a write is repeated until it is clear whether it took effect", "[leadership][S4]") {
    using Next = rules::SureWrite::Next;
    const rules::Keys keys{"/p"};
    const rules::SureWrite write{keys, rules::Revision{5}, "5.1", 2, {}};
    REQUIRE(write.transaction().conditions.size() == 2);
    CHECK(std::get<rules::WasMade>(write.transaction().conditions[0]).at == rules::Revision{5});
    CHECK(std::get<rules::HasValue>(write.transaction().conditions[1]).value == "5.1");
    CHECK(write.on_commit(fail(Errc::unreachable, "")) == Next::again);
    CHECK(write.on_commit(fail(Errc::store_failed, "")) == Next::failed);
    CHECK(write.on_commit(rules::Committed{.done = true}) == Next::done);
    CHECK(write.on_commit(rules::Committed{.done = false}) == Next::read_mark);
    const auto mark = [&](const std::string& value) {
        return rules::Snapshot{.at = {}, .pairs = {{.key = keys.commit(), .value = value}}};
    };
    CHECK(write.on_mark(mark("5.2")) == Next::done);
    CHECK(write.on_mark(mark("5.1")) == Next::refused);
    CHECK(write.on_mark(rules::Snapshot{}) == Next::refused);
    CHECK(write.on_mark(fail(Errc::unreachable, "")) == Next::again);
}

// ---- the checker ----

TEST_CASE("the checker sees acts and writes beside a later leader", "[leadership][S4][S5][L2]") {
    const auto broken = [](auto story) {
        Checkers checkers;
        checkers.on(origin, LeaderKeyMade{0, Epoch{1}});
        story(checkers);
        const auto found = checkers.take_violations();
        return found.empty() ? std::string{} : found.front().property;
    };
    CHECK(broken([](Checkers& to) { to.on(origin, CoordinatorActed{0, Epoch{1}}); }).empty());
    CHECK(broken([](Checkers& to) {
              to.on(origin, CoordinatorActed{0, Epoch{1}});
              to.on(origin, CoordinatorActed{1, Epoch{1}});
          }) == "S5");
    CHECK(broken([](Checkers& to) {
              to.on(origin, LeaderKeyMade{1, Epoch{2}});
              to.on(origin, CoordinatorActed{0, Epoch{1}});
          }) == "S5");
    CHECK(broken([](Checkers& to) { to.on(origin, CoordinatorActed{0, Epoch{2}}); }).empty());
    CHECK(broken([](Checkers& to) { to.on(origin, CoordinatorActed{1, Epoch{2}}); }) == "S5");
    CHECK(broken([](Checkers& to) {
              to.on(origin, CoordinatorActed{0, Epoch{2}});
              to.on(origin, LeaderKeyMade{1, Epoch{2}});
          }) == "S4");
    CHECK(broken([](Checkers& to) { to.on(origin, EtcdWritten{0, Epoch{1}}); }).empty());
    CHECK(broken([](Checkers& to) {
              to.on(origin, LeaderKeyMade{1, Epoch{2}});
              to.on(origin, EtcdWritten{0, Epoch{1}});
          }) == "S4");
    CHECK(broken([](Checkers& to) { to.on(origin, LeaderKeyMade{1, Epoch{1}}); }) == "S4");
    CHECK(broken([](Checkers& to) { to.on(origin + 6s, EtcdReached{}); }).empty());
    CHECK(broken([](Checkers& to) { to.on(origin + 8s, EtcdReached{}); }) == "L2");
}

}  // namespace
}  // namespace muster::sim
