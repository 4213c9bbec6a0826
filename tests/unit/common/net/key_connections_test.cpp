#include "common/net/security/key_connections.hpp"

#include <memory>
#include <vector>

#include "tests/catch.hpp"

namespace muster::net {
namespace {

PublicKey peer(std::uint8_t number) {
    PublicKey key;
    key.bytes.fill(number);
    return key;
}

constexpr Instant revoked_at{100s};

Connection connection(int file) { return {file, static_cast<std::uint64_t>(1'000 + file)}; }

std::shared_ptr<const KeySet> only(const PublicKey& key) {
    return std::make_shared<KeySet>(KeySet{key});
}

/// Of two connections a key.
struct Ending {
    std::vector<int> ended;
    KeyConnections connections{2, [this](const Connection& one) { ended.push_back(one.file); }};

    bool admits(std::uint8_t number, std::uint32_t route, int file) {
        return connections.admit(peer(number), route, connection(file));
    }
};

}  // namespace

// Goal: a key has the newest connections, whatever it opens, and what it sent over others counts
// for nothing. Method: connections in the order in which they were made, and in another.
TEST_CASE("a key keeps its newest connections alone [A26]", "[net][security][A26]") {
    Ending with;
    CHECK(with.admits(1, 10, 5));
    CHECK(with.admits(1, 12, 7));
    CHECK(with.admits(1, 10, 5));
    CHECK(with.ended.empty());
    CHECK(with.admits(1, 13, 8));
    CHECK(with.ended == std::vector{5});
    CHECK_FALSE(with.admits(1, 10, 5));  // What the library kept of it.
    CHECK_FALSE(with.admits(1, 9, 4));   // It was silent until revoked_at.
    CHECK(with.admits(1, 12, 7));
    CHECK_FALSE(with.admits(1, 11, 6));  // Newer than what was ended, and the oldest of three.
    CHECK(with.ended == std::vector{5, 5, 4, 6});
    CHECK(with.admits(1, 13, 8));
    CHECK(with.connections.find(peer(1), 12) == connection(7));
    CHECK_FALSE(with.connections.find(peer(1), 10));

    CHECK(with.admits(2, 3, 9));  // Other keys are not affected.
    CHECK(with.connections.ended() == 4);
}

// Goal: all connections of a revoked key end, after they were told why, and nothing of what it
// sends is looked at.
TEST_CASE("a revoked key has no connection and no message [A28]", "[net][security][A28]") {
    Ending with;
    CHECK(with.admits(1, 10, 5));
    CHECK(with.admits(1, 11, 6));
    CHECK(with.admits(2, 12, 7));
    with.connections.keep_only(revoked_at, only(peer(2)));
    with.connections.end_overdue(revoked_at);
    CHECK(with.ended.empty());
    CHECK_FALSE(with.admits(1, 20, 8));  // Its handshake was before.
    CHECK(with.ended == std::vector{8});
    with.connections.end_overdue(revoked_at + 1s);
    CHECK(with.ended == std::vector{8, 5, 6});
    CHECK_FALSE(with.admits(1, 10, 5));
    CHECK(with.admits(2, 12, 7));
    CHECK_FALSE(with.connections.find(peer(1), 10));
    with.connections.keep_only(revoked_at, only(peer(1)));  // Admitted again.
    CHECK(with.admits(1, 21, 9));
}

}  // namespace muster::net
