// The host facts of an agent: whether it can get work, and the vitals beside its reports.

#include "agent/core/host/host_watch.hpp"

#include <cstdint>
#include <string>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "tests/unit/agent/core/agent_harness.hpp"

using namespace muster;
using namespace muster::agent;
using namespace muster::agent::testing;

namespace {

constexpr std::uint64_t mebibyte = 1024 * 1024;
constexpr std::uint64_t gibibyte = 1024 * mebibyte;

HostObserved host_at(std::int64_t civil_ms, std::uint64_t memory_free = 4 * gibibyte) {
    return {.load_milli = 0,
            .memory_free = memory_free,
            .memory_bytes = 8 * gibibyte,
            .civil = CivilMs{civil_ms}};
}
DiskObserved disk_with(std::uint64_t free_bytes, std::uint64_t free_files = 1'000'000) {
    return {.free_bytes = free_bytes,
            .bytes = 100 * gibibyte,
            .free_files = free_files,
            .files = 10'000'000};
}

/// A watch with the host state that a test sets.
struct Seen {
    HostWatch watch{HostFloors{}};
    Instant now{};

    explicit Seen(const HostFloors& floors = {}) : watch{floors} {
        on_observed(host_at(1'000'000));
        on_observed(disk_with(50 * gibibyte));
    }
    const std::string& on_observed(const HostObserved& host) {
        watch.on_observed(now, host);
        return watch.unable();
    }
    const std::string& on_observed(const DiskObserved& disk) {
        watch.on_observed(disk);
        return watch.unable();
    }
};

}  // namespace

