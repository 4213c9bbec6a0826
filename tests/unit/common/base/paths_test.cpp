#include "common/base/paths.hpp"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/catch.hpp"

#include "tests/temporary_directory.hpp"

using namespace muster;
using paths::Directories;
using paths::Environment;

namespace {

namespace fs = std::filesystem;

bool same(const Directories& a, const Directories& b) {
    return a.state == b.state && a.run == b.run;
}

unsigned mode_of(const std::string& path) {
    struct stat status = {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    return status.st_mode & 0777U;
}

}  // namespace

// Goal: daemons and tools find each other by default. Method: test the rule itself, which is pure.
TEST_CASE("root has its files in /var/lib and /run, whatever its environment", "[paths]") {
    const Environment root{0, "/root", "/xdg/state", "/xdg/run"};
    CHECK(same(paths::default_directories(root), {"/var/lib/muster", "/run/muster"}));
}

TEST_CASE("another user has its files where XDG says, or at the XDG defaults", "[paths]") {
    CHECK(same(paths::default_directories({7, "/home/a", "/xdg/state", "/xdg/run"}),
               {"/xdg/state/muster", "/xdg/run/muster"}));
    CHECK(same(paths::default_directories({7, "/home/a", "", "/run/user/7"}),
               {"/home/a/.local/state/muster", "/run/user/7/muster"}));
    CHECK(same(paths::default_directories({7, "/home/a", "relative", "also/relative"}),
               {"/home/a/.local/state/muster", "/tmp/muster-7/run"}));
    CHECK(same(paths::default_directories({7, "", "", ""}),
               {"/tmp/muster-7/state", "/tmp/muster-7/run"}));
}

TEST_CASE("a directory that was given overrides the default", "[paths]") {
    CHECK(same(paths::directories("/s", "/r"), {"/s", "/r"}));
    CHECK(paths::directories("/s", "").state == "/s");
    const auto here = std::filesystem::current_path().string();
    CHECK(same(paths::directories("s", "../r/"),
               {here + "/s", std::filesystem::path{here}.parent_path().string() + "/r/"}));
}

TEST_CASE("every daemon has its own place below the directories", "[paths]") {
    const Directories given{"/s", "/r"};
    CHECK(paths::coordinator_state(given) == "/s/coordinator");
    CHECK(paths::operators_socket(given) == "/r/operators.sock");
    CHECK(paths::agent_state(given, "web-7") == "/s/agents/web-7");
    CHECK(paths::agent_socket(given, "web-7") == "/r/agents/web-7.sock");
    CHECK(paths::agent_secrets(given, "web-7", true) == "/r-secrets/web-7");
    CHECK(paths::agent_secrets(given, "web-7", false) == "/r/secrets/web-7");
    CHECK(paths::default_secrets(given, true) == "/etc/muster/secrets");
    CHECK(paths::default_secrets(given, false) == "/s/secrets");
}

TEST_CASE("a socket path that the kernel would refuse is refused before it is bound", "[paths]") {
    CHECK(paths::ipc_endpoint("/" + std::string(106, 'x')));
    const auto refused = paths::ipc_endpoint("/" + std::string(107, 'x'));
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().detail, Catch::Contains("--run-dir"));
}

TEST_CASE("a private directory is created with its parents, closed to others", "[paths]") {
    const TemporaryDirectory directory;
    REQUIRE(paths::make_private_directory(directory.below("a/b/c")));
    CHECK(mode_of(directory.below("a/b/c")) == 0700);
    CHECK(mode_of(directory.below("a")) == 0700);

    fs::permissions(directory.below("a/b/c"), fs::perms{0755});
    REQUIRE(paths::make_private_directory(directory.below("a/b/c")));
    CHECK(mode_of(directory.below("a/b/c")) == 0700);
    CHECK(paths::make_private_directory(directory.below("a/b/c/")));

    fs::permissions(directory.below("a/b/c"), fs::perms{0711});  // Tasks pass through it.
    REQUIRE(paths::make_private_directory(directory.below("a/b/c")));
    CHECK(mode_of(directory.below("a/b/c")) == 0711);
}

TEST_CASE("a file in the place of a directory is an error that names it", "[paths]") {
    const TemporaryDirectory directory;
    std::ofstream{directory.below("file")} << "x";
    const auto refused = paths::make_private_directory(directory.below("file"));
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().detail, Catch::Contains(directory.below("file")));
    CHECK_FALSE(paths::make_private_directory(directory.below("file/below")));
}
