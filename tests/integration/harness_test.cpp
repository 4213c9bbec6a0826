#include "tests/integration/support/harness.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "tests/integration/support/witness.hpp"

namespace muster::integration {

// Goal: a test finds every process that it started, so it leaves none behind.
// Method: a shell leaves its session and its parent, and drops its environment or its directory.
TEST_CASE("a process is found by its mark or by its working directory", "[integration][harness]") {
    const Directory directory;
    const std::string mark = "TEST_CLUSTER=" + directory.path();
    const auto count = [&] { return find_processes(mark, directory.path()).size(); };
    // env -i leaves only the directory to identify the process. One variable distinguishes the
    // process from one that has ended.
    const std::string script = "(cd / && exec setsid sleep 1000) & mkdir " + directory.path() +
                               "/below && cd " + directory.path() +
                               "/below && exec env -i A=1 sleep 1000";
    Process shell{{.argv = {"/bin/sh", "-c", script}, .env = {mark}}};
    CHECK(until([&] { return count() == 2; }));
    // Repeats the search: a process shows nothing while it executes another program.
    CHECK(until([&] {
        for (const auto& found : find_processes(mark, directory.path())) {
            kill(found.pid, SIGKILL);
        }
        return count() == 0;
    }));
}

// Goal: the tests read a program's exit code, output and errors unchanged.
// Method: three shells that end with a code, by a signal, and not at all.
TEST_CASE("a finished program reports its exit, output and errors", "[integration][harness]") {
    const Directory directory;
    const auto by_code = run(directory.path(), {"/bin/sh", "-c", "echo out; echo err >&2; exit 3"});
    CHECK(by_code.exit == Exit{.code = 3});
    CHECK(by_code.output == "out\n");
    CHECK(by_code.errors == "err\n");
    CHECK(run(directory.path(), {"/bin/sh", "-c", "kill -TERM $$"}).exit.signal == SIGTERM);
    CHECK(run(directory.path(), {"/bin/sleep", "1000"}, {}, Clock::now()).exit.signal == SIGKILL);
    CHECK(std::filesystem::is_empty(directory.path()));
}

// Goal: a failure counts, unless the machine stalled for more than a third of a pace.
TEST_CASE("a failure is inconclusive if a thread waited for more than a third of a pace",
          "[integration][harness]") {
    using namespace std::chrono_literals;
    CHECK_FALSE(is_inconclusive(0ms, 100ms));
    CHECK_FALSE(is_inconclusive(33ms, 100ms));
    CHECK(is_inconclusive(34ms, 100ms));
    CHECK_FALSE(is_inconclusive(34ms, 300ms));
}

// Only for the next test.
TEST_CASE("this test fails after its process was stopped and continued", "[.][stalled]") {
    raise(SIGSTOP);
    FAIL_CHECK("as it must");
}

// Goal: a failed test says that the machine stalled meanwhile.
// Method: a process of this program is stopped for five paces, which are the stall.
TEST_CASE("a test that fails says that it is inconclusive if the machine stalled",
          "[integration][harness]") {
    const Directory directory;
    const auto output = directory.path() + "/output";
    Process stalled{
        {.argv = {std::filesystem::read_symlink("/proc/self/exe"), "[stalled]"}, .output = output}};
    siginfo_t stopped{};
    REQUIRE(waitid(P_PID, static_cast<id_t>(stalled.pid()), &stopped, WSTOPPED | WNOWAIT) == 0);
    CHECK_FALSE(stalled.wait(Clock::now() + paces(5)));
    stalled.signal(SIGCONT);
    const auto end = stalled.wait(soon());
    REQUIRE(end);
    CHECK(end->code != 0);  // Which one depends on the version of Catch.
    CHECK(end->signal == 0);
    CHECK(contains(text_of(output), "\nINCONCLUSIVE: "));
}

}  // namespace muster::integration
