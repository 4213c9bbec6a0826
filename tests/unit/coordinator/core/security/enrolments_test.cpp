// How hosts are admitted: by a token, or by an admin who accepts their key.

#include <string>

#include "tests/catch.hpp"

#include "common/crypto/hash.hpp"
#include "common/crypto/random_key.hpp"
#include "tests/unit/coordinator/core/security/keyed.hpp"

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

// Goal: a token admits one host of its name, once.
// Method: wrong secrets, names and times; then the right one, twice, with another key.
TEST_CASE("a token admits a host of its name once [A13]", "[keys][enrolment]") {
    Keyed keyed;
    const std::string secret(64, 'a');
    CHECK_FALSE(keyed.harness.coordinator.is_enrolment_open(keyed.harness.now));
    REQUIRE(keyed.ask(TokenCreateRequest{.pattern = "web-*", .hash = hash_text(secret)}));
    CHECK(keyed.harness.coordinator.is_enrolment_open(keyed.harness.now));
    const auto enrol = [&](const std::string& name, const std::string& presented,
                           std::uint8_t number) {
        return keyed.ask(enrolling(number),
                         EnrolRequest{.name = name, .secret = hash_text(presented)});
    };
    CHECK(code_of(enrol("web-7", std::string(64, 'b'), web)) == Errc::denied);
    CHECK(code_of(enrol("db-1", secret, web)) == Errc::denied);
    CHECK(code_of(keyed.ask(enrolling(web), EnrolRequest{.name = "web-7"})) == Errc::denied);
    const auto joined = enrol("web-7", secret, web);
    REQUIRE(joined);
    CHECK(std::get<EnrolReply>(*joined).cluster == CoordinatorHarness::cluster);
    CHECK_FALSE(std::get<EnrolReply>(*joined).pending);
    CHECK_FALSE(keyed.harness.coordinator.is_enrolment_open(keyed.harness.now));
    CHECK(enrol("web-7", secret, web));  // It asked again: the answer may have been lost.
    CHECK(code_of(enrol("web-8", secret, 8)) == Errc::denied);
    CHECK(code_of(enrol("web-7", secret, 8)) == Errc::exists);
    CHECK(code_of(enrol("web-8", secret, web)) == Errc::exists);
    CHECK(keyed.hello("web-7", {.key = some_key(web)}) == std::nullopt);
    CHECK(keyed.harness.happened("enrolment.refused", "web-8"));
}

