#include "tests/integration/support/harness.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

namespace muster::integration {

// Goal: what a test starts is found whatever it does, so that nothing of it is left behind.
// Method: a shell leaves its session and its parent, drops its environment or its directory.
TEST_CASE("a process is found by its mark or by where it works", "[integration][harness]") {
    const Directory directory;
    const std::string mark = "TEST_CLUSTER=" + directory.path();
    const auto count = [&] { return find_processes(mark, directory.path()).size(); };
    // env -i leaves nothing to recognise but the directory; one variable keeps it apart from a
    // process that has ended.
    const std::string script = "(cd / && exec setsid sleep 1000) & mkdir " + directory.path() +
                               "/below && cd " + directory.path() +
                               "/below && exec env -i A=1 sleep 1000";
    Process shell{{.argv = {"/bin/sh", "-c", script}, .env = {mark}}};
    CHECK(until([&] { return count() == 2; }));
    // Again and again: while one becomes another program it shows nothing.
    CHECK(until([&] {
        for (const auto& found : find_processes(mark, directory.path())) {
            kill(found.pid, SIGKILL);
        }
        return count() == 0;
    }));
}

// Goal: the tests read a program's exit, its output and its errors as they were.
// Method: three shells that end by a code, by a signal, and not at all.
TEST_CASE("a program that was run tells how it ended and what it said", "[integration][harness]") {
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
