#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "tests/catch.hpp"

#include "common/crypto/hash.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

namespace muster::coordinator::testing {

inline CoordinatorOptions with_keys(bool accept_pending = false) {
    CoordinatorOptions options = CoordinatorHarness::losing_quickly();
    options.keys = true;
    options.accept_pending = accept_pending;
    return options;
}

inline PublicKey some_key(std::uint8_t number) {
    PublicKey key;
    key.bytes.fill(number);
    return key;
}

/// A coordinator with keys, and people and agents who have some.
class Keyed {
public:
    explicit Keyed(CoordinatorOptions options = with_keys(),
                   const StoreImage& image = CoordinatorHarness::empty_store())
        : harness{image, std::move(options)} {}

    Result<ReplyBody> ask(const Caller& by, CoreRequestBody body) {
        const Ticket ticket = next_ticket();
        harness.give(FromOperator{ticket, CoreRequest{{}, std::move(body)}, {}, by});
        const auto reply = harness.reply_to(ticket);
        return reply ? reply->result : fail(Errc::timeout, "no answer yet");
    }
    Result<ReplyBody> ask(CoreRequestBody body) { return ask({.is_local = true}, std::move(body)); }
    /// Admits a key of this name and returns its owner.
    Caller admit(const std::string& name, Role role, std::uint8_t number,
                 std::uint64_t valid_ms = 0) {
        REQUIRE(ask(KeyAddRequest{
            .name = name, .role = role, .key = to_string(some_key(number)), .valid_ms = valid_ms}));
        return {.key = some_key(number)};
    }
    /// The last refusal that the agent got after a hello with this key; none: it was welcomed.
    std::optional<Errc> hello(const std::string& name, const Caller& by) {
        FakeAgent& fake = harness.fakes.contains(name) ? harness[name] : harness.add(name);
        const auto before = fake.refusals.size();
        harness.give(FromAgent{fake.session, CoordinatorHarness::hello_of(fake), by});
        return fake.refusals.size() > before ? std::optional{fake.refusals.back().code}
                                             : std::nullopt;
    }

    [[nodiscard]] Ticket next_ticket() { return Ticket{++tickets_}; }

    CoordinatorHarness harness;

private:
    std::uint64_t tickets_ = 1'000'000;
};

inline Errc code_of(const Result<ReplyBody>& answer) {
    return answer ? Errc::io : answer.error().code;  // io: no request of these tests gets it.
}

/// The number of the key of the host web-7.
inline constexpr std::uint8_t web = 7;

/// A host that enrols, with a key of this number.
inline Caller enrolling(std::uint8_t number) {
    return {.is_enrolling = true, .key = some_key(number)};
}

inline std::string hash_text(const std::string& secret) {
    return to_string(PublicKey{hash_of(secret)});
}

}  // namespace muster::coordinator::testing
