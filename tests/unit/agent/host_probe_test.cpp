// What an agent detects on its host.

#include "agent/host_probe.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <string>

#include "tests/catch.hpp"

#include "tests/temporary_directory.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

/// Two cgroups, one in the other, as ordinary files.
class PaperCgroups {
public:
    PaperCgroups() {
        for (const std::string& directory : {outer(), inner()}) {
            std::filesystem::create_directories(directory);
            write(directory, "cgroup.procs", "");
        }
    }
    [[nodiscard]] std::string outer() const { return directory_.path() + "/outer"; }
    [[nodiscard]] std::string inner() const { return outer() + "/inner"; }
    static void write(const std::string& directory, const std::string& file,
                      const std::string& text) {
        std::ofstream{directory + "/" + file} << text;
    }
    [[nodiscard]] std::vector<CgroupTree> version2() const { return {{2, {}, inner()}}; }
    [[nodiscard]] std::vector<CgroupTree> version1() const {
        return {{1, {"cpu"}, inner()}, {1, {"memory"}, inner()}};
    }

private:
    TemporaryDirectory directory_;
};

}  // namespace

// Goal: a host offers no more than it can use. Method: cgroups with and without bounds.
TEST_CASE("capacity is the least of the host and of the cgroups above the agent", "[host_probe]") {
    const PaperCgroups cgroups;
    const FoundCapacity host = find_capacity({});
    CHECK(host.cpu_milli >= 1'000);
    CHECK(host.memory_bytes > 100'000'000);
    CHECK(host.from.memory == "host");
    SECTION("version 2") {
        PaperCgroups::write(cgroups.inner(), "cpu.max", "max 100000\n");
        PaperCgroups::write(cgroups.inner(), "memory.max", "max\n");
        CHECK(find_capacity(cgroups.version2()).cpu_milli == host.cpu_milli);
        CHECK(find_capacity(cgroups.version2()).from == host.from);
        PaperCgroups::write(cgroups.outer(), "cpu.max", "25000 100000\n");
        PaperCgroups::write(cgroups.outer(), "memory.max", "1048576\n");
        const FoundCapacity found = find_capacity(cgroups.version2());
        CHECK(found.cpu_milli == 250);
        CHECK(found.memory_bytes == 1'048'576);
        CHECK(found.from == CapacityFrom{"cgroup", "cgroup"});
    }
    SECTION("version 1") {
        PaperCgroups::write(cgroups.inner(), "cpu.cfs_quota_us", "-1\n");
        PaperCgroups::write(cgroups.inner(), "cpu.cfs_period_us", "100000\n");
        PaperCgroups::write(cgroups.inner(), "memory.limit_in_bytes", "9223372036854771712\n");
        CHECK(find_capacity(cgroups.version1()).from == host.from);
        PaperCgroups::write(cgroups.inner(), "cpu.cfs_quota_us", "50000\n");
        PaperCgroups::write(cgroups.inner(), "memory.limit_in_bytes", "2097152\n");
        const FoundCapacity found = find_capacity(cgroups.version1());
        CHECK(found.cpu_milli == 500);
        CHECK(found.memory_bytes == 2'097'152);
    }
}

// Goal: an agent bound to some processors offers those. Method: bind this thread to one.
TEST_CASE("processors that the agent cannot use are not offered", "[host_probe]") {
    cpu_set_t before;
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    if (CPU_COUNT(&before) < 2) {
        WARN("SKIPPED: there is only one processor");
        return;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    for (std::size_t cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
        if (CPU_ISSET(cpu, &before)) {
            CPU_SET(cpu, &one);
        }
    }
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    const FoundCapacity found = find_capacity({});
    REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
    CHECK(found.cpu_milli == 1'000);
    CHECK(found.from.cpu == "affinity");
}

TEST_CASE("a configured capacity overrides the detected one", "[host_probe]") {
    const FoundCapacity found{4'000, 8'000'000, {"host", "cgroup"}};
    Capacity configured{.cpu_milli = 1'500, .memory_bytes = {}, .slots = {}};
    CHECK(complete(configured, found) == CapacityFrom{"configuration", "cgroup"});
    CHECK(configured == Capacity{.cpu_milli = 1'500, .memory_bytes = 8'000'000, .slots = {}});
}

TEST_CASE("available memory includes what the kernel can reclaim, and respects cgroups",
          "[host_probe]") {
    CHECK(memory_available("MemTotal:  100 kB\nMemAvailable:   77 kB\n") == 77 * 1024);
    CHECK(memory_available("MemTotal:  100 kB\n") == 0);
    const HostObserved host = observe_host({}, CivilMs{5});
    CHECK(host.civil == CivilMs{5});
    CHECK(host.memory_free > 1'000'000);
    CHECK(host.memory_bytes >= host.memory_free);
    const PaperCgroups cgroups;
    PaperCgroups::write(cgroups.outer(), "memory.max", "1048576\n");
    PaperCgroups::write(cgroups.outer(), "memory.current", "1000000\n");
    CHECK(observe_host(cgroups.version2(), {}).memory_free == 48'576);
    CHECK(observe_host(cgroups.version2(), {}).memory_bytes == 1'048'576);
}

TEST_CASE("a disk that cannot be measured has no value", "[host_probe]") {
    const DiskObserved disk = observe_disk("/");
    CHECK(disk.bytes > 0);
    CHECK(disk.free_bytes <= disk.bytes);
    CHECK(observe_disk("/nowhere/at/all").bytes == 0);
}
