#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

// How the coordinator runs exclusive instances, which never have two processes.
namespace {

const InstanceId db0{"db", 0};
constexpr Duration lease = 30s;
constexpr Duration over = lease + lease / 100 + limits::lease_grace + limits::lease_kill;

StoreImage first_store() {
    StoreImage image = CoordinatorHarness::empty_store();
    image.meta.epoch = Epoch{1};  // No earlier leader.
    return image;
}

struct LeaseHarness : CoordinatorHarness {
    explicit LeaseHarness(const StoreImage& image = first_store(),
                          CoordinatorOptions options = losing_quickly())
        : CoordinatorHarness{image, std::move(options)} {}

    FakeAgent& join_stamping(const std::string& name) {
        add(name).stamps = true;
        send_hello((*this)[name]);
        pass(2s);
        return (*this)[name];
    }
    void want_alone() {
        WantedTask task = wanted("db", 1);
        task.spec.exclusive = true;
        task.spec.update.max_surge = 0;
        const auto reply = ask(ApplyRequest{.tasks = {task}});
        REQUIRE(reply);
        REQUIRE(reply->result);
    }
    /// Returns which of n1 and n2 has run it for a while.
    std::string run_on_one_of_two() {
        join_stamping("n1");
        join_stamping("n2");
        want_alone();
        pass(2s);
        std::string one = home();
        REQUIRE_FALSE(one.empty());
        pass(20s);
        return one;
    }
    ExplainReply explained() {
        return read<ExplainReply>(ExplainRequest{Subject::instance, "db.0"});
    }
    static const Start& started(const FakeAgent& fake) {
        REQUIRE_FALSE(fake.batches.empty());
        REQUIRE(fake.batches.back().starts.size() == 1);
        return fake.batches.back().starts.front();
    }
    std::string home() {
        for (const auto& [name, fake] : fakes) {
            if (fake.instances.contains(db0)) {
                return name;
            }
        }
        return "";
    }
};

/// The second leader knows the exclusive task in this generation.
StoreImage store_of_another_leader(Generation generation) {
    StoreImage image = CoordinatorHarness::empty_store();  // Of the third epoch.
    image.meta.counter = generation;
    StoredTask task{.wanted = LeaseHarness::wanted("db", 1), .generation = generation};
    task.created = Generation{1};
    task.wanted.spec.exclusive = true;
    task.wanted.spec.update.max_surge = 0;
    image.tasks.push_back(task);
    return image;
}

/// What an agent says of its copy of the instance.
InstanceReport copy_of(Generation generation, InstanceState state) {
    InstanceReport report;
    report.id = db0;
    report.generation = generation;
    report.state = state;
    return report;
}

}  // namespace

TEST_CASE("a start of an exclusive instance has a lease and a token, and polls renew the lease",
          "[coordinator][leases]") {
    LeaseHarness harness;
    FakeAgent& n1 = harness.join_stamping("n1");
    harness.want_alone();
    harness.pass(2s);
    const Start first = LeaseHarness::started(n1);
    CHECK(instant_of(first.lease) > harness.now + lease - 4s);
    CHECK(instant_of(first.lease) < harness.now + lease);
    CHECK(first.token == (std::uint64_t{1} << 32U) + 1);
    harness.pass(10s);
    CHECK(instant_of(n1.polls.back().lease) >= harness.now + lease - 2s);
    harness.ask(TaskRestartRequest{"db"});
    harness.pass(2s);
    CHECK(LeaseHarness::started(n1).token > first.token);
    harness.want("web", 1);
    harness.pass(2s);
    CHECK(LeaseHarness::started(n1).lease == BootMs{});  // It is not exclusive.
    CHECK(LeaseHarness::started(n1).token == 0);
}

// Goal: an older agent, which would run it without a lease, does not get it.
TEST_CASE("an agent without stamps gets no exclusive instance", "[coordinator][leases]") {
    LeaseHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want_alone();
    harness.pass(5s);
    CHECK(harness.home().empty());
    CHECK(harness.explained().decided_by == "lease");
    CHECK(n1.polls.back().lease == BootMs{});
    n1.stamps = true;
    harness.pass(4s);
    CHECK(harness.home() == "n1");
}

