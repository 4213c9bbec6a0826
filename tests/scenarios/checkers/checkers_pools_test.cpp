#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/scenarios/checkers/checker_stories.hpp"

// Every checker can fail, here on pools: P1 and P3 to P7. See checkers_test.cpp.
namespace muster::sim {
namespace {

using coordinator::PoolNodeState;
using coordinator::StoredPoolNode;

/// A pool of at most two nodes, of which p-1 serves.
struct PoolStory {
    Checkers checkers;
    coordinator::StoreImage image = image_with(0);
    std::uint64_t persists = 0;
    std::uint64_t calls = 0;

    PoolStory() {
        coordinator::StoredPool pool{.name = "web"};
        pool.spec.provider = "sim";
        pool.spec.max = 2;
        pool.spec.min = 1;
        image.pools.push_back(pool);
        add("p-1");
        checkers.on(origin, StoreReplaced{image});
        checkers.on(origin, CivilClockRead{civil(origin)});
        checkers.on(origin, LeadershipBegan{image, 0s, 3});
        checkers.on(origin, WelcomeIssued{n0, "p-1", Incarnation{1}});
    }
    void add(const std::string& name) {
        image.pool_nodes.push_back(node(name));
        image.nodes.push_back({.name = name, .incarnation = Incarnation{1}});
    }
    static StoredPoolNode node(const std::string& name,
                               PoolNodeState state = PoolNodeState::active) {
        return {.name = name,
                .pool = "web",
                .provider = "sim",
                .id = "i-" + name,
                .request = "1-1",
                .state = state,
                .since = civil(origin)};
    }
    static StoredPoolNode slot(const std::string& request) {
        return {.name = request + "/1",
                .pool = "web",
                .provider = "sim",
                .request = request,
                .since = civil(origin)};
    }
    void take(Instant now, const coordinator::Input& input, const coordinator::Output& output) {
        checkers.on(now, StepTaken{input, {}, image, output});
    }
    void list(const std::vector<std::string>& names) {
        coordinator::Output asks;
        asks.calls.push_back({++calls, "sim", coordinator::ListNodes{}});
        take(origin, coordinator::Wake{}, asks);
        coordinator::NodesListed listed;
        for (const std::string& name : names) {
            listed.nodes.push_back({.id = "i-" + name, .node = name, .pool = "web"});
        }
        take(origin, coordinator::OutsideAnswer{calls, listed}, {});
    }
    void fail_listing() {
        coordinator::Output asks;
        asks.calls.push_back({++calls, "sim", coordinator::ListNodes{}});
        take(origin, coordinator::Wake{}, asks);
        take(origin, coordinator::OutsideAnswer{calls, coordinator::CallFailed{"it cannot"}}, {});
    }
    /// A step that writes these rows.
    void write(Instant now, std::vector<coordinator::Write> writes) {
        coordinator::Output output;
        output.persist.push_back({++persists, std::move(writes)});
        take(now, coordinator::Wake{}, output);
    }
    void put(Instant now, const StoredPoolNode& row) { write(now, {Shared<StoredPoolNode>{row}}); }
    void give_up(const std::string& name) {
        write(origin, {coordinator::Erase<StoredPoolNode>{name}});
    }
    void call(decltype(coordinator::OutsideCall::what) what) {
        coordinator::Output output;
        output.calls.push_back({++calls, "sim", std::move(what)});
        take(origin, coordinator::Wake{}, output);
    }
};

constexpr Duration after_ttl = 31s;

}  // namespace

TEST_CASE("a pool that shows a node which is not stored breaks P1", "[checkers][P1]") {
    PoolStory story;
    PoolShowReply shown{.name = "web"};
    shown.nodes.push_back({.node = "p-1", .state = "active", .amount = 2});
    SECTION("it does not") {
        story.checkers.on(origin, PoolsShown{{shown}, story.image});
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("it does") {
        shown.nodes.push_back({.node = "p-2", .state = "active", .amount = 2});
        story.checkers.on(origin, PoolsShown{{shown}, story.image});
        CHECK(properties(story.checkers) == Found{"P1"});
    }
    SECTION("it has joined by itself") {
        shown.nodes.push_back({.node = "p-2", .state = "fixed", .amount = 2});
        story.checkers.on(origin, PoolsShown{{shown}, story.image});
        CHECK(properties(story.checkers) == Found{});
    }
}

TEST_CASE("a settled pool whose capacity is not the sum over its nodes breaks P1",
          "[checkers][P1]") {
    PoolStory story;
    PoolShowReply shown{.name = "web"};
    shown.nodes.push_back({.node = "p-1", .state = "active", .amount = 2});
    shown.decision.nodes = 1;
    shown.decision.capacity = GENERATE(2U, 4U);
    story.checkers.on(origin, PoolsSettled{});
    story.checkers.on(origin, PoolsShown{{shown}, story.image});
    CHECK(properties(story.checkers) == (shown.decision.capacity == 2 ? Found{} : Found{"P1"}));
}

TEST_CASE("a node that has been gone for long and still counts breaks P1", "[checkers][P1]") {
    PoolStory story;
    PoolShowReply shown{.name = "web"};
    shown.nodes.push_back({.node = "p-1", .state = "active", .amount = 2});
    const std::string name = "p-1";
    story.checkers.on(origin, ProvidedNodeGone{name});
    story.checkers.on(origin, PoolsShown{{shown}, story.image});
    CHECK(properties(story.checkers) == Found{});
    Event closed;
    closed.topic = "round.closed";
    for (int round = 0; round < 50; ++round) {
        story.checkers.on(origin, EventPublished{closed});
    }
    story.checkers.on(origin, PoolsShown{{shown}, story.image});
    CHECK(properties(story.checkers) == Found{"P1"});
}

TEST_CASE("a request above the most nodes of a pool breaks P3", "[checkers][P3]") {
    PoolStory story;
    story.list({"p-1"});
    const bool is_full = GENERATE(false, true);
    if (is_full) {
        story.add("p-2");
    }
    story.put(origin + after_ttl, PoolStory::slot("1-2"));
    CHECK(properties(story.checkers) == (is_full ? Found{"P3"} : Found{}));
}

TEST_CASE("a drain below the least nodes of a pool breaks P3", "[checkers][P3]") {
    PoolStory story;
    story.list({"p-1", "p-2"});
    const bool has_two = GENERATE(false, true);
    if (has_two) {
        story.add("p-2");
    }
    story.put(origin + after_ttl, PoolStory::node("p-1", PoolNodeState::draining));
    CHECK(properties(story.checkers) == (has_two ? Found{} : Found{"P3"}));
}

TEST_CASE("a removal that is not stored breaks P4", "[checkers][P4]") {
    PoolStory story;
    const bool is_stored = GENERATE(false, true);
    if (is_stored) {
        story.image.pool_nodes.front().state = PoolNodeState::removing;
    }
    story.call(coordinator::RemoveNode{"web", "i-p-1"});
    CHECK(properties(story.checkers) == (is_stored ? Found{} : Found{"P4"}));
}

TEST_CASE("the end of a drain with work on its node breaks P4 before its time", "[checkers][P4]") {
    PoolStory story;
    story.image.pool_nodes.front().state = PoolNodeState::draining;
    const bool has_work = GENERATE(false, true);
    const Duration after = GENERATE(10s, 60s);
    const Instant at = origin + after;
    const InstanceId id{"other", 0};
    if (has_work) {
        story.checkers.on(origin, ProcessBegan{n0, id, Generation{5}, 1});
    }
    story.image.pool_nodes.front().since = civil(origin);
    const AgentMessage message = Ack{};
    story.checkers.on(at, AgentMessageReceived{n0, message});
    static_cast<void>(properties(story.checkers));  // Other checkers know no such process.
    story.put(at, PoolStory::node("p-1", PoolNodeState::removing));
    CHECK(properties(story.checkers) == (has_work && after == 10s ? Found{"P4"} : Found{}));
}

TEST_CASE("a node that is removed without a drain breaks P4, unless it is lost", "[checkers][P4]") {
    PoolStory story;
    const bool is_lost = GENERATE(false, true);
    story.image.nodes.front().lost = is_lost;
    story.put(origin, PoolStory::node("p-1", PoolNodeState::removing));
    CHECK(properties(story.checkers) == (is_lost ? Found{} : Found{"P4"}));
}

TEST_CASE("a request of a settled pool breaks P5", "[checkers][P5]") {
    PoolStory story;
    story.list({"p-1"});
    const bool is_settled = GENERATE(false, true);
    story.checkers.on(origin, PoolsSettled{is_settled});
    story.put(origin + after_ttl, PoolStory::slot("1-2"));
    CHECK(properties(story.checkers) == (is_settled ? Found{"P5"} : Found{}));
}

TEST_CASE("a request that means two things breaks P6", "[checkers][P6]") {
    PoolStory story;
    story.image.pool_nodes.push_back(PoolStory::slot("1-2"));
    const std::uint32_t count = GENERATE(1U, 2U);
    story.call(coordinator::ProvisionNodes{"web", "1-2", 1});
    story.call(coordinator::ProvisionNodes{"web", "1-2", count});
    CHECK(properties(story.checkers) == (count == 1 ? Found{} : Found{"P6"}));
}

TEST_CASE("a request that is not stored breaks P6", "[checkers][P6]") {
    PoolStory story;
    story.call(coordinator::ProvisionNodes{"web", "1-3", 1});
    CHECK(properties(story.checkers) == Found{"P6"});
}

TEST_CASE("a new leader that asks before it knows enough breaks P6", "[checkers][P6]") {
    PoolStory story;
    SECTION("it has a listing, and waited") {
        story.list({"p-1"});
        story.put(origin + after_ttl, PoolStory::slot("1-2"));
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("it has no listing") {
        story.put(origin + after_ttl, PoolStory::slot("1-2"));
        CHECK(properties(story.checkers) == Found{"P6"});
    }
    SECTION("it did not wait") {
        story.list({"p-1"});
        story.put(origin + 1s, PoolStory::slot("1-2"));
        CHECK(properties(story.checkers) == Found{"P6"});
    }
}

TEST_CASE("a node that is given up breaks P7 unless it is lost and not listed", "[checkers][P7]") {
    PoolStory story;
    story.image.nodes.front().lost = true;
    SECTION("it is") {
        story.list({});
        story.give_up("p-1");
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("it is listed") {
        story.list({"p-1"});
        story.give_up("p-1");
        CHECK(properties(story.checkers) == Found{"P7"});
    }
    SECTION("the last listing failed") {
        story.list({});
        story.fail_listing();
        story.give_up("p-1");
        CHECK(properties(story.checkers) == Found{"P7"});
    }
    SECTION("it is not lost, and the listing is empty") {
        story.image.nodes.front().lost = false;
        story.list({});
        story.give_up("p-1");
        CHECK(properties(story.checkers) == Found{"P7"});
    }
}

}  // namespace muster::sim
