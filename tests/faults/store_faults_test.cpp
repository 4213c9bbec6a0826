#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/crypto/hash.hpp"
#include "coordinator/core/ledger/audit/audit.hpp"
#include "coordinator/core/ledger/audit/audit_chain.hpp"
#include "sim/hosts/store_model.hpp"
#include "tests/faults/written_file.hpp"
#include "tests/unit/coordinator/store/store_fixture.hpp"

namespace muster::faults {
namespace {

const SecretKey key_of_orders{{1, 2, 3}};

/// The writes of each change for the audit: its row and the head, in one chain.
const std::vector<coordinator::Write>& audit_writes(std::uint64_t number) {
    static const auto all = [] {
        std::vector<std::vector<coordinator::Write>> writes(persists + 2);
        coordinator::Audit audit{key_of_orders, {}};
        for (std::uint64_t change = 1; change < writes.size(); ++change) {
            audit.add({.at = CivilMs{17},
                       .actor = "olga",
                       .action = "task add",
                       .result = change % 3 == 0 ? "denied" : "accepted",
                       .detail = std::string(100, 'd')},
                      writes[change]);
        }
        return writes;
    }();
    return all.at(number);
}

/// A change with rows of all kinds. Some of them replace or delete earlier rows.
coordinator::Persist change(const coordinator::Meta& leadership, std::uint64_t number) {
    const std::string name = "x" + std::to_string(number % 4);
    coordinator::Meta meta = leadership;
    meta.counter = Generation{number};
    coordinator::Persist persist{number, {meta}};
    coordinator::StoredTask task{
        .wanted = {}, .generation = Generation{number}, .created = Generation{1}};
    task.wanted.name = name;
    task.wanted.instances = static_cast<std::uint32_t>(number);
    task.wanted.spec.argv = {std::string(900, 'a'), std::to_string(number)};
    persist.writes.emplace_back(Shared<coordinator::StoredTask>{task});
    persist.writes.emplace_back(
        coordinator::StoredNode{.name = name, .incarnation = Incarnation{number}});
    persist.writes.emplace_back(Shared<coordinator::StoredIntent>{
        coordinator::StoredIntent{.name = name, .since = CivilMs{17}}});
    persist.writes.emplace_back(coordinator::StoredSetting{
        number % 2 == 0 ? "starts_per_round" : "moves_per_round", std::to_string(number)});
    persist.writes.emplace_back(Shared<coordinator::StoredKey>{
        coordinator::StoredKey{.name = name,
                               .keys = {{.key = PublicKey{hash_of(std::to_string(number))},
                                         .since = CivilMs{17},
                                         .until = CivilMs{18}}},
                               .revoked = number % 2 == 0,
                               .tasks = {"web*"}}});
    persist.writes.emplace_back(
        coordinator::StoredToken{.name = name,
                                 .hash = PublicKey{hash_of(name)},
                                 .pattern = "n*",
                                 .uses = static_cast<std::uint32_t>(number)});
    persist.writes.emplace_back(Shared<coordinator::StoredPool>{
        coordinator::StoredPool{.name = name,
                                .spec = {.max = static_cast<std::uint32_t>(number)},
                                .paused = number % 2 == 0}});
    persist.writes.emplace_back(Shared<coordinator::StoredPoolNode>{coordinator::StoredPoolNode{
        .name = name, .pool = "web", .provider = "local", .id = std::to_string(number)}});
    persist.writes.emplace_back(
        Shared<coordinator::StoredSeason>{coordinator::StoredSeason{.name = name, .usual = {}}});
    const RequestId id{number << 16U, number};
    persist.writes.emplace_back(coordinator::StoredRequest{
        .id = id, .reply = Reply{id, ReplyBody{RoundReply{}}}, .request_digest = {number, number}});
    if (number % 5 == 4) {
        persist.writes.emplace_back(coordinator::Erase<coordinator::StoredTask>{name});
        persist.writes.emplace_back(coordinator::Erase<coordinator::StoredNode>{name});
        persist.writes.emplace_back(coordinator::Erase<coordinator::StoredIntent>{name});
        persist.writes.emplace_back(coordinator::Erase<coordinator::StoredKey>{name});
        persist.writes.emplace_back(coordinator::Erase<coordinator::StoredToken>{name});
        persist.writes.emplace_back(coordinator::Erase<coordinator::StoredPool>{name});
        persist.writes.emplace_back(coordinator::Erase<coordinator::StoredPoolNode>{name});
        persist.writes.emplace_back(coordinator::Erase<coordinator::StoredSeason>{name});
        persist.writes.emplace_back(coordinator::EraseOldRequests{CivilMs{3}});
    }
    for (const coordinator::Write& write : audit_writes(number)) {
        persist.writes.push_back(write);
    }
    return persist;
}

bool holds(const coordinator::StoreImage& is, const coordinator::StoreImage& should_be) {
    const auto same_request = [](const coordinator::StoredRequest& a,
                                 const coordinator::StoredRequest& b) {
        return a.id == b.id && a.request_digest == b.request_digest && *a.reply == *b.reply;
    };
    return is.meta.counter == should_be.meta.counter && is.tasks == should_be.tasks &&
           is.nodes == should_be.nodes && is.intents == should_be.intents &&
           is.settings == should_be.settings && is.freeze == should_be.freeze &&
           is.keys == should_be.keys && is.tokens == should_be.tokens &&
           is.pools == should_be.pools && is.pool_nodes == should_be.pool_nodes &&
           is.seasons == should_be.seasons && is.audit == should_be.audit &&
           std::ranges::equal(is.requests, should_be.requests, same_request);
}

/// The store's contents after each of the changes.
std::vector<coordinator::StoreImage> images() {
    std::vector<coordinator::StoreImage> all(1);
    for (std::uint64_t number = 1; number <= persists; ++number) {
        coordinator::StoreImage next = all.back();
        for (const coordinator::Write& write : change({}, number).writes) {
            sim::apply(next, write);
        }
        all.push_back(next);
    }
    return all;
}

Lived live(const std::string& directory) {
    Lived lived;
    const auto open = coordinator::open_store(directory + "/store.sqlite");
    if (!open) {
        lived.failure = open.error().detail;
        return lived;
    }
    for (std::uint64_t number = 1; number <= persists; ++number) {
        open->store->submit(change(open->image.meta, number));
        ++lived.submitted;
        if (!coordinator::wait_durable(*open->store, number)) {
            // After a failure nothing more is acknowledged, whatever the disk does later.
            open->store->submit(change(open->image.meta, number + 1));
            CHECK_FALSE(open->store->take_durable());
            lived.failure = "a write";
            return lived;
        }
        lived.acknowledged = number;
    }
    return lived;
}

void check(const std::string& directory, const Lived& lived) {
    static const std::vector<coordinator::StoreImage> after = images();
    CAPTURE(lived.acknowledged, lived.submitted, lived.failure);
    const auto open = coordinator::open_store(directory + "/store.sqlite");
    INFO((open ? "" : open.error().detail));
    REQUIRE(open);
    const std::uint64_t kept = raw(open->image.meta.counter);
    CHECK(kept >= lived.acknowledged);
    CHECK(kept <= lived.submitted);
    CHECK(holds(open->image, after.at(kept)));
    // The audit has the rows of these changes, no other, and they hang together.
    const auto audit = open->store->audit(0, persists + 2);
    REQUIRE(audit);
    CHECK(audit->rows.size() == kept);
    CHECK(coordinator::fault_of_chain(key_of_orders, *audit).value_or("") == "");
}

const WrittenFile store{.live = live, .check = check};

}  // namespace

// Goal: S1, S23: after any failure, acknowledged changes are kept, and no later change is
// acknowledged.
TEST_CASE("no failed file operation loses an acknowledged change of the store",
          "[faults][S1][S23]") {
    CHECK(fail_each_operation(store) > 200);
}

TEST_CASE("a loss of power loses no acknowledged change of the store", "[faults][S1]") {
    CHECK(lose_power_at_each_operation(store, Random{12}) > 400);
}

}  // namespace muster::faults
