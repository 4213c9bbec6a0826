// A time table of the week, in the local time of a zone.

#include "coordinator/core/pools/forecast/schedule.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

using namespace muster;
using namespace muster::coordinator;
using Catch::Contains;

namespace {

using Lines = std::vector<std::string>;

constexpr std::int64_t first_of_week = 1'793'577'600;  // 2026-11-02 00:00 UTC.

enum Day : std::int64_t { mon, tue, wed, thu, fri, sat, sun };

Schedule schedule_of(const Lines& lines) {
    const auto schedule = Schedule::parse(lines);
    INFO((schedule ? "" : schedule.error().detail));
    REQUIRE(schedule);
    return *schedule;
}

std::string fault_of(const Lines& lines) {
    const auto schedule = Schedule::parse(lines);
    return schedule ? "" : schedule.error().detail;
}

LocalMinute minute(std::int64_t day, std::int64_t hour, std::int64_t minute = 0) {
    return LocalMinute{static_cast<std::uint16_t>((day * 24 + hour) * 60 + minute)};
}

/// A time of that week, UTC.
CivilMs utc(std::int64_t day, std::int64_t hour, std::int64_t minute = 0, std::int64_t second = 0) {
    return CivilMs{(first_of_week + ((day * 24 + hour) * 60 + minute) * 60 + second) * 1'000};
}

const Lines office{"mon-fri 08:00 400", "mon-fri 18:00 100", "sat,sun 10:00 150"};

}  // namespace

TEST_CASE("an empty schedule predicts nothing", "[pools]") {
    CHECK(schedule_of({}).at(minute(mon, 8)) == 0);
    CHECK(Schedule{}.predict(utc(mon, 8), 3min, 0) == 0);
    CHECK(Schedule{}.is_empty());
}

TEST_CASE("an amount holds from its time on until the next time", "[pools]") {
    const Schedule schedule = schedule_of(office);
    CHECK(schedule.at(minute(mon, 8)) == 400);
    CHECK(schedule.at(minute(mon, 17, 59)) == 400);
    CHECK(schedule.at(minute(mon, 18)) == 100);
    CHECK(schedule.at(minute(tue, 7, 59)) == 100);
    CHECK(schedule.at(minute(sat, 9, 59)) == 100);
    CHECK(schedule.at(minute(sat, 10)) == 150);
    CHECK(schedule.at(minute(sun, 23, 59)) == 150);
}

TEST_CASE("what holds at the end of the week holds at its beginning", "[pools]") {
    const Schedule schedule = schedule_of(office);
    CHECK(schedule.at(minute(mon, 0)) == 150);
    CHECK(schedule.at(minute(mon, 7, 59)) == 150);
    const Schedule once = schedule_of({"wed 12:00 7"});
    CHECK(once.at(minute(wed, 11, 59)) == 7);
    CHECK(once.predict(utc(wed, 11, 59), 1h, 0) == 7);
}

TEST_CASE("days are names, lists, ranges over the end of the week, or daily", "[pools]") {
    const Schedule weekend = schedule_of({"fri-mon 00:00 1", "tue,wed-thu 00:00 2"});
    for (const auto day : {mon, fri, sat, sun}) {
        CHECK(weekend.at(minute(day, 12)) == 1);
    }
    for (const auto day : {tue, wed, thu}) {
        CHECK(weekend.at(minute(day, 12)) == 2);
    }
    const Schedule daily = schedule_of({"  daily\t06:30  0 ", "daily 23:59 1000000000"});
    for (const auto day : {mon, tue, wed, thu, fri, sat, sun}) {
        CHECK(daily.at(minute(day, 6, 29)) == most_amount);
        CHECK(daily.at(minute(day, 6, 30)) == 0);
        CHECK(daily.at(minute(day, 23, 59)) == most_amount);
    }
    CHECK(schedule_of({"mon,mon-tue 00:00 1"}) == schedule_of({"tue-tue,mon 00:00 1"}));
}

TEST_CASE("the order of the lines does not count", "[pools]") {
    CHECK(schedule_of({office[2], office[0], office[1]}) == schedule_of(office));
}

// Goal: nodes have come when a rise begins, and stay until the amount falls.
TEST_CASE("a rise counts as much earlier as a node takes to come, a fall at its time", "[pools]") {
    const Schedule schedule = schedule_of(office);
    CHECK(schedule.predict(utc(tue, 7, 56, 59), 3min, 0) == 100);
    CHECK(schedule.predict(utc(tue, 7, 57), 3min, 0) == 400);
    CHECK(schedule.predict(utc(tue, 17, 59, 59), 3min, 0) == 400);
    CHECK(schedule.predict(utc(tue, 18), 3min, 0) == 100);
    // Over the end of the week: Sunday's 150 is less than Monday's 400.
    CHECK(schedule.predict(utc(sun, 23), 9h, 0) == 400);
    CHECK(schedule.predict(utc(sun, 23), 8h, 0) == 150);
}

// Goal: nodes that were asked for are not let go before the rise they were asked for.
TEST_CASE("a rise that is over before a node has come still counts", "[pools]") {
    const Schedule schedule = schedule_of({"daily 00:00 10", "daily 12:00 90", "daily 12:01 10"});
    CHECK(schedule.predict(utc(mon, 11, 54, 59), 5min, 0) == 10);
    CHECK(schedule.predict(utc(mon, 11, 55), 5min, 0) == 90);
    CHECK(schedule.predict(utc(mon, 11, 58), 5min, 0) == 90);
    CHECK(schedule.predict(utc(mon, 12, 0, 59), 5min, 0) == 90);
    CHECK(schedule.predict(utc(mon, 12, 1), 5min, 0) == 10);
    CHECK(schedule.predict(utc(mon, 12, 1), 24h * 8, 0) == 90);
}

TEST_CASE("times are those of the zone", "[pools]") {
    const Schedule schedule = schedule_of(office);
    CHECK(schedule.predict(utc(tue, 6, 59), 0s, 3'600) == 100);
    CHECK(schedule.predict(utc(tue, 7), 0s, 3'600) == 400);
    CHECK(schedule.predict(utc(tue, 12, 59), 0s, -5 * 3'600) == 100);
    CHECK(schedule.predict(utc(tue, 13), 0s, -5 * 3'600) == 400);
    // It is Saturday there already, and still Sunday.
    CHECK(schedule.predict(utc(fri, 20), 0s, 14 * 3'600) == 150);
    CHECK(schedule.predict(utc(mon, 13), 0s, 14 * 3'600) == 100);
    CHECK(schedule.predict(utc(mon, 4), 0s, -5 * 3'600) == 150);
    // Kathmandu: offsets are not of whole hours.
    CHECK(schedule.predict(utc(tue, 2, 14), 0s, 20'700) == 100);
    CHECK(schedule.predict(utc(tue, 2, 15), 0s, 20'700) == 400);
}

TEST_CASE("a week is known before 1970", "[pools]") {
    const Schedule schedule = schedule_of({"thu 00:00 1", "wed 23:59 2", "wed 00:00 3"});
    CHECK(schedule.predict(CivilMs{0}, 0s, 0) == 1);
    CHECK(schedule.predict(CivilMs{0}, 0s, -1) == 2);
    CHECK(schedule.predict(CivilMs{-60'001}, 0s, 0) == 3);
}

// Method: winter time begins between two samples, so the local hour from 2 to 3 comes twice. When
// summer time begins, it does not come.
TEST_CASE("a change of the offset moves the table", "[pools]") {
    const Schedule schedule =
        schedule_of({"sun 00:00 1", "sun 02:00 20", "sun 02:30 25", "sun 03:00 30"});
    constexpr std::int32_t winter = 3'600;
    constexpr std::int32_t summer = 7'200;
    CHECK(schedule.predict(utc(sun, 0, 59, 55), 0s, summer) == 25);
    CHECK(schedule.predict(utc(sun, 1), 0s, winter) == 20);
    CHECK(schedule.predict(utc(sun, 1, 30), 0s, winter) == 25);
    CHECK(schedule.predict(utc(sun, 2), 0s, winter) == 30);

    CHECK(schedule.predict(utc(sun, 0, 59, 55), 0s, winter) == 1);
    CHECK(schedule.predict(utc(sun, 1), 0s, summer) == 30);
}

TEST_CASE("an error says which line is wrong, and what would be right", "[pools]") {
    CHECK_THAT(fault_of({"daily 00:00 1", "mon 08:00"}),
               Contains("line 2: 'mon 08:00' has 2 words") && Contains("'mon-fri 08:00 400'"));
    CHECK_THAT(fault_of({""}), Contains("line 1: '' has 0 words"));
    for (const std::string days : {"mond", "Mon", "", "mon-", "-mon", "mon-tue-wed", "mon-x"}) {
        CHECK_THAT(fault_of({"tue," + days + " 08:00 1"}),
                   Contains("line 1: '" + days + "' is no day") && Contains("mon, tue, wed"));
    }
    CHECK_THAT(fault_of({"mon,daily 08:00 1"}),
               Contains("'daily' is no day; ") && Contains("daily alone"));
    for (const std::string time : {"24:00", "08:60", "8:00", "08.00", "+8:00", "08:0x", "0800"}) {
        CHECK_THAT(fault_of({"mon " + time + " 1"}),
                   Contains("line 1: '" + time + "' is no time; times are 00:00 to 23:59"));
    }
    for (const std::string amount : {"1000000001", "-1", "1.5", "4GB", "99999999999999999999"}) {
        CHECK_THAT(fault_of({"mon 08:00 " + amount}),
                   Contains("'" + amount + "' is no amount; amounts are 0 to 1000000000"));
    }
}

TEST_CASE("a time has one amount", "[pools]") {
    const std::string fault = fault_of({"mon-fri 08:00 1", "tue 09:00 2", "sun-tue 08:00 1"});
    CHECK_THAT(fault, Contains("line 3: ") && Contains("the time of line 1 on mon"));
    CHECK(fault_of({"mon-fri 08:00 1", "sat,sun 08:00 1"}).empty());
}

TEST_CASE("a schedule has as many lines as it may have", "[pools]") {
    Lines lines;
    for (std::size_t at = 0; at < limits::schedule_lines; ++at) {
        lines.push_back("daily " + std::string{at < 60 ? "10:" : "11:"} +
                        std::to_string(at % 60 + 100).substr(1) + " 1");
    }
    CHECK(schedule_of(lines).at(minute(wed, 11)) == 1);
    lines.emplace_back("daily 12:00 1");
    CHECK_THAT(fault_of(lines), Contains("101 lines of a schedule; at most 100 are allowed"));
}