// Goal: a host reports that it has no room before tasks fail, and does not flap at the floor.
// Method: each resource goes below its floor, a little above it, and a quarter above it.
TEST_CASE("a host below a floor asks for no work until it is a quarter above it",
          "[agent][host_watch][L10]") {
    Seen seen;
    CHECK(seen.watch.unable().empty());
    SECTION("disk") {
        const std::uint64_t floor = limits::disk_floor_bytes;
        CHECK(seen.on_observed(disk_with(floor)).empty());
        CHECK(
            seen.on_observed(disk_with(floor - 1)) ==
            "only 63.9MiB of the disk with its state and logs are free; the node takes work again "
            "from 80MiB free (floors.disk)");
        CHECK_FALSE(seen.on_observed(disk_with(floor + 1)).empty());
        CHECK(seen.on_observed(disk_with(floor + floor / 4)).empty());
    }
    SECTION("files") {
        CHECK(seen.on_observed(disk_with(gibibyte, 999)) ==
              "the disk with its state and logs has room for only 999 more files "
              "(floors.disk_files)");
        CHECK_FALSE(seen.on_observed(disk_with(gibibyte, 1'001)).empty());
        CHECK(seen.on_observed(disk_with(gibibyte, 1'250)).empty());
    }
    SECTION("memory") {
        CHECK(seen.on_observed(host_at(1'000'000, 31 * mebibyte)) ==
              "only 31MiB of its memory are free; the node takes work again from 40MiB free "
              "(floors.memory)");
        CHECK_FALSE(seen.on_observed(host_at(1'000'000, 39 * mebibyte)).empty());
        CHECK(seen.on_observed(host_at(1'000'000, 40 * mebibyte)).empty());
    }
    SECTION("a disk that does not answer") {
        for (std::uint32_t check_number = 1; check_number <= HostWatch::unanswered_limit;
             ++check_number) {
            CHECK(seen.on_observed(host_at(1'000'000)).empty());
        }
        CHECK(seen.on_observed(host_at(1'000'000)) == "the disk with its state does not answer");
        CHECK(seen.on_observed(disk_with(gibibyte)).empty());
    }
}

// Goal: an operator's floors apply, and 0 means no floor. A small disk has small default floors.
TEST_CASE("floors follow the configuration, else the size of the host", "[agent][host_watch]") {
    Seen none{HostFloors{.disk_bytes = 0, .disk_files = 0, .memory_bytes = 0}};
    CHECK(none.on_observed(disk_with(0, 0)).empty());
    CHECK(none.on_observed(host_at(1'000'000, 0)).empty());
    Seen high{HostFloors{.disk_bytes = 60 * gibibyte, .disk_files = {}, .memory_bytes = {}}};
    CHECK_FALSE(high.watch.unable().empty());
    Seen small;
    DiskObserved disk{.free_bytes = 11'000, .bytes = 1'000'000, .free_files = 0, .files = 0};
    CHECK(small.on_observed(disk).empty());
    disk.free_bytes = 9'999;
    CHECK_FALSE(small.on_observed(disk).empty());
}

// Goal: most answers have no vitals; important changes are reported soon, and again.
// Method: ask every second, and count the vitals.
TEST_CASE("vitals are reported when they changed by a step, and once a minute",
          "[agent][host_watch]") {
    Seen seen;
    const auto reported = [&](Duration later, bool is_new_life = false) {
        seen.now = seen.now + later;
        return seen.watch.vitals_to_report(seen.now, is_new_life).at != CivilMs{};
    };
    CHECK(reported(1s));
    CHECK_FALSE(reported(1s));
    CHECK(reported(1s, true));
    seen.on_observed(disk_with(50 * gibibyte - mebibyte));
    CHECK_FALSE(reported(10s));
    seen.on_observed(disk_with(40 * gibibyte));
    CHECK(reported(1s));
    seen.on_observed(disk_with(30 * gibibyte));
    CHECK_FALSE(reported(1s));  // Too soon after the last.
    CHECK(reported(4s));
    seen.watch.on_process_made(seen.now);
    seen.watch.on_written(seen.now);
    CHECK(reported(6s));
    CHECK_FALSE(reported(6s));
    seen.on_observed(disk_with(1));
    CHECK(reported(0s));  // At once: the host asks for no more work.
    seen.on_observed(disk_with(30 * gibibyte));
    CHECK(reported(0s));
    CHECK_FALSE(reported(59s));
    CHECK(reported(1s));
}

// Goal: times follow the host's civil clock, and a change of the clock is reported.
TEST_CASE("a clock that was set is reported with the next answer", "[agent][host_watch]") {
    Seen seen;
    seen.now = seen.now + 2s;
    seen.watch.on_process_made(seen.now);
    seen.now = seen.now + 1s;
    const HostVitals first = seen.watch.vitals_to_report(seen.now, true);
    CHECK(first.at == CivilMs{1'003'000});
    CHECK(first.spawned == CivilMs{1'002'000});
    CHECK(first.written == CivilMs{});
    seen.now = seen.now + 6s;
    seen.watch.on_observed(seen.now, host_at(1'009'400));
    CHECK(seen.watch.vitals_to_report(seen.now, false).at == CivilMs{});
    seen.watch.on_observed(seen.now, host_at(1'009'000 - 3'600'000));
    CHECK(seen.watch.vitals_to_report(seen.now, false).at == CivilMs{1'009'000 - 3'600'000});
}

// Goal: any civil time is allowed. Method: the sanitizers check the sums.
TEST_CASE("a clock that was set by thousands of years is reported, too", "[agent][host_watch]") {
    Seen seen;
    CHECK(seen.watch.vitals_to_report(seen.now, true).at == CivilMs{1'000'000});
    constexpr CivilMs far_away{148'643'845'392'314};
    seen.now = seen.now + 6s;
    seen.watch.on_observed(seen.now, host_at(raw(far_away)));
    CHECK(seen.watch.vitals_to_report(seen.now, false).at == far_away);
    seen.now = seen.now + 6s;
    seen.watch.on_observed(seen.now, host_at(1'012'000));
    CHECK(seen.watch.vitals_to_report(seen.now, false).at == CivilMs{1'012'000});
}

// Goal: each answer reports that the host is unable, with the reason.
TEST_CASE("an answer says that the host is unable, and why", "[agent][host_watch][L10]") {
    Node node;
    node.join();
    node.input(host_at(1'000'000));
    node.poll();
    CHECK_FALSE(node.last<Report>()->host.unable);
    CHECK(node.last<Report>()->vitals.at == CivilMs{1'000'000});
    const Revision seen = node.last<Report>()->to;
    node.poll(seen);
    CHECK(node.last<Report>()->vitals == HostVitals{});
    node.input(disk_with(1));
    node.poll(seen);
    CHECK(node.last<Report>()->kind == ReportKind::same);
    CHECK(node.last<Report>()->host.unable);
    CHECK_FALSE(node.last<Report>()->vitals.unable.empty());
    node.poll(seen);
    CHECK(node.last<Report>()->host.unable);
    CHECK(node.last<Report>()->vitals == HostVitals{});
}

// Goal: an agent with a hanging disk does not look well, although its vitals no longer change.
// Method: a write of the journal that never ends.
TEST_CASE("a write that takes long counts as failing until it ends",
          "[agent][host_watch][L10][SC-D11]") {
    Node node{{.journal_answers = false}};
    node.join();
    node.start(web0, 1);
    node.pass(2s);
    CHECK_FALSE(node.host().journal_failing);
    node.pass(2s);
    CHECK(node.host().journal_failing);
    node.input(Journaled{});
    CHECK_FALSE(node.host().journal_failing);
}
