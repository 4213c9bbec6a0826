#include "tests/catch.hpp"

#include "tests/unit/coordinator_bench_top.hpp"

using namespace muster;
using muster::testing::BenchTop;
using muster::testing::Puppet;

// Goal: a store that knows less than a node orders nothing there (S13, S25).
// Method: four ways of being ahead.
TEST_CASE("a node that has seen a later or another store is ahead and gets no command",
          "[coordinator][ahead][S13]") {
    BenchTop bench;
    bench.want("web", 1);
    bench.pass(2s);
    Puppet& n1 = bench.add("n1");
    SECTION("of another cluster") { n1.cluster = ClusterId{7, 7}; }
    SECTION("of a later epoch") {
        n1.epoch = Epoch{4};
        n1.leader = LeaderId{5, 5};
    }
    SECTION("of our epoch under another leader") {
        n1.epoch = Epoch{3};
        n1.leader = LeaderId{5, 5};
    }
    SECTION("of a later change") { n1.counter = Generation{12}; }
    SECTION("by what it runs") {
        InstanceReport old;
        old.id = {"old", 0};
        old.generation = Generation{40};
        old.state = InstanceState::running;
        n1.instances[old.id] = old;
    }
    bench.say_hello(n1);
    bench.pass(3s);
    CHECK(n1.batches.empty());
    CHECK(bench.happened("node.ahead", "n1"));
    const StatusReply status = bench.status();
    CHECK(status.ahead == 1);
    CHECK(status.serving == 0);
    REQUIRE(status.alarms.size() == 1);
    CHECK(status.alarms.front().find("n1") != std::string::npos);
    const auto* row = std::get_if<StoredNode>(&bench.persisted.back().writes.front());
    REQUIRE(row != nullptr);
    CHECK(row->ahead);
}

// Goal: the way out of being ahead is the operator's.
// Method: an empty store meets a node of another cluster; `store accept` takes it over.
TEST_CASE("store accept takes over what the nodes ahead know and leads them",
          "[coordinator][ahead][S13]") {
    BenchTop bench;
    Puppet& n1 = bench.add("n1");
    n1.cluster = ClusterId{7, 7};
    n1.epoch = Epoch{9};
    n1.leader = LeaderId{5, 5};
    n1.counter = Generation{30};
    bench.say_hello(n1);
    bench.pass(2s);

    const auto listed = bench.read<StoreAcceptReply>(StoreAcceptRequest{.dry_run = true});
    REQUIRE(listed.nodes.size() == 1);
    CHECK(listed.nodes.front() == AheadNode{"n1", ClusterId{7, 7}, Epoch{9}, Generation{30}, ""});
    CHECK(bench.status().ahead == 1);

    const auto reply = bench.ask(StoreAcceptRequest{}, bench.fresh_id());
    REQUIRE(reply);
    REQUIRE(reply->result);
    const StatusReply status = bench.status();
    CHECK(status.ahead == 0);
    CHECK(status.cluster == ClusterId{7, 7});
    CHECK(status.epoch == Epoch{10});
    CHECK(status.counter == Generation{31});
    CHECK(n1.welcomes.back().cluster == ClusterId{7, 7});
    CHECK(n1.welcomes.back().epoch == Epoch{10});
    CHECK(n1.polls.back().epoch == Epoch{10});
    bench.pass(1s);
    bench.want("web", 1);
    CHECK(bench.running("web") == 1);
    CHECK(n1.batches.back().epoch == Epoch{10});
}

// Goal: nonsense claims are refused, not added one to, and hold up nobody else.
// Method: an agent that claims the highest epoch there is; then another with an honest claim.
TEST_CASE("store accept leaves out claims that no honest agent makes",
          "[coordinator][ahead][S25]") {
    BenchTop bench;
    Puppet& n1 = bench.add("n1");
    n1.epoch = Epoch{~std::uint64_t{0}};
    n1.leader = LeaderId{5, 5};
    bench.say_hello(n1);
    const auto refused = bench.ask(StoreAcceptRequest{}, bench.fresh_id());
    REQUIRE(refused);
    REQUIRE_FALSE(refused->result);
    CHECK(refused->result.error().code == Errc::refused);
    CHECK(refused->result.error().detail.find("n1") != std::string::npos);
    CHECK(bench.status().epoch == Epoch{3});

    Puppet& n2 = bench.add("n2");
    n2.epoch = Epoch{9};
    n2.leader = LeaderId{5, 5};
    bench.say_hello(n2);
    const auto reply = bench.ask(StoreAcceptRequest{}, bench.fresh_id());
    REQUIRE(reply);
    REQUIRE(reply->result);
    const auto& nodes = std::get<StoreAcceptReply>(*reply->result).nodes;
    REQUIRE(nodes.size() == 2);
    CHECK_FALSE(nodes[0].left_out.empty());
    CHECK(nodes[1].left_out.empty());
    CHECK(bench.status().epoch == Epoch{10});
    CHECK(bench.status().ahead == 1);
    CHECK(bench.status().serving == 1);
}

// Goal: two foreign clusters cannot both be taken over, and one that has left is in nobody's way.
// Method: agents of two other clusters; then one of them is gone.
TEST_CASE("store accept takes over one foreign cluster", "[coordinator][ahead][S13]") {
    BenchTop bench;
    Puppet& n1 = bench.add("n1");
    n1.cluster = ClusterId{7, 7};
    bench.say_hello(n1);
    Puppet& n2 = bench.add("n2");
    n2.cluster = ClusterId{8, 8};
    bench.say_hello(n2);
    const auto refused = bench.ask(StoreAcceptRequest{}, bench.fresh_id());
    REQUIRE(refused);
    REQUIRE_FALSE(refused->result);
    CHECK(refused->result.error().detail.find("n2") != std::string::npos);

    bench.give(SessionClosed{n2.session});
    const auto reply = bench.ask(StoreAcceptRequest{}, bench.fresh_id());
    REQUIRE(reply);
    REQUIRE(reply->result);
    CHECK(bench.status().cluster == ClusterId{7, 7});
}
