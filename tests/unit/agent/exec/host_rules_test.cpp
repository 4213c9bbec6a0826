// The policy of a host, on real files, users and processes.

#include <filesystem>
#include <fstream>
#include <pwd.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/crypto/signature.hpp"
#include "common/spec/signed_spec.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/unit/agent/exec/executor_host.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

TaskSpec running(std::vector<std::string> argv) {
    TaskSpec spec;
    spec.argv = std::move(argv);
    return spec;
}

TaskSpec shell_task(const std::string& text) { return running({"/bin/sh", "-c", text}); }

/// What this host says about a start; empty: it may run.
std::string objection(Host& host, const TaskSpec& spec) {
    return host.executor().objection_to_start({"web", 0}, Generation{7}, spec).value_or("");
}

/// Why the process of a start was not made, although nobody objected to the start.
std::string refusal(Host& host, const TaskSpec& spec) {
    return host.await<ProcessNotStarted>(host.spawn(spec)).detail;
}

}  // namespace

// Goal: what starts is what was signed, at the order and at each start of the process.
// Method: a spec with and without its signature, and with one that was changed afterwards.
TEST_CASE("a host with signers starts nothing else, at the order and at the start",
          "[executor][policy][signature]") {
    const KeyPair signer = random_signer();
    Host host{{.policy = Policy{.signers = {{signer.open}}}}};
    TaskSpec spec = shell_task("exit 0");
    CHECK_THAT(objection(host, spec), Catch::Contains("not signed"));
    CHECK_THAT(refusal(host, spec), Catch::Contains("not signed"));
    spec.signature = sign(signer, signed_bytes("web", spec));
    CHECK(objection(host, spec) == "");
    CHECK(host.await<ProcessEnded>(host.spawn(spec)).exit_code == 0);
    spec.env["PATH"] = "/tmp";
    CHECK_THAT(objection(host, spec), Catch::Contains("does not belong to this task"));
    CHECK_THAT(refusal(host, spec), Catch::Contains("does not belong to this task"));
}

// Goal: a link leads nowhere that is not allowed. Method: a link in an allowed directory to a
// program outside of it, and the same by `..`, by PATH and in a hook.
TEST_CASE("a policy judges where links and names lead, at the order and at the start",
          "[executor][policy]") {
    const TemporaryDirectory allowed;
    const std::string inside = allowed.path() + "/";
    std::filesystem::copy_file("/bin/true", inside + "good");
    std::filesystem::create_symlink("/bin/echo", inside + "link");
    std::filesystem::create_symlink(inside + "good", inside + "alias");
    const std::string up = inside + std::filesystem::relative("/", allowed.path()).string();
    Host host{{.policy = Policy{.commands = {{inside}}}}};
    for (const std::string& program : {inside + "link", up + "/bin/echo", std::string{"echo"}}) {
        CAPTURE(program);
        const TaskSpec spec = running({program});
        CHECK_THAT(objection(host, spec), Catch::StartsWith("its policy does not allow the"));
        CHECK_THAT(refusal(host, spec), Catch::StartsWith("its policy does not allow the"));
    }
    TaskSpec hooked = running({inside + "good"});
    hooked.post_stop = {"/bin/echo"};
    CHECK_THAT(objection(host, hooked), Catch::Contains("`post_stop`"));
    CHECK_THAT(refusal(host, hooked), Catch::Contains("`post_stop`"));
    for (const char* name : {"good", "alias"}) {
        const TaskSpec spec = running({inside + name});
        CHECK(objection(host, spec) == "");
        CHECK(host.await<ProcessEnded>(host.spawn(spec)).exit_code == 0);
    }
}

TEST_CASE("an entry of a policy may be a link itself", "[executor][policy]") {
    const TemporaryDirectory place;
    std::filesystem::create_directory(place.path() + "/real");
    std::filesystem::copy_file("/bin/true", place.path() + "/real/good");
    std::filesystem::create_symlink("real", place.path() + "/link");
    Host host{{.policy = Policy{.commands = {{place.path() + "/link/"}}}}};
    CHECK(objection(host, running({place.path() + "/link/good"})) == "");
    CHECK(objection(host, running({place.path() + "/real/good"})) == "");
    CHECK(objection(host, running({"/bin/echo"})) != "");
}

