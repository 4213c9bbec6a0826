// The offsets of time zones, from the database of the host.

#include "coordinator/host/zones.hpp"

#include "tests/catch.hpp"

using namespace muster;
using namespace muster::coordinator;
using Catch::Contains;

namespace {

CivilMs second(std::int64_t since_1970) { return CivilMs{since_1970 * 1'000}; }

constexpr std::int64_t winter = 1'793'577'600;         // 2026-11-02 00:00 UTC.
constexpr std::int64_t summer = 1'782'864'000;         // 2026-07-01 00:00 UTC.
constexpr std::int64_t summer_begins = 1'774'746'000;  // 2026-03-29 01:00 UTC,
constexpr std::int64_t summer_ends = 1'792'890'000;    // and 2026-10-25 01:00 UTC.

}  // namespace

TEST_CASE("a zone has an offset in winter and another in summer", "[zones]") {
    CHECK(utc_offset("Europe/Berlin", second(winter)) == 3'600);
    CHECK(utc_offset("Europe/Berlin", second(summer)) == 7'200);
    CHECK(utc_offset("America/New_York", second(winter)) == -4 * 3'600 - 3'600);
    CHECK(utc_offset("America/New_York", second(summer)) == -4 * 3'600);
    CHECK(utc_offset("Asia/Kathmandu", second(winter)) == 20'700);
    CHECK(utc_offset("UTC", second(summer)) == 0);
}

TEST_CASE("the offset changes at the millisecond", "[zones]") {
    CHECK(utc_offset("Europe/Berlin", CivilMs{summer_begins * 1'000 - 1}) == 3'600);
    CHECK(utc_offset("Europe/Berlin", second(summer_begins)) == 7'200);
    CHECK(utc_offset("Europe/Berlin", CivilMs{summer_ends * 1'000 - 1}) == 7'200);
    CHECK(utc_offset("Europe/Berlin", second(summer_ends)) == 3'600);
}

// Goal: a database whose rules end in 2007, as a host may have it, is found here and not in a pool.
TEST_CASE("the database of this host reaches ten years ahead", "[zones]") {
    constexpr std::int64_t year = 365 * 86'400;
    CHECK(utc_offset("Europe/Berlin", second(summer + 10 * year)) == 7'200);
}

TEST_CASE("what is no zone is an error that says what would be one", "[zones]") {
    for (const std::string zone :
         {"Europe/Atlantis", "", "Europe", "europe/berlin", "../../etc/passwd", "localtime",
          "right/Europe/Berlin", "tzdata.zi", "Europe/Berlin "}) {
        INFO(zone);
        CHECK_FALSE(is_zone(zone));
        const auto offset = utc_offset(zone, second(winter));
        REQUIRE_FALSE(offset);
        CHECK(offset.error().code == Errc::not_found);
        CHECK_THAT(offset.error().detail,
                   Contains('\'' + zone + "' is no time zone") && Contains("Europe/Berlin"));
    }
    CHECK(is_zone("Europe/Berlin"));
    CHECK(is_zone("UTC"));
}
