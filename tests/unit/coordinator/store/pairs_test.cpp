// Two quick changes are what they are one after the other.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/codec/codec.hpp"
#include "common/crypto/secret_box.hpp"
#include "coordinator/core/security/enrolments.hpp"
#include "coordinator/store/mirror.hpp"
#include "tests/unit/coordinator/core/security/keyed.hpp"

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

namespace {

const Occasion why{.reason = "a reason", .author = "ann@desk"};

std::string key_text(std::uint8_t number) { return to_string(some_key(number)); }

std::string id_of(const std::string& hash) { return token_id(*parse_public_key(hash)); }

CoreRequestBody set_secret(const std::string& name, const std::string& value) {
    return SecretSetRequest{
        .name = name, .value = encrypt_secret(store_key(SecretKey{{1}}), name, value), .why = why};
}

struct Sent {
    std::string name;
    CoreRequestBody body;
    Caller by{.is_local = true};
};

// Names that are there: tasks web and db, nodes n1 to n3, keys ann, bob, n1 to n3 and one of h1
// that waits, token 100, secret pass, pool big.
std::vector<Sent> all_changes() {
    const auto task = [](const std::string& name, std::uint32_t instances,
                         const std::string& program = "/bin/sleep") {
        return CoordinatorHarness::wanted(name, instances, program);
    };
    const auto at_most = [](std::uint32_t max) {
        PoolChanges changes;
        changes.max = max;
        return changes;
    };
    const Caller host{.is_enrolling = true, .key = some_key(60)};
    return {
        {"apply web", ApplyRequest{.tasks = {task("web", 3)}}},
        {"apply another web", ApplyRequest{.tasks = {task("web", 2, "/bin/true")}}},
        {"apply api alone", ApplyRequest{.tasks = {task("api", 1)}, .replace = true}},
        {"task add api", TaskAddRequest{.task = task("api", 2)}},
        {"task remove web", TaskRemoveRequest{.pattern = "web"}},
        {"task remove *", TaskRemoveRequest{.pattern = "*"}},
        {"task scale web", TaskScaleRequest{.pattern = "web", .instances = 1}},
        {"task scale *", TaskScaleRequest{.pattern = "*", .instances = 4}},
        {"task restart web", TaskRestartRequest{.pattern = "web"}},
        {"node offline n1", NodeOfflineRequest{.pattern = "n1", .why = why}},
        {"node online n1", NodeOnlineRequest{.pattern = "n1", .why = why}},
        {"node online *", NodeOnlineRequest{.pattern = "*"}},
        {"node drain n1", NodeDrainRequest{.pattern = "n1", .deadline_ms = 60'000, .why = why}},
        {"node drain n[1-2]", NodeDrainRequest{.pattern = "n[1-2]"}},
        {"node drain * --force", NodeDrainRequest{.pattern = "*", .force = true, .why = why}},
        {"node add n9", NodeAddRequest{.nodes = {{"n9", "far"}}, .why = why}},
        {"node add n1", NodeAddRequest{.nodes = {{"n1", ""}}}},
        {"node remove n1", NodeRemoveRequest{.pattern = "n1", .why = why}},
        {"node remove n2 --force", NodeRemoveRequest{.pattern = "n2", .force = true}},
        {"node remove n9", NodeRemoveRequest{.pattern = "n9", .why = why}},
        {"node apply", NodeApplyRequest{.nodes = {{"n1", ""}, {"n8", "far"}}, .force = true}},
        {"limit set", LimitSetRequest{.name = "starts_per_round", .value = 7}},
        {"limit set none", LimitSetRequest{.name = "starts_per_round"}},
        {"freeze on", FreezeOnRequest{.why = why}},
        {"freeze on, no reason", FreezeOnRequest{}},
        {"freeze off", FreezeOffRequest{.why = why}},
        {"key add eve",
         KeyAddRequest{.name = "eve", .role = Role::observer, .key = key_text(70), .why = why}},
        {"key add ann", KeyAddRequest{.name = "ann", .role = Role::operator_, .key = key_text(71)}},
        {"key add the key of ann",
         KeyAddRequest{.name = "eve", .role = Role::observer, .key = key_text(50)}},
        {"key revoke eve", KeyRevokeRequest{.pattern = "eve", .why = why}},
        {"key revoke ann", KeyRevokeRequest{.pattern = "ann", .why = why}},
        {"key revoke *", KeyRevokeRequest{.pattern = "*"}},
        {"key remove ann", KeyRemoveRequest{.pattern = "ann", .why = why}},
        {"key remove n*", KeyRemoveRequest{.pattern = "n*"}},
        {"key rotate n1", KeyRotateRequest{.name = "n1", .why = why}},
        {"key rotate of bob", KeyRenewRequest{.key = key_text(72)}, Caller{.key = some_key(51)}},
        {"task scale by bob", TaskScaleRequest{.pattern = "web", .instances = 5},
         Caller{.key = some_key(51)}},
        {"node accept h1",
         NodeAcceptRequest{.name = "h1", .fingerprint = fingerprint(some_key(61)), .why = why}},
        {"enrol n7", EnrolRequest{.name = "n7", .secret = key_text(100), .now = {}}, host},
        {"token create", TokenCreateRequest{.pattern = "n*", .hash = key_text(101), .why = why}},
        {"token revoke the new", TokenRevokeRequest{.id = id_of(key_text(101))}},
        {"token revoke the old", TokenRevokeRequest{.id = id_of(key_text(100)), .why = why}},
        {"secret set pass", set_secret("pass", "another")},
        {"secret set new", set_secret("new", "one")},
        {"secret remove pass", SecretRemoveRequest{.name = "pass", .why = why}},
        {"secret remove new", SecretRemoveRequest{.name = "new"}},
        {"upgrade finish", UpgradeFinishRequest{}},
        {"pool create gpu", PoolCreateRequest{.name = "gpu", .changes = at_most(2), .why = why}},
        {"pool create big", PoolCreateRequest{.name = "big", .changes = at_most(2)}},
        {"pool set big", PoolSetRequest{.name = "big", .changes = at_most(4), .why = why}},
        {"pool pause big", PoolPauseRequest{.name = "big", .why = why}},
        {"pool resume big", PoolResumeRequest{.name = "big"}},
        {"pool remove big", PoolRemoveRequest{.name = "big", .why = why}},
    };
}

/// A cluster before both changes.
class Story : public Keyed {
public:
    Story() : Keyed{with_keys(true), before_upgrade()} {
        for (const std::uint8_t number : {std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{3}}) {
            const std::string name = "n" + std::to_string(number);
            static_cast<void>(hello(name, admit(name, Role::agent, number)));
        }
        admit("ann", Role::operator_, 50);
        admit("bob", Role::operator_, 51);
        static_cast<void>(ask({.is_enrolling = true, .key = some_key(61)},
                              EnrolRequest{.name = "h1", .now = CoordinatorHarness::civil_start}));
        must(TokenCreateRequest{.pattern = "n*", .hash = key_text(100), .uses = 2});
        must(set_secret("pass", "first"));
        must(PoolCreateRequest{.name = "big"});
        must(ApplyRequest{
            .tasks = {CoordinatorHarness::wanted("web", 2), CoordinatorHarness::wanted("db", 1)}});
        harness.pass(5s);
    }

    Ticket send(const Sent& one, std::uint64_t number) {
        const Ticket ticket{number};
        const RequestId id =
            CoordinatorHarness::id_made_at(CoordinatorHarness::civil_start, number);
        harness.give(FromOperator{ticket, CoreRequest{id, one.body}, {}, one.by});
        return ticket;
    }

    /// As an operator would see it, and as a store keeps it, except the answers for retries.
    std::string outcome(const Ticket& first, const Ticket& second) {
        std::string text;
        for (const Ticket& ticket : {first, second}) {
            auto reply = harness.reply_to(ticket);
            REQUIRE(reply);
            if (auto* const limits =
                    reply->result ? std::get_if<LimitsReply>(&*reply->result) : nullptr) {
                limits->limits.front().used = 0;  // How much began in this round is no change.
            }
            text += codec::to_json(*reply) + '\n';
        }
        const auto mirror = Mirror::open("a test", CoordinatorHarness::cluster);
        REQUIRE(mirror);
        for (const Persist& persist : harness.persisted) {
            for (const Write& write : persist.writes) {
                REQUIRE((*mirror)->apply(write));
            }
        }
        REQUIRE((*mirror)->each_row([&](const RowChange& row) -> Result<void> {
            if (row.table != "requests") {
                text += row.table + ' ' + row.key + ' ' + row.text.value_or("") + '\n';
            }
            return {};
        }));
        return text;
    }

private:
    static StoreImage before_upgrade() {
        StoreImage image = CoordinatorHarness::empty_store();
        image.meta.schema = CoordinatorHarness::newest_schema - 1;
        return image;
    }
    void must(CoreRequestBody body) {
        const auto done = ask(std::move(body));
        REQUIRE(done);
    }
};

std::string one_after_the_other(const Sent& first, const Sent& second) {
    Story story;
    const Ticket earlier = story.send(first, 1'001);
    const Ticket later = story.send(second, 1'002);
    return story.outcome(earlier, later);
}

std::string both_at_once(const Sent& first, const Sent& second) {
    Story story;
    story.harness.store_works = false;
    const Ticket earlier = story.send(first, 1'001);
    const Ticket later = story.send(second, 1'002);
    story.harness.store_works = true;
    story.harness.confirm();
    return story.outcome(earlier, later);
}

/// The lines that only one of them has.
std::string differences(const std::string& slowly, const std::string& quickly) {
    const auto lines_of = [](const std::string& text) {
        std::set<std::string> lines;
        std::istringstream rest{text};
        for (std::string line; std::getline(rest, line);) {
            lines.insert(line);
        }
        return lines;
    };
    const auto before = lines_of(slowly);
    const auto after = lines_of(quickly);
    std::string text;
    for (const std::string& line : before) {
        text += after.contains(line) ? "" : "one after the other: " + line + '\n';
    }
    for (const std::string& line : after) {
        text += before.contains(line) ? "" : "at once: " + line + '\n';
    }
    return text;
}

/// Changes of clusters in a state of their own, or after which nothing else can be asked.
template <class Request>
constexpr bool is_left_out =
    std::is_same_v<Request, NodeForgiveRequest> || std::is_same_v<Request, StoreAcceptRequest> ||
    std::is_same_v<Request, CoordinatorResignRequest>;

template <std::size_t... At>
std::set<std::size_t> changes_of_table(std::index_sequence<At...> /*all*/) {
    std::set<std::size_t> all;
    const auto add = [&]<class Request>(std::size_t at, const Request& request) {
        if (!is_left_out<Request> && codec::is_change(RequestBody{request})) {
            all.insert(at);
        }
    };
    (add(At, std::variant_alternative_t<At, CoreRequestBody::Base>{}), ...);
    return all;
}

}  // namespace

// Goal: a change is checked against the change before, whether that is durable or not (A33).
// Method: each ordered pair of changes, with a store that confirms the first one at once, and with
// one that confirms both together: equal answers, and equal rows in SQLite.
TEST_CASE("two changes at once are what they are one after the other [A33]", "[store][keys][A33]") {
    const auto changes = all_changes();
    std::set<std::size_t> seen;
    for (const Sent& one : changes) {
        seen.insert(one.body.index());
    }
    constexpr std::size_t kinds = std::variant_size_v<CoreRequestBody::Base>;
    CHECK(seen == changes_of_table(std::make_index_sequence<kinds>{}));
    for (const Sent& first : changes) {
        for (const Sent& second : changes) {
            const std::string slowly = one_after_the_other(first, second);
            const std::string quickly = both_at_once(first, second);
            if (slowly != quickly) {
                FAIL_CHECK(first.name + ", then " + second.name + "\n" +
                           differences(slowly, quickly));
            }
        }
    }
}