// Goal: tokens end by themselves, and by an admin.
TEST_CASE("an expired or revoked token admits nobody [A13]", "[keys][enrolment]") {
    Keyed keyed;
    const std::string secret(64, 'a');
    REQUIRE(keyed.ask(TokenCreateRequest{
        .pattern = "*", .hash = hash_text(secret), .ttl_ms = 60'000, .uses = 2}));
    REQUIRE(keyed.ask(enrolling(1), EnrolRequest{.name = "n1", .secret = hash_text(secret)}));
    keyed.harness.pass(61s);
    CHECK_FALSE(keyed.harness.coordinator.is_enrolment_open(keyed.harness.now));
    CHECK(
        code_of(keyed.ask(enrolling(2), EnrolRequest{.name = "n2", .secret = hash_text(secret)})) ==
        Errc::denied);
    const std::string other(64, 'b');
    const auto made = keyed.ask(TokenCreateRequest{.pattern = "*", .hash = hash_text(other)});
    REQUIRE(made);
    const auto& tokens = std::get<TokensReply>(*made).tokens;
    REQUIRE(tokens.size() == 1);
    REQUIRE(keyed.ask(TokenRevokeRequest{.id = tokens.front().id}));
    CHECK(
        code_of(keyed.ask(enrolling(2), EnrolRequest{.name = "n2", .secret = hash_text(other)})) ==
        Errc::denied);
}

// Goal: a request id takes effect once, that of a host that enrols as well (S3).
// Method: the same request twice, before the first is durable and after it; also with another name.
TEST_CASE("an enrolment that is repeated takes effect once", "[keys][enrolment][S3]") {
    Keyed keyed;
    const std::string secret(64, 'a');
    REQUIRE(keyed.ask(TokenCreateRequest{
        .pattern = "*", .hash = hash_text(secret), .ttl_ms = 60'000, .uses = 2}));
    const RequestId id = keyed.harness.fresh_id();
    std::uint64_t tickets = 0;
    const auto enrol = [&](const std::string& name) {
        const Ticket ticket{++tickets};
        const CoreRequest request{id, EnrolRequest{.name = name, .secret = hash_text(secret)}};
        keyed.harness.give(FromOperator{ticket, request, {}, enrolling(1)});
        return keyed.harness.reply_to(ticket);
    };
    const auto first = enrol("n1");
    REQUIRE(first);
    REQUIRE(first->result);
    const std::size_t writes = keyed.harness.persisted.size();
    CHECK(enrol("n1") == first);
    CHECK(keyed.harness.persisted.size() == writes);
    const auto other = enrol("n2");
    REQUIRE(other);
    CHECK_FALSE(other->result);
}

// Goal: a host whose clock is far off is told so, and not admitted.
TEST_CASE("a host with a wrong clock is not admitted", "[keys][enrolment]") {
    Keyed keyed;
    const std::string secret(64, 'a');
    REQUIRE(keyed.ask(TokenCreateRequest{.pattern = "*", .hash = hash_text(secret)}));
    const auto day = std::int64_t{24} * 3'600'000;
    for (const std::int64_t off : {day, -day}) {
        const auto answer = keyed.ask(
            enrolling(1), EnrolRequest{.name = "n1",
                                       .secret = hash_text(secret),
                                       .now = CivilMs{raw(CoordinatorHarness::civil_start) + off}});
        REQUIRE(code_of(answer) == Errc::refused);
        CHECK(answer.error().detail.find(off > 0 ? "ahead of" : "behind") != std::string::npos);
    }
}

// Goal: without a token a host waits for an admin, who compares the fingerprint.
// Method: ask, accept with a wrong fingerprint, and with the right one.
TEST_CASE("a host without a token waits until an admin accepts its key", "[keys][enrolment]") {
    Keyed keyed{with_keys(true)};
    CHECK(keyed.harness.coordinator.is_enrolment_open(keyed.harness.now));
    keyed.harness.store_works = false;  // Strangers write nothing into the store.
    const auto asked = keyed.ask(enrolling(web), EnrolRequest{.name = "web-7"});
    keyed.harness.store_works = true;
    REQUIRE(asked);
    CHECK(std::get<EnrolReply>(*asked).pending);
    CHECK(keyed.hello("web-7", {.key = some_key(web)}) == Errc::denied);
    const auto listed = keyed.ask(KeyListRequest{});
    REQUIRE(std::get<KeysReply>(*listed).keys.size() == 1);
    CHECK(std::get<KeysReply>(*listed).keys.front().state == "pending");
    CHECK(code_of(keyed.ask(NodeAcceptRequest{
              .name = "web-7", .fingerprint = fingerprint(some_key(8))})) == Errc::not_found);
    REQUIRE(
        keyed.ask(NodeAcceptRequest{.name = "web-7", .fingerprint = fingerprint(some_key(web))}));
    CHECK(keyed.hello("web-7", {.key = some_key(web)}) == std::nullopt);
    const auto again = keyed.ask(enrolling(web), EnrolRequest{.name = "web-7"});
    REQUIRE(again);
    CHECK_FALSE(std::get<EnrolReply>(*again).pending);
}

// Goal: no key has two names. Method: while a host waits, an admin gives its key to another name.
TEST_CASE("a host that waits is not accepted with the key of another name", "[keys][enrolment]") {
    Keyed keyed{with_keys(true)};
    REQUIRE(keyed.ask(enrolling(web), EnrolRequest{.name = "web-7"}));
    REQUIRE(keyed.ask(
        KeyAddRequest{.name = "web-8", .role = Role::agent, .key = to_string(some_key(web))}));
    CHECK(code_of(keyed.ask(NodeAcceptRequest{
              .name = "web-7", .fingerprint = fingerprint(some_key(web))})) == Errc::exists);
    CHECK(keyed.hello("web-8", {.key = some_key(web)}) == std::nullopt);
}
