#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "tests/unit/coordinator/core/security/keyed.hpp"

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

namespace {

class Rotating : public Keyed {
public:
    Errc code(const Caller& by, CoreRequestBody body) {
        const auto answer = ask(by, std::move(body));
        return answer ? Errc::io : answer.error().code;
    }
    Caller admit(KeyAddRequest request, std::uint8_t number) {
        request.key = to_string(some_key(number));
        REQUIRE(ask(request));
        return {.key = some_key(number)};
    }
    /// The agent says hello over a new connection that proved this key.
    void connect(FakeAgent& fake, const Caller& by) {
        fake.session = Session{++sessions_};
        harness.give(FromAgent{fake.session, CoordinatorHarness::hello_of(fake), by});
    }
    void send_key(FakeAgent& fake, std::uint8_t number) {
        harness.give(
            FromAgent{fake.session, NewKey{fake.incarnation, to_string(some_key(number))}});
    }
    /// Civil time follows.
    void pass(Duration time) {
        harness.pass(time);
        harness.give(
            CivilTime{static_cast<CivilMs>(raw(CoordinatorHarness::civil_start) +
                                           to_ms(harness.now - CoordinatorHarness::start))});
    }
    /// The keys of the name, in a form that is easy to compare: `valid FINGERPRINT`.
    std::vector<std::string> keys(const std::string& name) {
        const auto answer = ask(KeyListRequest{name});
        std::vector<std::string> all;
        for (const KeyView& key : std::get<KeysReply>(answer.value()).keys) {
            all.push_back(key.state + ' ' + key.fingerprint);
        }
        return all;
    }
    static std::string valid(std::uint8_t number) {
        return "valid " + fingerprint(some_key(number));
    }
    bool admits(std::uint8_t number, bool agents) {
        const auto all = harness.coordinator.admitted_keys(agents);
        return std::ranges::count(all, some_key(number)) == 1;
    }

private:
    std::uint64_t sessions_ = 5'000;
};

using Texts = std::vector<std::string>;

}  // namespace

// Goal: the key of an agent is replaced in steps, and both keys are valid in between.
// Method: play the agent; look at its polls, the keys and its flap score.
TEST_CASE("the first hello with a new key retires the one before [A12]", "[keys]") {
    Rotating keyed;
    const Caller old = keyed.admit({.name = "n1", .role = Role::agent, .key = {}}, 1);
    FakeAgent& agent = keyed.harness.add("n1");
    keyed.connect(agent, old);
    keyed.pass(3s);
    CHECK_FALSE(agent.polls.back().renew_key);
    keyed.send_key(agent, 9);  // Nobody asked.
    CHECK(keyed.keys("n1") == Texts{Rotating::valid(1)});
    REQUIRE(keyed.ask(KeyRotateRequest{.name = "n1"}));
    CHECK(keyed.harness.happened("key.asked", "n1"));
    keyed.pass(1s);
    CHECK(agent.polls.back().renew_key);

    keyed.harness.store_works = false;
    keyed.send_key(agent, 2);
    keyed.send_key(agent, 2);
    CHECK(agent.registered.empty());  // It is not durable.
    CHECK_FALSE(keyed.admits(2, true));
    keyed.harness.store_works = true;
    keyed.harness.confirm();
    keyed.send_key(agent, 2);
    REQUIRE(agent.registered.size() == 1);
    CHECK(agent.registered[0].key == to_string(some_key(2)));
    CHECK(keyed.keys("n1") == Texts{Rotating::valid(1), Rotating::valid(2)});
    keyed.pass(1s);
    CHECK(agent.polls.back().renew_key);
    CHECK(agent.refusals.empty());

    const Session before = agent.session;
    const std::uint32_t missed = keyed.harness.node("n1").missed;
    keyed.harness.store_works = false;
    keyed.connect(agent, {.key = some_key(2)});
    CHECK(agent.polls.back().renew_key);  // Until the other one is retired for good.
    keyed.harness.store_works = true;
    keyed.harness.confirm();
    CHECK(keyed.keys("n1") == Texts{Rotating::valid(2)});
    CHECK_FALSE(keyed.admits(1, true));
    keyed.pass(3s);
    CHECK_FALSE(agent.polls.back().renew_key);
    CHECK(keyed.harness.node("n1").missed == missed);
    const auto shown = keyed.harness.read<NodeShowReply>(NodeShowRequest{"n1"});
    CHECK(shown.flap_score.contributions.empty());
    CHECK(keyed.harness.node("n1").health == "healthy");
    // The key before is nobody's now.
    keyed.connect(agent, old);
    CHECK(agent.refusals.back().code == Errc::denied);
    CHECK(before != agent.session);
}

