#include "coordinator/requests/uploads.hpp"

#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"

namespace muster::coordinator {
namespace {

constexpr Instant start{1h};

std::vector<std::string> three_parts() {
    auto parts = parts::split(std::string(2 * limits::part_bytes + 1, 'x'), 9);
    REQUIRE(parts);
    REQUIRE(parts->size() == 3);
    return *parts;
}

net::Envelope peer_of(std::size_t number, std::uint8_t key = 0) {
    return {.route = {"peer-" + std::to_string(number)}, .peer = {{key}}};
}

}  // namespace

// Goal: several peers upload at the same time, each its own message.
// Method: two peers whose parts alternate.
TEST_CASE("parts of two peers are assembled separately", "[uploads]") {
    Uploads uploads;
    const auto parts = three_parts();
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t peer = 0; peer < 2; ++peer) {
            const auto added = uploads.add(start, peer_of(peer), parts[i]);
            REQUIRE(added);
            CHECK_FALSE(*added);
        }
    }
    CHECK(uploads.open() == 2);
    for (std::size_t peer = 0; peer < 2; ++peer) {
        const auto whole = uploads.add(start, peer_of(peer), parts[2]);
        REQUIRE(whole);
        REQUIRE(*whole);
        CHECK((*whole)->size() == 2 * limits::part_bytes + 1);
    }
    CHECK(uploads.open() == 0);
}

// Goal: an active upload keeps its place; an idle one does not.
// Method: one upload more than can be open, at once and after a pause of one of them.
TEST_CASE("a new upload is refused as busy while all are in use, and replaces one that pauses",
          "[uploads]") {
    Uploads uploads;
    const auto parts = three_parts();
    for (std::size_t peer = 0; peer < Uploads::open_at_most; ++peer) {
        REQUIRE(uploads.add(start, peer_of(peer), parts[0]));
    }
    const auto is_busy = [&](Instant now, std::size_t peer, std::size_t index) {
        const auto added = uploads.add(now, peer_of(peer), parts[index]);
        return !added && added.error().code == Errc::busy;
    };
    const auto is_taken = [&](Instant now, std::size_t peer, std::size_t index) {
        const auto added = uploads.add(now, peer_of(peer), parts[index]);
        return added && !*added;
    };
    CHECK(is_busy(start, 10, 0));
    CHECK(is_taken(start, 10, 1));  // Ignored: the refusal is sent once.
    CHECK(uploads.open() == Uploads::open_at_most);

    const auto later = start + Uploads::pause;
    for (std::size_t peer = 1; peer < Uploads::open_at_most; ++peer) {
        CHECK(is_taken(later - 1ms, peer, 1));
    }
    CHECK(is_taken(later, 10, 0));
    CHECK(is_busy(later, 11, 0));
    CHECK(uploads.open() == Uploads::open_at_most);
    const auto whole = uploads.add(later, peer_of(1), parts[2]);
    REQUIRE(whole);
    CHECK(*whole);

    const auto given_up = uploads.add(later, peer_of(0), parts[1]);
    REQUIRE_FALSE(given_up);
    CHECK(given_up.error().code == Errc::busy);
    CHECK(given_up.error().detail.find("was dropped") != std::string::npos);
    CHECK(is_taken(later, 0, 2));
    CHECK(is_taken(later, 0, 0));  // From the beginning, in the free place.
    CHECK(is_taken(later, 0, 1));
}

// Goal: no key keeps the others from uploading, from however many connections.
// Method: one key opens its share; then the same key, another, and the same after a pause.
TEST_CASE("a key has a share of the uploads", "[uploads]") {
    Uploads uploads;
    const auto parts = three_parts();
    for (std::size_t peer = 0; peer < Uploads::open_per_key; ++peer) {
        REQUIRE(uploads.add(start, peer_of(peer, 1), parts[0]));
    }
    const auto refused = uploads.add(start, peer_of(10, 1), parts[0]);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::busy);
    REQUIRE(uploads.add(start, peer_of(20, 2), parts[0]));
    CHECK(uploads.open() == Uploads::open_per_key + 1);

    const auto later = start + Uploads::pause;
    REQUIRE(uploads.add(later, peer_of(1, 1), parts[1]));
    REQUIRE(uploads.add(later, peer_of(11, 1), parts[0]));
    CHECK_FALSE(uploads.add(later, peer_of(0, 1), parts[1]));  // It paused longest.
    CHECK(uploads.add(later, peer_of(20, 2), parts[1]));       // Another key's is not ended for it.
}

// Goal: an upload that never ends is forgotten, and so is a refused peer; memory is bounded.
// Method: time passes; then more peers are refused than are remembered.
TEST_CASE("idle uploads and refused ones are forgotten", "[uploads]") {
    Uploads uploads;
    const auto parts = three_parts();
    REQUIRE(uploads.add(start, peer_of(0), parts[0]));
    const auto later = start + Uploads::patience + 1s;
    REQUIRE(uploads.add(later, peer_of(1), parts[0]));
    CHECK(uploads.open() == 1);
    const auto given_up = uploads.add(later, peer_of(0), parts[1]);
    REQUIRE_FALSE(given_up);
    CHECK(given_up.error().code == Errc::busy);

    for (std::size_t peer = 2; peer < 2 * Uploads::ended_at_most; ++peer) {
        const auto stray = uploads.add(later + peer * 1ms, peer_of(peer), parts[1]);
        REQUIRE_FALSE(stray);
        CHECK(stray.error().code == Errc::malformed);
        CHECK(stray.error().detail.find("never began or was given up") != std::string::npos);
    }
    const auto is_complete = uploads.add(later + 1s, peer_of(0), parts[2]);
    CHECK_FALSE(is_complete);
    CHECK(uploads.open() == 1);
    CHECK(uploads.add(later + 1s, peer_of(1), parts[1]));
}

}  // namespace muster::coordinator
