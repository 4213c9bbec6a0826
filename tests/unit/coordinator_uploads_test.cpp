#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/limits.hpp"
#include "coordinator/uploads.hpp"

namespace muster {
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

// Goal: peers upload beside each other, each its own message.
// Method: two peers whose parts come in turn.
TEST_CASE("parts of two peers are put together apart", "[uploads]") {
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

// Goal: peers that begin and never end hold a bounded amount of memory.
// Method: one upload more than may be open; then time passes.
TEST_CASE("the upload that waited longest makes room for a new one", "[uploads]") {
    Uploads uploads;
    const auto parts = three_parts();
    for (std::size_t peer = 0; peer <= Uploads::open_at_most; ++peer) {
        const auto at = start + peer * 1s;
        REQUIRE(uploads.add(at, route(peer), parts[0]));
    }
    CHECK(uploads.open() == Uploads::open_at_most);
    const auto later = start + 10s;
    CHECK(uploads.add(later, route(Uploads::open_at_most), parts[1]));
    const auto evicted = uploads.add(later, route(0), parts[1]);
    REQUIRE_FALSE(evicted);
    CHECK(evicted.error().code == Errc::malformed);
    // It is told once.
    const auto rest = uploads.add(later, route(0), parts[2]);
    REQUIRE(rest);
    CHECK_FALSE(*rest);

    REQUIRE(uploads.add(later + Uploads::patience + 1s, route(99), parts[0]));
    CHECK(uploads.open() == 1);
}

}  // namespace muster
