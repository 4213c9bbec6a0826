#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/crypto/hash.hpp"
#include "coordinator/core/ledger/audit/audit_chain.hpp"
#include "tests/scenarios/checkers/checker_stories.hpp"

// The checkers of keys and of the audit notice what they are for, and nothing else.
namespace muster::sim {
namespace {

using coordinator::Caller;
using coordinator::Output;
using coordinator::Session;

const PublicKey key_of_n0{hash_of("n0")};
const PublicKey key_of_olga{hash_of("olga")};
constexpr Session the_session{1};

/// A coordinator that knows one host and one operator.
struct KeyStory {
    Checkers checkers;
    coordinator::StoreImage store = image_with(0);
    Output output;

    KeyStory() {
        store.keys.push_back(
            {.name = "n0", .role = Role::agent, .keys = {{.key = key_of_n0, .since = CivilMs{1}}}});
        store.keys.push_back({.name = "olga",
                              .role = Role::operator_,
                              .keys = {{.key = key_of_olga, .since = CivilMs{1}}}});
        checkers.on(origin, LeadershipBegan{store});
        checkers.on(origin, CivilClockRead{CivilMs{10'000}});
    }

    void take(const coordinator::Input& input, const PublicKey& key = key_of_n0) {
        checkers.on(origin, StepTaken{input, key, store, output});
        output = {};
    }
    void hello(const std::string& name) {
        Hello message;
        message.name = name;
        take(coordinator::FromAgent{the_session, message, Caller{.key = key_of_n0}});
    }
    void welcome_n0() {
        output.messages.push_back({the_session, Welcome{}});
        hello("n0");
        REQUIRE(properties(checkers) == Found{});
    }
    void report() { take(coordinator::FromAgent{the_session, Report{}, Caller{}}); }
    void ask(CoreRequestBody body) {
        take(coordinator::FromOperator{coordinator::Ticket{1},
                                       CoreRequest{RequestId{7, 7}, std::move(body)},
                                       {},
                                       Caller{.key = key_of_olga}});
    }
    void reply(Result<ReplyBody> result) {
        output.replies.push_back(
            {coordinator::Ticket{1}, Reply{RequestId{7, 7}, std::move(result)}});
    }
    void deny() { reply(fail(Errc::denied, "no")); }
    void write(std::vector<coordinator::Write> writes) {
        output.persist.push_back({1, std::move(writes)});
    }
};

coordinator::StoredAudit row_of(std::uint64_t number, const PublicKey& previous,
                                const std::string& result, RequestId request = {7, 7}) {
    coordinator::StoredAudit row{.number = number, .at = CivilMs{10'000}, .result = result};
    row.request = request;
    row.previous = previous;
    row.hash = hash_of_row({}, row);
    return row;
}

coordinator::AuditHead head_of(const coordinator::StoredAudit& row) {
    coordinator::AuditHead head{.number = row.number, .first = 1, .hash = row.hash};
    head.seal = seal_of({}, head);
    return head;
}

}  // namespace

TEST_CASE("a session of a name that its key does not have breaks S19", "[checkers][S19]") {
    KeyStory story;
    SECTION("the name of another") {
        story.output.messages.push_back({the_session, Welcome{}});
        story.hello("n1");
        CHECK(properties(story.checkers) == Found{"S19"});
    }
    SECTION("its own name") { story.welcome_n0(); }
    SECTION("a revoked key") {
        story.store.keys[0].revoked = true;
        story.output.messages.push_back({the_session, Welcome{}});
        story.hello("n0");
        CHECK(properties(story.checkers) == Found{"S19"});
    }
    SECTION("an expired key") {
        story.store.keys[0].keys[0].until = CivilMs{10'000};
        story.output.messages.push_back({the_session, Welcome{}});
        story.hello("n0");
        CHECK(properties(story.checkers) == Found{"S19"});
    }
    SECTION("a right key that is denied") {
        story.output.messages.push_back({the_session, Refused{Errc::denied, "", Incarnation{}, 0}});
        story.hello("n0");
        CHECK(properties(story.checkers) == Found{"S19"});
    }
    SECTION("a denied hello that changes the node") {
        story.output.events.push_back({.topic = "node.returned", .name = "n1", .detail = ""});
        story.hello("n1");
        CHECK(properties(story.checkers) == Found{"S19"});
    }
}

TEST_CASE("a report or an order after the end of a key breaks S19", "[checkers][S19]") {
    KeyStory story;
    story.welcome_n0();
    story.report();
    story.checkers.on(origin, OrderSent{the_session, key_of_n0, story.store});
    CHECK(properties(story.checkers) == Found{});
    story.store.keys[0].revoked = true;
    SECTION("a report that is taken") {
        story.report();
        CHECK(properties(story.checkers) == Found{"S19"});
    }
    SECTION("a report that is refused") {
        story.output.messages.push_back(
            {the_session, Refused{Errc::hello_required, "", Incarnation{}, 0}});
        story.report();
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("an order") {
        story.checkers.on(origin, OrderSent{the_session, key_of_n0, story.store});
        CHECK(properties(story.checkers) == Found{"S19"});
    }
}

TEST_CASE("a request that its key does not allow, and is not denied, breaks S19",
          "[checkers][S19]") {
    KeyStory story;
    SECTION("allowed") {
        story.reply(ReplyBody{ChangeReply{}});
        story.ask(TaskRemoveRequest{"web"});
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("of a higher role") {
        story.reply(ReplyBody{KeysReply{}});
        story.ask(KeyRevokeRequest{"n0", {}});
        CHECK(properties(story.checkers) == Found{"S19"});
    }
    SECTION("of a revoked key") {
        story.store.keys[1].revoked = true;
        story.ask(TaskRemoveRequest{"web"});
        CHECK(properties(story.checkers) == Found{"S19"});
    }
    SECTION("denied though allowed") {
        story.write({row_of(1, {}, "denied")});
        story.deny();
        story.ask(TaskRemoveRequest{"web"});
        CHECK(properties(story.checkers) == Found{"S19"});
    }
    SECTION("denied, but it changes something") {
        story.write({row_of(1, {}, "denied"), coordinator::Erase<coordinator::StoredKey>{"n0"}});
        story.deny();
        story.ask(KeyRevokeRequest{"n0", {}});
        CHECK(properties(story.checkers) == Found{"S19"});
    }
}

TEST_CASE("a denied request without its one row breaks S22", "[checkers][S22]") {
    KeyStory story;
    story.deny();
    SECTION("none") {
        story.ask(KeyRevokeRequest{"n0", {}});
        CHECK(properties(story.checkers) == Found{"S22"});
    }
    SECTION("one") {
        story.write({row_of(1, {}, "denied")});
        story.ask(KeyRevokeRequest{"n0", {}});
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("two") {
        story.write({row_of(1, {}, "denied"), row_of(2, {}, "denied")});
        story.ask(KeyRevokeRequest{"n0", {}});
        CHECK(properties(story.checkers) == Found{"S22"});
    }
}

TEST_CASE("a row of the audit that does not follow the one before it breaks S22",
          "[checkers][S22]") {
    KeyStory story;
    story.take(coordinator::Wake{});
    const auto commit = [&](std::vector<coordinator::Write> writes) {
        const std::vector<coordinator::Persist> persists{{1, std::move(writes)}};
        story.checkers.on(origin, Committed{persists, story.store});
    };
    const auto first = row_of(1, {}, "denied");
    commit({first, head_of(first)});
    REQUIRE(properties(story.checkers) == Found{});
    auto second = row_of(2, first.hash, "denied");
    SECTION("it follows") {
        commit({second, head_of(second)});
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("a gap") {
        const auto third = row_of(3, first.hash, "denied");
        commit({third, head_of(third)});
        CHECK(properties(story.checkers) == Found{"S22"});
    }
    SECTION("another row before it") {
        const auto other = row_of(2, {}, "denied");
        commit({other, head_of(other)});
        CHECK(properties(story.checkers) == Found{"S22"});
    }
    SECTION("a wrong hash") {
        second.detail = "edited";
        commit({second, head_of(second)});
        CHECK(properties(story.checkers) == Found{"S22"});
    }
    SECTION("a head of another row") {
        commit({second, head_of(first)});
        CHECK(properties(story.checkers) == Found{"S22"});
    }
    SECTION("a head without a seal") {
        coordinator::AuditHead head = head_of(second);
        head.seal = {};
        commit({second, head});
        CHECK(properties(story.checkers) == Found{"S22"});
    }
    SECTION("a leadership that begins elsewhere") {
        story.checkers.on(origin, LeadershipBegan{story.store});
        CHECK(properties(story.checkers) == Found{"S22"});
    }
}

TEST_CASE("a change without its row of the audit breaks S22", "[checkers][S22]") {
    KeyStory story;
    story.take(coordinator::Wake{});
    const auto commit = [&](std::vector<coordinator::Write> writes) {
        const std::vector<coordinator::Persist> persists{{1, std::move(writes)}};
        story.checkers.on(origin, Committed{persists, story.store});
        std::vector<std::string> found;
        for (const std::string& property : properties(story.checkers)) {
            if (property == "S22") {  // Nobody asked for the change, so it breaks others as well.
                found.push_back(property);
            }
        }
        return found;
    };
    const auto row = row_of(1, {}, "accepted");
    const coordinator::StoredRequest request{RequestId{7, 7},
                                             Reply{RequestId{7, 7}, ReplyBody{KeysReply{}}}};
    const coordinator::Erase<coordinator::StoredKey> erased{"n0"};
    CHECK(commit({erased}) == Found{"S22"});
    CHECK(commit({erased, request}) == Found{"S22", "S22"});
    CHECK(commit({erased, request, row, head_of(row)}) == Found{});
    const auto wrong = row_of(2, row.hash, "refused");
    CHECK(commit({request, wrong, head_of(wrong)}) == Found{"S22"});
}

TEST_CASE("a limited key that changes the whole cluster breaks S19", "[checkers][S19]") {
    KeyStory story;
    story.store.keys.back().role = Role::admin;
    const bool is_limited = GENERATE(false, true);
    if (is_limited) {
        story.store.keys.back().tasks = {"web"};
    }
    const bool is_denied = GENERATE(false, true);
    if (is_denied) {
        story.write({row_of(1, {}, "denied")});
        story.deny();
    } else {
        story.reply(ReplyBody{FreezeReply{}});
    }
    story.ask(FreezeOnRequest{});
    CHECK(properties(story.checkers) == (is_limited == is_denied ? Found{} : Found{"S19"}));
}

TEST_CASE("a change beyond the limits of its key breaks S19", "[checkers][S19]") {
    KeyStory story;
    story.store.keys[1].tasks = {"api*"};
    story.ask(TaskRemoveRequest{"web"});
    REQUIRE(properties(story.checkers) == Found{});
    const coordinator::StoredTask task{wanted("web", 1), Generation{1}, Generation{1}};
    const coordinator::StoredRequest request{RequestId{7, 7},
                                             Reply{RequestId{7, 7}, ReplyBody{ChangeReply{}}}};
    const auto row = row_of(1, {}, "accepted");
    const std::vector<coordinator::Persist> persists{{1, {task, request, row, head_of(row)}}};
    story.checkers.on(origin, Committed{persists, story.store});
    const auto found = properties(story.checkers);
    CHECK(std::ranges::find(found, "S19") != found.end());
}

}  // namespace muster::sim