// Goal: a waiting instance shows why, for which node and how long. Method: its node falls silent
// and is lost.
TEST_CASE("an instance that a lost node may still run is held, and explain says until when",
          "[coordinator][leases][S8]") {
    LeaseHarness harness;
    const std::string home = harness.run_on_one_of_two();
    const std::string other = home == "n1" ? "n2" : "n1";
    harness[home].answers = false;
    const Instant last = harness.now;
    harness.pass(8s);
    REQUIRE(harness.happened("node.lost", home));
    CHECK(harness[other].instances.empty());
    const ExplainReply why = harness.explained();
    CHECK(why.decided_by == "lease");
    CHECK_THAT(why.detail, Catch::StartsWith("it is exclusive and may still run on " + home +
                                             "; another node starts it in 3"));
    const auto shown = harness.read<TaskShowReply>(TaskShowRequest{"db"}).instances.front();
    CHECK(shown.state == "unknown");
    CHECK(shown.detail == why.detail);
    const Poll last_poll = harness[home].polls.back();
    CHECK(instant_of(last_poll.lease) <= last + lease);
    harness.pass(over - 8s - 2s);
    CHECK(harness[other].instances.empty());
    harness.pass(4s);
    CHECK(harness[other].instances.contains(db0));
}

TEST_CASE("an instance that a lost node turns out not to run is placed at once",
          "[coordinator][leases][S8]") {
    LeaseHarness harness;
    FakeAgent& lost = harness[harness.run_on_one_of_two()];
    lost.answers = false;
    harness.pass(8s);
    lost.answers = true;
    lost.instances.clear();
    lost.revision = next(lost.revision);
    harness.pass(5s);
    CHECK_FALSE(harness.home().empty());
}

TEST_CASE("a new leader waits only with instances that no node reports",
          "[coordinator][leases][S8][S11]") {
    LeaseHarness harness{CoordinatorHarness::empty_store()};  // Of the third epoch.
    harness.join_stamping("n1");
    harness.want_alone();
    harness.pass(over - 10s);
    CHECK(harness.home().empty());
    CHECK_THAT(harness.explained().detail,
               Catch::StartsWith("it is exclusive and may still run under a lease of the "
                                 "previous leadership; "));
    harness.pass(10s);
    CHECK(harness.home() == "n1");
}

// Goal: the end of a copy does not prove that no other, invisible one runs.
// Method: the first leader had moved it on; the second gets only the report of the copy that ends.
TEST_CASE("a copy that ends under a new leader does not prove that none runs",
          "[coordinator][leases][S8][S11]") {
    const StoreImage image = store_of_another_leader(Generation{5});
    LeaseHarness harness{image};
    FakeAgent& n1 = harness.add("n1");
    n1.stamps = true;
    n1.instances[db0] = copy_of(Generation{5}, InstanceState::stopping);
    harness.send_hello(n1);
    harness.pass(5s);
    n1.instances.clear();
    n1.revision = next(n1.revision);
    harness.pass(over - 10s);
    CHECK(harness.home().empty());
    harness.pass(15s);
    CHECK(harness.home() == "n1");
}

// Goal: nor does a copy of an earlier generation: its task may not have been exclusive then, so
// that another copy runs on an older lease. Method: the second leader hears of that copy only.
TEST_CASE("a copy of an earlier generation does not prove that no other runs",
          "[coordinator][leases][S8][S11]") {
    StoreImage image = store_of_another_leader(Generation{7});
    image.nodes.push_back(CoordinatorHarness::stored("n1"));
    LeaseHarness harness{image};
    FakeAgent& n1 = harness.add("n1");
    n1.stamps = true;
    n1.instances[db0] = copy_of(Generation{5}, InstanceState::running);
    harness.send_hello(n1);
    harness.pass(over - 10s);
    for (const Batch& batch : n1.batches) {
        CHECK(batch.starts.empty());
    }
    harness.pass(20s);
    CHECK(LeaseHarness::started(n1).generation == Generation{7});
}

// Goal: nor does a report of an unknown node, which has no orders (S18). Method: a node that is not
// in the store reports the instance, and then that it is gone.
TEST_CASE("a claim of an unknown node under a new leader does not prove that nothing else runs",
          "[coordinator][leases][S8][S18]") {
    const StoreImage image = store_of_another_leader(Generation{5});
    LeaseHarness harness{image};
    FakeAgent& n1 = harness.add("n1");
    n1.stamps = true;
    n1.instances[db0] = copy_of(Generation{5}, InstanceState::running);
    harness.send_hello(n1);
    harness.pass(5s);
    n1.instances.clear();
    n1.revision = next(n1.revision);
    harness.pass(over - 10s);
    CHECK(harness.home().empty());
    harness.pass(30s);
    CHECK(harness.home() == "n1");
}

