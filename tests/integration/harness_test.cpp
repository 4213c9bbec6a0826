#include "tests/integration/support/harness.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

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

}  // namespace muster::integration
