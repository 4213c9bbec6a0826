// What a policy lets tasks do, and which files are accepted as one.

#include "agent/policy/policy.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "tests/catch.hpp"

#include "agent/policy/policy_file.hpp"
#include "common/crypto/signature.hpp"
#include "common/spec/signed_spec.hpp"
#include "tests/temporary_directory.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

namespace fs = std::filesystem;

/// A task of user web that runs /usr/bin/nginx in its own directory.
FoundTask some_task() {
    return {.user = 1001,
            .user_name = "web",
            .group = 1001,
            .programs = {{"argv", "/usr/bin/nginx"}},
            .variables = {"PATH", "HOME"}};
}

std::string reason(const Policy& policy, const FoundTask& found, const TaskSpec& spec = {}) {
    return broken_rule(policy, spec, found).value_or("");
}

void check_named(const std::string& sentence, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        CHECK_THAT(sentence, Catch::Contains(word));
    }
}

}  // namespace

// ---- signatures ----

// Goal: a coordinator cannot make a host run what no operator signed.
// Method: no signature, one of a stranger, of another task, of another spec, and a right one.
TEST_CASE("a policy with signers allows only specs that one of them signed",
          "[policy][signature]") {
    const KeyPair signer = random_signer();
    const Policy policy{.signers = {{random_signer().open, signer.open}}};
    TaskSpec spec;
    spec.argv = {"/bin/sleep", "60"};
    const auto fault = [&](const std::string& task = "web") {
        return fault_of_signature(policy, task, spec).value_or("");
    };
    check_named(fault(), {"not signed", "muster apply --sign"});
    CHECK_FALSE(fault_of_signature(Policy{}, "web", spec));
    CHECK(fault_of_signature(Policy{.signers = std::vector<PublicKey>{}}, "web", spec));
    spec.signature = sign(random_signer(), signed_bytes("web", spec));
    check_named(fault(), {"does not list the signer", spec.signature.substr(0, 16)});
    spec.signature = sign(signer, signed_bytes("web", spec));
    CHECK(fault() == "");
    check_named(fault("db"), {"does not belong to this task"});
    spec.user = "root";
    check_named(fault(), {"does not belong to this task"});
    spec.signature = "x";
    check_named(fault(), {"cannot be read"});
}

// ---- the rules ----

TEST_CASE("a policy without keys allows everything", "[policy]") {
    FoundTask root = some_task();
    root.user = 0;
    root.user_name = "root";
    root.group = 0;
    root.is_group_of_user = false;
    root.directory = "/root";
    root.variables.emplace_back("LD_PRELOAD");
    CHECK(reason({}, root) == "");
    CHECK(reason({}, some_task()) == "");
}

TEST_CASE("a policy allows only its users, by name or number", "[policy]") {
    CHECK(reason({.users = {{"web"}}}, some_task()) == "");
    CHECK(reason({.users = {{"nobody", "1001"}}}, some_task()) == "");
    check_named(reason({.users = {{"nobody", "backup"}}}, some_task()),
                {"its policy does not allow user web", "set `user`", "nobody, backup"});
    check_named(reason({.users = {std::vector<std::string>{}}}, some_task()), {"user web"});
    FoundTask nameless = some_task();
    nameless.user_name.clear();
    check_named(reason({.users = {{"web"}}}, nameless), {"user 1001"});
}

TEST_CASE("a policy with users allows a user only its own groups", "[policy]") {
    FoundTask lent = some_task();
    lent.is_group_of_user = false;
    TaskSpec spec;
    spec.user_group = "disk";
    check_named(reason({.users = {{"web"}}}, lent, spec), {"group disk", "`user_group`"});
    CHECK(reason({}, lent, spec) == "");
}

TEST_CASE("a policy without root allows neither its user nor its group", "[policy]") {
    FoundTask root = some_task();
    root.user = 0;
    root.user_name = "toor";
    check_named(reason({.root = false}, root), {"does not allow user root", "`user`"});
    CHECK(reason({.root = true}, root) == "");
    FoundTask group = some_task();
    group.group = 0;
    check_named(reason({.root = false}, group), {"does not allow group root", "`user_group`"});
    CHECK(reason({.root = false}, some_task()) == "");
}

TEST_CASE("a policy allows programs by path and by directory, hooks too", "[policy]") {
    const Policy policy{.commands = {{"/usr/bin/", "/opt/app/run"}}};
    CHECK(reason(policy, some_task()) == "");
    FoundTask task = some_task();
    for (const char* path : {"/usr/bin", "/usr/binary", "/opt/app/run2", "/opt/app/run/x", ""}) {
        CAPTURE(path);
        task.programs = {{"argv", path}};
        check_named(reason(policy, task), {"does not allow the program", "`argv`", "/opt/app/run"});
    }
    for (const char* field : {"pre_start", "post_stop"}) {
        task.programs = {{"argv", "/opt/app/run"}, {field, "/bin/evil"}};
        check_named(reason(policy, task), {"/bin/evil", field});
    }
}

// Goal: an allowed program runs no other code. The loader would, by such a variable.
TEST_CASE("a policy with commands refuses the variables of the loader", "[policy]") {
    FoundTask task = some_task();
    task.variables.emplace_back("LD_PRELOAD");
    check_named(reason({.commands = {{"/usr/bin/"}}}, task), {"LD_PRELOAD", "`env`"});
    CHECK(reason({.users = {{"web"}}}, task) == "");
}