// Goal: a replacement that ends in the middle takes no key away.
// Method: register a new key, and never use it.
TEST_CASE("a new key that is not used expires, and the present one stays [A12]", "[keys]") {
    Rotating keyed;
    const Caller old = keyed.admit({.name = "n1", .role = Role::agent, .key = {}}, 1);
    FakeAgent& agent = keyed.harness.add("n1");
    keyed.connect(agent, old);
    REQUIRE(keyed.ask(KeyRotateRequest{.name = "n1"}));
    keyed.send_key(agent, 2);
    agent.answers = false;
    keyed.pass(limits::key_overlap + 1s);
    CHECK(keyed.keys("n1") == Texts{Rotating::valid(1), "expired " + fingerprint(some_key(2))});
    // The agent comes back with the key that it has, and goes on where it stopped.
    agent.answers = true;
    ++agent.life.low;
    agent.incarnation = next(agent.incarnation);
    keyed.connect(agent, {.key = some_key(2)});
    CHECK(agent.refusals.back().code == Errc::denied);
    keyed.connect(agent, old);
    keyed.pass(1s);
    CHECK(agent.polls.back().renew_key);
    agent.registered.clear();
    keyed.send_key(agent, 2);
    keyed.send_key(agent, 2);
    CHECK(agent.registered.size() == 1);
    CHECK(keyed.keys("n1") == Texts{Rotating::valid(1), Rotating::valid(2)});
    // A life that lost its new key sends another one.
    keyed.send_key(agent, 3);  // Too soon.
    CHECK(keyed.keys("n1") == Texts{Rotating::valid(1), Rotating::valid(2)});
    keyed.pass(limits::key_renewal_pause);
    keyed.send_key(agent, 3);
    CHECK(keyed.keys("n1") == Texts{Rotating::valid(1), Rotating::valid(3)});
    keyed.connect(agent, {.key = some_key(3)});
    CHECK(keyed.keys("n1") == Texts{Rotating::valid(3)});
}

// Goal: the state of a replacement survives the coordinator.
// Method: begin another leadership with what the first one stored, before and after each step.
TEST_CASE("another leader goes on with the replacement of a key", "[keys]") {
    StoreImage image = CoordinatorHarness::empty_store();
    const auto row = [](Rotation rotation, std::vector<std::uint8_t> numbers) {
        StoredKey one{.name = "n1", .role = Role::agent, .keys = {}, .rotation = rotation};
        for (const std::uint8_t number : numbers) {
            one.keys.push_back({.key = some_key(number)});
        }
        return one;
    };
    CoordinatorOptions options = CoordinatorHarness::losing_quickly();
    options.keys = true;
    SECTION("asked") {
        image.keys = {row(Rotation::asked, {1})};
        CoordinatorHarness harness{image, options};
        FakeAgent& agent = harness.add("n1");
        harness.give(
            FromAgent{agent.session, CoordinatorHarness::hello_of(agent), {.key = some_key(1)}});
        harness.pass(2s);
        CHECK(agent.polls.back().renew_key);
    }
    SECTION("registered") {
        image.keys = {row(Rotation::registered, {1, 2})};
        CoordinatorHarness harness{image, options};
        FakeAgent& agent = harness.add("n1");
        harness.give(
            FromAgent{agent.session, CoordinatorHarness::hello_of(agent), {.key = some_key(2)}});
        CHECK(harness.coordinator.admitted_keys(true) == std::vector{some_key(2)});
    }
}

