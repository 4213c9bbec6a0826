#include "common/net/security/peer_rate.hpp"

#include "tests/catch.hpp"

#include "common/crypto/random_key.hpp"

namespace muster {

// Goal: one key gets its messages of a second and no more, however it spreads them; others are not
// affected, and a key that waited has no more than one second's share.
TEST_CASE("the messages of each key are bounded in each second", "[net][security]") {
    net::PeerRate rate{{.messages = 10}};
    const Instant start{100s};
    const PublicKey first = random_key_pair().open;
    const PublicKey second = random_key_pair().open;
    const auto admitted = [&](Instant now, const PublicKey& key) {
        int count = 0;
        for (int i = 0; i < 100; ++i) {
            count += rate.admit(now, key) ? 1 : 0;
        }
        return count;
    };
    CHECK(admitted(start, first) == 10);
    CHECK(rate.refused() == 90);
    CHECK(admitted(start, second) == 10);
    CHECK(admitted(start + 500ms, first) == 5);
    CHECK(admitted(start + 1h, first) == 10);
}

// Goal: a key with few and large messages, or with dear ones, takes no more than its share. Method:
// 1,000 bytes and a tenth of the time of a second.
TEST_CASE("the bytes of each key, and the work they cause, are bounded in each second [A26]",
          "[net][security][A26]") {
    net::PeerRate rate{{.messages = 100, .bytes = 1'000, .work = 100ms}};
    const Instant start{100s};
    const PublicKey first = random_key_pair().open;
    const PublicKey second = random_key_pair().open;
    CHECK(rate.admit(start, first, 1'000));
    CHECK_FALSE(rate.admit(start, first, 1));
    CHECK(rate.admit(start, first));  // Without bytes.
    CHECK(rate.admit(start, second, 1'000));
    CHECK_FALSE(rate.admit(start + 400ms, first, 500));
    CHECK(rate.admit(start + 500ms, first, 500));

    CHECK(rate.admit(start + 10s, first));
    rate.charge(start + 10s, first, 90ms);
    CHECK(rate.admit(start + 10s, first));
    rate.charge(start + 10s, first, 40ms);
    CHECK_FALSE(rate.admit(start + 10s, first));
    CHECK(rate.admit(start + 10s, second));
    CHECK_FALSE(rate.admit(start + 10'200ms, first));
    CHECK(rate.admit(start + 10'300ms, first));
}

// Goal: keys that are silent need no memory for ever.
TEST_CASE("the rate of keys forgets those that are silent", "[net][security]") {
    net::PeerRate rate{{.messages = 10}};
    constexpr int keys = 5'000;
    for (int i = 0; i < keys; ++i) {
        PublicKey key;
        key.bytes[0] = static_cast<std::uint8_t>(i);
        key.bytes[1] = static_cast<std::uint8_t>(i >> 8);
        CHECK(rate.admit(Instant{1s * i}, key));
    }
    CHECK(rate.remembered() <= 1'024);
}

}  // namespace muster