TEST_CASE("a policy allows its directories and those below, and the instance's own", "[policy]") {
    const Policy policy{.directories = {{"/srv/", "/data"}}};
    CHECK(reason(policy, some_task()) == "");
    FoundTask task = some_task();
    for (const char* path : {"/srv", "/srv/web", "/data", "/data/x"}) {
        CAPTURE(path);
        task.directory = path;
        CHECK(reason(policy, task) == "");
    }
    for (const char* path : {"/", "/srvx", "/database", "/root"}) {
        CAPTURE(path);
        task.directory = path;
        check_named(reason(policy, task), {"working directory", path, "`workdir`", "/srv/"});
    }
}

// Goal: a refusal says which key of the task to set. Method: for each limit none, at the bound, and
// above it.
TEST_CASE("a policy with limits needs a limit of the task, at most its own", "[policy]") {
    const Policy policy{.most = {1'500, 64U << 20U, 100, 1'024}};
    TaskSpec good;
    good.limits = {1'500, 64U << 20U, 100};
    good.rlimits["nofile"] = {RlimitValue{10}, RlimitValue{1'024}};
    CHECK(reason(policy, some_task(), good) == "");

    TaskSpec none = good;
    none.limits.cpu_milli = 0;
    check_named(reason(policy, some_task(), none), {"1.5 cores", "sets none", "`cpu`", "`limits`"});
    TaskSpec above = good;
    above.limits.memory_bytes = 1U << 30U;
    check_named(reason(policy, some_task(), above), {"64MiB", "1GiB", "`memory`", "`limits`"});
    above = good;
    above.limits.pids = 101;
    check_named(reason(policy, some_task(), above), {"100", "101", "`pids`"});
    above = good;
    above.rlimits["nofile"].hard = RlimitValue::unlimited;
    check_named(reason(policy, some_task(), above), {"unlimited", "`nofile`", "`rlimits`"});
    above.rlimits.clear();
    check_named(reason(policy, some_task(), above), {"sets none", "`nofile`"});
}

// ---- the file ----

TEST_CASE("a policy is read with every key", "[policy]") {
    const auto policy = policy_from_toml(R"(
        users = ["web", "nobody"]
        root = false
        commands = ["/usr/bin/", "/opt/app/run"]
        directories = ["/srv/"]
        [limits]
        cpu = "1.5"
        memory = "64MiB"
        pids = 100
        nofile = 1024)",
                                         "p.toml");
    INFO((policy ? "" : policy.error().detail));
    REQUIRE(policy);
    CHECK(*policy == Policy{.users = {{"web", "nobody"}},
                            .root = false,
                            .commands = {{"/usr/bin/", "/opt/app/run"}},
                            .directories = {{"/srv/"}},
                            .most = {1'500, 64U << 20U, 100, 1'024}});
    CHECK(policy_from_toml("", "p.toml") == Policy{});
}

TEST_CASE("a fault of a policy is reported with its line and what is right", "[policy]") {
    struct Case {
        std::string text;
        std::string sentence;
    };
    const auto wrong = GENERATE(values<Case>(
        {{"\nuser = [\"web\"]",
          "p.toml:2: unknown key 'user' in the policy; did you mean 'users'?"},
         {"users = \"web\"", "p.toml:1: users is not an array of texts"},
         {"users = [\"\"]", "p.toml:1: users has an empty text"},
         {"root = \"no\"", "p.toml:1: root is"},
         {"commands = [\"usr/bin/\"]", "p.toml:1: commands has 'usr/bin/', which is not a plain"},
         {"commands = [\"/usr/../bin/\"]", "p.toml:1: commands has '/usr/../bin/'"},
         {"directories = [\"/srv//a\"]", "p.toml:1: directories has '/srv//a'"},
         {"[limits]\nmemory = \"lots\"", "p.toml:2: "},
         {"[limits]\npids = 0", "p.toml:2: pids is 0"},
         {"[limits]\nfiles = 3", "p.toml:2: unknown key 'files' in [limits]"}}));
    const auto policy = policy_from_toml(wrong.text, "p.toml");
    REQUIRE_FALSE(policy);
    CHECK_THAT(policy.error().detail, Catch::StartsWith(wrong.sentence));
}

TEST_CASE("a policy counts only if nobody else can change it", "[policy]") {
    const TemporaryDirectory directory;
    const std::string file = directory.path() + "/policy.toml";
    std::ofstream{file} << "root = false\n";
    REQUIRE(chmod(file.c_str(), 0644) == 0);
    const auto refusal = [&](const std::string& path) {
        const auto read = read_policy(path);
        return read ? "" : read.error().detail;
    };
    const auto read = read_policy(file);
    INFO((read ? "" : read.error().detail));
    REQUIRE(read);
    CHECK(*read == Policy{.root = false});

    for (const mode_t mode : {0664U, 0646U}) {
        REQUIRE(chmod(file.c_str(), mode) == 0);
        check_named(refusal(file), {file, "written by others", "chmod go-w " + file});
    }
    REQUIRE(chmod(file.c_str(), 0600) == 0);
    REQUIRE(chmod(directory.path().c_str(), 0777) == 0);
    check_named(refusal(file), {"its directory", "chmod go-w " + directory.path()});
    REQUIRE(chmod(directory.path().c_str(), 0755) == 0);
    CHECK(refusal(file) == "");

    const std::string link = directory.path() + "/link.toml";
    fs::create_symlink(file, link);
    check_named(refusal(link), {"symbolic link"});
    check_named(refusal(directory.path()), {"not a regular file"});
    const std::string pipe = directory.path() + "/pipe.toml";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    check_named(refusal(pipe), {"not a regular file"});
    check_named(refusal(directory.path() + "/none.toml"), {"cannot be read", "No such file"});
    if (geteuid() == 0) {
        REQUIRE(chown(file.c_str(), 12345, 0) == 0);
        check_named(refusal(file), {"belongs to user 12345", "chown 0 " + file});
    }
}