// Goal: the lease of an exclusive instance is waited for, whatever its task was in between.
// Method: the task is exclusive, then not, then again, while the node that runs it is lost.
TEST_CASE("a task that is exclusive again waits for what ran as exclusive before",
          "[coordinator][leases][S8]") {
    LeaseHarness harness;
    const std::string home = harness.run_on_one_of_two();
    const std::string other = home == "n1" ? "n2" : "n1";
    harness[home].answers = harness[home].obeys = harness[home].reports_changes = false;
    harness.ask(ApplyRequest{.tasks = {LeaseHarness::wanted("db", 1)}});
    harness.pass(8s);
    REQUIRE(harness.happened("node.lost", home));
    const std::size_t before = harness[other].batches.size();
    harness.want_alone();
    harness.pass(over - 12s);
    const auto& batches = harness[other].batches;
    for (std::size_t at = before; at < batches.size(); ++at) {
        CHECK(batches[at].starts.empty());
    }
    harness.pass(10s);
    CHECK(LeaseHarness::started(harness[other]).token > 0);
}

// Goal: an agent with false clocks harms nothing, and no number overflows.
TEST_CASE("impossible clock values of a host have no effect", "[coordinator][leases]") {
    LeaseHarness harness;
    FakeAgent& n1 = harness.join_stamping("n1");
    const auto set_civil = [&](BootMs stamp, CivilMs at) {
        Report report;
        report.epoch = n1.epoch;
        report.round = n1.polls.back().round;
        report.incarnation = n1.incarnation;
        report.from = report.to = n1.revision;
        report.stamp = stamp;
        report.vitals.at = at;
        report.vitals.spawned = CivilMs{std::numeric_limits<std::int64_t>::min()};
        harness.give(FromAgent{n1.session, report});
        harness.pass(1s);
    };
    n1.answers = false;
    for (const std::uint64_t stamp :
         {std::uint64_t{9'223'372'036'855}, std::uint64_t{1} << 63U, ~std::uint64_t{0}}) {
        set_civil(BootMs{stamp}, CivilMs{std::numeric_limits<std::int64_t>::min()});
        set_civil(BootMs{stamp}, CivilMs{std::numeric_limits<std::int64_t>::max()});
        CHECK(instant_of(n1.polls.back().lease) < Instant::max() - 24h);
    }
    const auto shown = harness.read<NodeShowReply>(NodeShowRequest{"n1"});
    CHECK(shown.vitals == HostVitals{});
    CHECK(shown.clock_ahead_ms == 0);
}

TEST_CASE("a start whose lease has passed does not count against the node",
          "[coordinator][leases]") {
    LeaseHarness harness;
    FakeAgent& n1 = harness.join_stamping("n1");
    n1.obeys = false;
    harness.want_alone();
    harness.pass(2s);
    REQUIRE_FALSE(n1.batches.empty());
    for (int time = 0; time < 20; ++time) {
        const Batch& batch = n1.batches.back();
        harness.give(FromAgent{
            n1.session, Ack{batch.epoch,
                            n1.incarnation,
                            batch.sequence,
                            {{db0, batch.starts.at(0).generation, Errc::lease_over, "late"}}}});
        n1.obeyed = n1.batches.back().sequence;  // It received all of them.
        harness.pass(1s);
    }
    CHECK(harness.node("n1").health == "healthy");
    n1.obeys = true;
    harness.pass(6min);  // The acknowledgements came after the answers, as if lost.
    CHECK(harness.home() == "n1");
}

// Goal: instances that an agent left running count while it may return, but are unconfirmed. An
// exclusive one does not run beyond its lease.
TEST_CASE("an exclusive instance that its agent left is unconfirmed, and unknown after its lease",
          "[coordinator][leases]") {
    CoordinatorOptions patient;
    patient.loss.departure_grace = 5min;
    LeaseHarness harness{first_store(), patient};
    FakeAgent& n1 = harness.join_stamping("n1");
    harness.want_alone();
    harness.pass(2s);
    n1.answers = false;
    harness.give(FromAgent{n1.session, Departure{n1.incarnation, 1}});
    harness.pass(1s);
    const auto shown = [&] {
        return harness.read<TaskShowReply>(TaskShowRequest{"db"}).instances.front();
    };
    CHECK(shown().state == "running");
    CHECK(shown().detail == "unconfirmed: its node left");
    CHECK(harness.status().unconfirmed == 1);
    CHECK(harness.status().alarms.front().starts_with("left: n1; "));
    harness.pass(over);
    CHECK(shown().state == "unknown");
    CHECK(shown().detail == "its lease has ended, and its node left");
}
