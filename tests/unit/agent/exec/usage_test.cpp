// The resource usage of real processes, as operators see it.

#include "agent/exec/cgroups/usage.hpp"

#include <array>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/agent/exec/executor_host.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

std::vector<InstanceUse> use_of(Host& host, ProcessId process) {
    const ProcessIdentity identity = host.executor().state_of(process)->identity;
    const std::array<MeasureProcesses::Root, 1> roots{{{{"web", 0}, identity}}};
    return usage_of(roots);
}

}  // namespace

// Method: a shell with children: one used time and has ended, one is an orphan, and one still uses
// time.
TEST_CASE("the usage of a whole process tree is counted", "[exec][usage]") {
    Host host;
    const ProcessId process = host.shell(
        "i=0; (while [ $i -lt 200000 ]; do i=$((i+1)); done); "
        "(sleep 1000 & ) ; sleep 1000 & echo ready; while :; do :; done");
    static_cast<void>(host.await<ProcessStarted>(process));
    host.until([&] { return host.output() == "ready\n"; });
    host.until([&] {
        const auto uses = use_of(host, process);
        return uses.size() == 1 && uses[0].processes == 3 && uses[0].cpu_us >= 200'000;
    });
    const auto first = use_of(host, process);
    CHECK(first[0].id == InstanceId{"web", 0});
    CHECK(first[0].memory_bytes > 100'000);
    host.until([&] { return use_of(host, process)[0].cpu_us >= first[0].cpu_us + 50'000; });
}

TEST_CASE("a process that is gone, or whose pid was reused, has no usage", "[exec][usage]") {
    Host host;
    const ProcessId process = host.shell("sleep 1000");
    static_cast<void>(host.await<ProcessStarted>(process));
    auto identity = host.executor().state_of(process)->identity;
    ++identity.start_ticks;
    const std::array<MeasureProcesses::Root, 2> roots{
        {{{"web", 0}, identity}, {{"web", 1}, {.pid = 0, .start_ticks = 1}}}};
    CHECK(usage_of(roots).empty());
}