// Goal: an operator replaces the own key and nothing else, and keeps role, limits and end.
// Method: renew by a limited key that ends; use the new one.
TEST_CASE("an operator's new key has the limits of the one before [A12]", "[keys]") {
    Rotating keyed;
    const Caller old = keyed.admit({.name = "ann",
                                    .role = Role::operator_,
                                    .key = {},
                                    .valid_ms = 7'200'000,
                                    .pools = {"db"},
                                    .tasks = {"web-*"}},
                                   1);
    const Caller bob = keyed.admit({.name = "bob", .role = Role::observer, .key = {}}, 5);
    const CivilMs end = std::get<KeysReply>(*keyed.ask(KeyListRequest{"ann"})).keys[0].until;
    CHECK(keyed.code(old, KeyRenewRequest{.key = to_string(some_key(5))}) == Errc::exists);
    CHECK(keyed.code(old, KeyRenewRequest{.key = "nonsense"}) == Errc::invalid);
    CHECK(keyed.code({.is_local = true}, KeyRenewRequest{.key = to_string(some_key(2))}) ==
          Errc::refused);
    REQUIRE(keyed.ask(old, KeyRenewRequest{.key = to_string(some_key(2))}));
    const Caller fresh{.key = some_key(2)};
    CHECK(keyed.ask(old, StatusRequest{}));
    CHECK_FALSE(keyed.harness.coordinator.is_first_use(old));
    CHECK(keyed.harness.coordinator.is_first_use(fresh));
    // A lost answer: the same again, and once more with another key.
    REQUIRE(keyed.ask(old, KeyRenewRequest{.key = to_string(some_key(2))}));
    REQUIRE(keyed.ask(old, KeyRenewRequest{.key = to_string(some_key(3))}));
    CHECK(keyed.keys("ann") == Texts{Rotating::valid(1), Rotating::valid(3)});
    const Caller newest{.key = some_key(3)};
    // The shell sends this for the first request that the new key proves.
    REQUIRE(keyed.ask(newest, KeyRenewRequest{.key = to_string(some_key(3))}));
    CHECK(keyed.keys("ann") == Texts{Rotating::valid(3)});
    CHECK_FALSE(keyed.harness.coordinator.is_first_use(newest));
    CHECK(keyed.code(old, StatusRequest{}) == Errc::denied);
    CHECK(keyed.code(fresh, StatusRequest{}) == Errc::denied);
    const auto view = std::get<KeysReply>(*keyed.ask(KeyListRequest{"ann"})).keys[0];
    CHECK(view.role == "operator");
    CHECK(view.pools == std::vector<std::string>{"db"});
    CHECK(view.tasks == std::vector<std::string>{"web-*"});
    CHECK(view.until == end);
    CHECK(keyed.ask(bob, KeyRenewRequest{.key = to_string(some_key(6))}));
}

// Goal: replacing a key neither locks out another machine of the holder nor undoes a revocation.
TEST_CASE("a key is not replaced where that would take another one away", "[keys]") {
    Rotating keyed;
    const Caller first = keyed.admit({.name = "ann", .role = Role::admin, .key = {}}, 1);
    keyed.admit({.name = "ann", .role = Role::admin, .key = {}}, 2);
    CHECK(keyed.code(first, KeyRenewRequest{.key = to_string(some_key(3))}) == Errc::refused);
    // Nor in two steps.
    CHECK(keyed.code(first, KeyRenewRequest{.key = to_string(some_key(2))}) == Errc::refused);
    CHECK(keyed.keys("ann") == Texts{Rotating::valid(1), Rotating::valid(2)});
    CHECK(keyed.code(first, KeyRotateRequest{.name = "ann"}) == Errc::refused);
    CHECK(keyed.code(first, KeyRotateRequest{.name = "nobody"}) == Errc::not_found);
    const Caller old = keyed.admit({.name = "n1", .role = Role::agent, .key = {}}, 4);
    FakeAgent& agent = keyed.harness.add("n1");
    keyed.connect(agent, old);
    REQUIRE(keyed.ask(KeyRotateRequest{.name = "n1"}));
    keyed.send_key(agent, 1);  // That of another name.
    CHECK(keyed.keys("n1") == Texts{Rotating::valid(4)});
    keyed.send_key(agent, 5);
    REQUIRE(keyed.ask(KeyRevokeRequest{.pattern = "n1"}));
    keyed.connect(agent, {.key = some_key(5)});
    CHECK(agent.refusals.back().code == Errc::denied);
    CHECK(keyed.code({.is_local = true}, KeyRotateRequest{.name = "n1"}) == Errc::refused);
}

// Goal: a key that an admin adds ends a replacement, and the key in use stays.
TEST_CASE("a key that an admin adds takes the place of a new one that is not in use", "[keys]") {
    Rotating keyed;
    const Caller old = keyed.admit({.name = "n1", .role = Role::agent, .key = {}}, 1);
    FakeAgent& agent = keyed.harness.add("n1");
    keyed.connect(agent, old);
    REQUIRE(keyed.ask(KeyRotateRequest{.name = "n1"}));
    keyed.send_key(agent, 2);
    keyed.admit({.name = "n1", .role = Role::agent, .key = {}}, 3);
    CHECK(keyed.keys("n1") == Texts{Rotating::valid(1), Rotating::valid(3)});
    keyed.pass(1s);
    CHECK_FALSE(agent.polls.back().renew_key);
}