TEST_CASE("a policy judges the directory where a task works", "[executor][policy]") {
    const TemporaryDirectory allowed;
    std::filesystem::create_symlink("/etc", allowed.path() + "/link");
    Host host{{.policy = Policy{.directories = {{allowed.path() + "/"}}}}};
    TaskSpec spec = shell_task("exit 0");
    CHECK(objection(host, spec) == "");
    CHECK(host.await<ProcessEnded>(host.spawn(spec)).exit_code == 0);
    spec.workdir = allowed.path();
    CHECK(objection(host, spec) == "");
    spec.workdir = allowed.path() + "/link";
    CHECK_THAT(objection(host, spec), Catch::Contains("the working directory /etc"));
    CHECK_THAT(refusal(host, spec), Catch::Contains("the working directory /etc"));
}

// Goal: a task gets to know no file of the host by env_files, which the agent reads as root.
// Method: a file in an allowed directory, one outside, and a link that leads there.
TEST_CASE("a policy judges where files of variables are", "[executor][policy]") {
    const TemporaryDirectory allowed;
    const TemporaryDirectory other;
    std::ofstream{allowed.path() + "/good"} << "A=1\n";
    std::ofstream{other.path() + "/secret"} << "PASSWORD=canary\n";
    std::filesystem::create_symlink(other.path() + "/secret", allowed.path() + "/link");
    Host host{{.policy = Policy{.directories = {{allowed.path() + "/"}}}}};
    TaskSpec spec = shell_task("test \"$A\" = 1");
    spec.env_files = {allowed.path() + "/good"};
    CHECK(objection(host, spec) == "");
    CHECK(host.await<ProcessEnded>(host.spawn(spec)).exit_code == 0);
    for (const std::string& path : {other.path() + "/secret", allowed.path() + "/link"}) {
        CAPTURE(path);
        spec.env_files = {path};
        CHECK_THAT(objection(host, spec), Catch::Contains("the env file"));
        CHECK_THAT(refusal(host, spec), Catch::Contains("the env file"));
    }
}

TEST_CASE("a policy judges the user and groups that a task would have", "[executor][policy]") {
    if (geteuid() != 0) {
        WARN("SKIPPED: only root can run a task as another user");
        return;
    }
    Host host{{.policy = Policy{.users = {{"nobody"}}, .root = false}}};
    const passwd* nobody = getpwnam("nobody");
    REQUIRE(nobody != nullptr);
    TaskSpec spec = shell_task("exit 0");
    for (const char* user : {"", "root", "0"}) {
        CAPTURE(user);
        spec.user = user;
        CHECK_THAT(objection(host, spec), Catch::Contains("does not allow user root"));
        CHECK_THAT(refusal(host, spec), Catch::Contains("does not allow user root"));
    }
    spec.user = "12345";
    CHECK_THAT(objection(host, spec), Catch::Contains("does not allow user 12345"));
    for (const std::string& user : {std::string{"nobody"}, std::to_string(nobody->pw_uid)}) {
        spec.user = user;
        CHECK(objection(host, spec) == "");
        CHECK(host.await<ProcessEnded>(host.spawn(spec)).exit_code == 0);
    }
    spec.user_group = "12345";
    CHECK_THAT(objection(host, spec), Catch::Contains("group 12345 for user nobody"));
    spec.user_group = "0";
    CHECK_THAT(objection(host, spec), Catch::Contains("does not allow group root"));
}

// The host's administrator configured it, so the policy for tasks does not stop it.
TEST_CASE("the agent's own check of the host is not a task for the policy", "[executor][policy]") {
    Host host{{.policy = Policy{.commands = {{"/nowhere/"}}}}};
    const TaskSpec spec = shell_task("exit 0");
    CHECK(host.await<ProcessEnded>(host.spawn(spec, {".readiness", 0})).exit_code == 0);
    CHECK(refusal(host, spec) != "");
}
