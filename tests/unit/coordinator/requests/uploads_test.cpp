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

net::Route route(std::size_t number) { return {"peer-" + std::to_string(number)}; }

}  // namespace

// Goal: several peers upload at the same time, each its own message.
// Method: two peers whose parts alternate.
TEST_CASE("parts of two peers are assembled separately", "[uploads]") {
    Uploads uploads;
    const auto parts = three_parts();
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t peer = 0; peer < 2; ++peer) {
            const auto added = uploads.add(start, route(peer), parts[i]);
            REQUIRE(added);
            CHECK_FALSE(*added);
        }
    }
    CHECK(uploads.open() == 2);
    for (std::size_t peer = 0; peer < 2; ++peer) {
        const auto whole = uploads.add(start, route(peer), parts[2]);
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
        REQUIRE(uploads.add(start, route(peer), parts[0]));
    }
    const auto is_busy = [&](Instant now, std::size_t peer, std::size_t index) {
        const auto added = uploads.add(now, route(peer), parts[index]);
        return !added && added.error().code == Errc::busy;
    };
    const auto is_taken = [&](Instant now, std::size_t peer, std::size_t index) {
        const auto added = uploads.add(now, route(peer), parts[index]);
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
    const auto whole = uploads.add(later, route(1), parts[2]);
    REQUIRE(whole);
    CHECK(*whole);

    const auto given_up = uploads.add(later, route(0), parts[1]);
    REQUIRE_FALSE(given_up);
    CHECK(given_up.error().code == Errc::busy);
    CHECK(given_up.error().detail.find("was dropped") != std::string::npos);
    CHECK(is_taken(later, 0, 2));
    CHECK(is_taken(later, 0, 0));  // From the beginning, in the free place.
    CHECK(is_taken(later, 0, 1));
}

// Goal: an upload that never ends is forgotten, and so is a refused peer; memory is bounded.
// Method: time passes; then more peers are refused than are remembered.
TEST_CASE("idle uploads and refused ones are forgotten", "[uploads]") {
    Uploads uploads;
    const auto parts = three_parts();
    REQUIRE(uploads.add(start, route(0), parts[0]));
    const auto later = start + Uploads::patience + 1s;
    REQUIRE(uploads.add(later, route(1), parts[0]));
    CHECK(uploads.open() == 1);
    const auto given_up = uploads.add(later, route(0), parts[1]);
    REQUIRE_FALSE(given_up);
    CHECK(given_up.error().code == Errc::busy);

    for (std::size_t peer = 2; peer < 2 * Uploads::ended_at_most; ++peer) {
        const auto stray = uploads.add(later + peer * 1ms, route(peer), parts[1]);
        REQUIRE_FALSE(stray);
        CHECK(stray.error().code == Errc::malformed);
        CHECK(stray.error().detail.find("never began or was given up") != std::string::npos);
    }
    const auto is_complete = uploads.add(later + 1s, route(0), parts[2]);
    CHECK_FALSE(is_complete);
    CHECK(uploads.open() == 1);
    CHECK(uploads.add(later + 1s, route(1), parts[1]));
}

}  // namespace muster::coordinator
