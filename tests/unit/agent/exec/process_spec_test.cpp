// The process fields of a spec, on real processes.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "tests/catch.hpp"

#include "agent/exec/launch/identity.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/unit/agent/exec/executor_host.hpp"
#include "tests/unit/agent/exec/own_mounts.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

constexpr auto needs_root = "SKIPPED: only root can run a task as another user";

TaskSpec script(const std::string& text) {
    TaskSpec spec;
    spec.argv = {"/bin/sh", "-c", text};
    return spec;
}

std::vector<std::string> printed_by(Host& host, const TaskSpec& spec) {
    const auto before = lines(host.output()).size();
    CHECK(host.await<ProcessEnded>(host.spawn(spec)).exit_code == 0);
    auto all = lines(host.output());
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before));
    return all;
}

/// The capabilities of this process, of which it passes `on` to the programs that it executes.
std::uint32_t pass_capabilities(std::uint32_t on) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[2]{};
    REQUIRE(syscall(SYS_capget, &header, sets) == 0);
    sets[0].inheritable = on & sets[0].permitted;
    REQUIRE(syscall(SYS_capset, &header, sets) == 0);
    return sets[0].permitted;
}

std::string refusal_of(Host& host, const TaskSpec& spec) {
    return host.await<ProcessNotStarted>(host.spawn(spec)).detail;
}

}  // namespace

// ---- privileges ----

// Method: this process passes on what it has. As root, that does not need the bounding set.
TEST_CASE("a task has no capabilities, not as root either, and gains none",
          "[executor][spec][A20]") {
    const std::uint32_t own = pass_capabilities(~0U);
    Host host;
    const auto rows = printed_by(
        host, script("grep -E '^(NoNewPrivs|Cap...):' /proc/self/status | tr '\\t' ' '"));
    pass_capabilities(0);
    const std::string none = "0000000000000000";
    REQUIRE(rows.size() == 6);
    CHECK(rows[0] == "CapInh: " + none);
    CHECK(rows[1] == "CapPrm: " + none);
    CHECK(rows[2] == "CapEff: " + none);
    if ((own & 1U << CAP_SETPCAP) != 0) {
        CHECK(rows[3] == "CapBnd: " + none);
    }
    CHECK(rows[4] == "CapAmb: " + none);
    CHECK(rows[5] == "NoNewPrivs: 1");
}

TEST_CASE("a task has only its input, its output and its errors open", "[executor][spec][A20]") {
    Host host;
    CHECK(printed_by(host, script("ls /proc/$$/fd; true")) ==
          std::vector<std::string>{"0", "1", "2"});
}

TEST_CASE("a setuid program gains nothing in a task", "[executor][spec][A21]") {
    if (geteuid() != 0) {
        WARN("SKIPPED: only root can make a program that runs as root");
        return;
    }
    const TemporaryDirectory directory;
    const std::string program = directory.path() + "/id";
    REQUIRE(chmod(directory.path().c_str(), 0755) == 0);
    std::filesystem::copy_file("/usr/bin/id", program);
    REQUIRE(chmod(program.c_str(), 04755) == 0);
    Host host;
    TaskSpec spec = script(program + " -u");
    spec.user = "12345";
    CHECK(printed_by(host, spec) == std::vector<std::string>{"12345"});
}

// ---- user and group ----

TEST_CASE("a task runs as its user, with the user's group and home", "[executor][spec]") {
    if (geteuid() != 0) {
        WARN(needs_root);
        return;
    }
    const passwd* nobody = getpwnam("nobody");
    REQUIRE(nobody != nullptr);
    Host host;
    TaskSpec spec = script("id -u; id -g; echo $HOME");
    spec.user = "nobody";
    CHECK(printed_by(host, spec) == std::vector{std::to_string(nobody->pw_uid),
                                                std::to_string(nobody->pw_gid),
                                                std::string{nobody->pw_dir}});
}

// Method: it writes to a relative and to an absolute path, through closed directories.
TEST_CASE("a task of another user works in its own directory", "[executor][spec]") {
    if (geteuid() != 0) {
        WARN(needs_root);
        return;
    }
    Host host;
    TaskSpec spec = script("echo a > a && echo b > $(pwd)/b && stat -c %u . && cat a b");
    spec.user = "12345";
    CHECK(printed_by(host, spec) == std::vector<std::string>{"12345", "a", "b"});
    spec.user.clear();  // A later generation runs as the agent again.
    spec.argv.back() = "stat -c %u .";
    CHECK(printed_by(host, spec) == std::vector<std::string>{"0"});
}

TEST_CASE("numbers select users and groups that have no name", "[executor][spec]") {
    if (geteuid() != 0) {
        WARN(needs_root);
        return;
    }
    Host host;
    TaskSpec spec = script("id -u; id -g; id -G; echo $HOME");
    spec.user = "12345";
    CHECK(printed_by(host, spec) == std::vector<std::string>{"12345", "12345", "12345", "/home/x"});
    spec.user_group = "23456";
    CHECK(printed_by(host, spec) == std::vector<std::string>{"12345", "23456", "23456", "/home/x"});
    spec.user.clear();
    CHECK(printed_by(host, spec) == std::vector<std::string>{"0", "23456", "23456", "/home/x"});
    spec.user_group = "daemon";
    spec.argv.back() = "id -gn";
    CHECK(printed_by(host, spec) == std::vector<std::string>{"daemon"});
}

// Method: files with test users and groups that only this test sees.
TEST_CASE("a task has all the groups that its user is in", "[executor][spec]") {
    OwnMounts mounts;
    const TemporaryDirectory directory;
    write_file(directory.below("passwd"),
               "root:x:0:0::/root:/bin/sh\nann:x:5001:5001::/x:/bin/sh\n", 0644);
    write_file(directory.below("group"),
               "root:x:0:\nann:x:5001:\none:x:6001:bob,ann\ntwo:x:6002:ann\nthree:x:6003:bob\n",
               0644);
    if (!mounts.show(directory.below("passwd"), "/etc/passwd") ||
        !mounts.show(directory.below("group"), "/etc/group")) {
        WARN(OwnMounts::skipped);
        return;
    }
    Host host;
    TaskSpec spec = script("id -u; id -G");
    spec.user = "ann";
    CHECK(printed_by(host, spec) == std::vector<std::string>{"5001", "5001 6001 6002"});
    spec.user_group = "three";
    CHECK(printed_by(host, spec) == std::vector<std::string>{"5001", "6003 5001 6001 6002"});
}

TEST_CASE("a missing user or group is named, so that other hosts are tried", "[executor][spec]") {
    Host host;
    TaskSpec spec = script("exit 0");
    spec.user = "no-such-user";
    const auto refused = host.await<ProcessNotStarted>(host.spawn(spec));
    CHECK(refused.permanent);
    CHECK(refused.detail ==
          "there is no user 'no-such-user' on this host: make it, or name another");
    spec.user.clear();
    spec.user_group = "no-such-group";
    CHECK(refusal_of(host, spec) ==
          "there is no group 'no-such-group' on this host: make it, or name another");
    CHECK(host.await<ProcessEnded>(host.shell("exit 3")).exit_code == 3);
}

TEST_CASE("an agent that is not root runs no task as another user", "[executor][spec]") {
    const uid_t real = geteuid();
    if (real == 0) {
        REQUIRE(seteuid(65534) == 0);
    }
    const std::string own = std::to_string(geteuid());
    const auto refused = identity_of("root", "");
    const auto as_itself = identity_of(own, "");
    REQUIRE(seteuid(real) == 0);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().permanent);
    CHECK(refused.error().detail ==
          "this agent runs as user " + own +
              " and cannot start a task as user 'root', group '': run the agent as root, or leave "
              "both out");
    if (real != 0) {
        CHECK(as_itself);
    }
}

// ---- what it may ----

TEST_CASE("a task has the umask, the nice value and the rlimits of its spec", "[executor][spec]") {
    Host host;
    CHECK(printed_by(host, script("umask; nice")) == std::vector<std::string>{"0077", "0"});
    TaskSpec spec = script("umask; nice; ulimit -Sn; ulimit -Hn; ulimit -Sc; ulimit -Ss");
    spec.umask = 0027;
    spec.nice = 5;
    spec.rlimits = {{"nofile", {RlimitValue{64}, RlimitValue{128}}},
                    {"core", {RlimitValue{0}, RlimitValue{0}}},
                    {"stack", {RlimitValue{4U << 20U}, RlimitValue::unlimited}}};
    CHECK(printed_by(host, spec) ==
          std::vector<std::string>{"0027", "5", "64", "128", "0", "4096"});
}

// Goal: what the agent raises for itself is not passed on, however early the task starts.
// Method: a soft limit below the hard one, so that the two differ on every host.
TEST_CASE("a task without limits has those that the agent was given", "[executor][spec]") {
    rlimit given = {};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &given) == 0);
    given.rlim_cur = given.rlim_max / 2;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &given) == 0);
    Host host;  // It raises its own.
    CHECK(printed_by(host, script("ulimit -Sn; ulimit -Hn")) ==
          std::vector{std::to_string(given.rlim_cur), std::to_string(given.rlim_max)});
}

TEST_CASE("the reason names a limit that cannot be set", "[executor][spec]") {
    if (geteuid() != 0) {
        WARN(needs_root);
        return;
    }
    Host host;
    TaskSpec spec = script("exit 0");
    spec.user = "12345";
    spec.rlimits = {{"nofile", {RlimitValue{1ULL << 40U}, RlimitValue{1ULL << 40U}}}};
    CHECK(refusal_of(host, spec) ==
          "a limit of its rlimits cannot be set: Operation not permitted");
}

// ---- its environment and its arguments ----

TEST_CASE("env files are read at each start, later ones override earlier ones",
          "[executor][spec]") {
    Host host;
    const std::string here = host.base() + '/';
    write_file(here + "one", "# A comment.\n\n  A=1 \nB = two words\nC=x=y\n", 0644);
    write_file(here + "two", "A=2\nD=\n", 0644);
    TaskSpec spec = script("printf '%s|' \"$A\" \"$B\" \"$C\" \"${D-unset}\" \"$E\"; echo");
    spec.env_files = {here + "one", here + "two"};
    spec.env = {{"E", "5"}, {"C", "env"}};
    CHECK(printed_by(host, spec) == std::vector<std::string>{"2| two words|env||5|"});
    write_file(here + "two", "A=3", 0644);
    CHECK(printed_by(host, spec) == std::vector<std::string>{"3| two words|env|unset|5|"});
}

TEST_CASE("an env file that cannot be used is named, and is not retried here", "[executor][spec]") {
    Host host;
    const std::string file = host.base() + "/variables";
    TaskSpec spec = script("exit 0");
    spec.env_files = {file};
    const auto missing = host.await<ProcessNotStarted>(host.spawn(spec));
    CHECK(missing.permanent);  // Another host may have it.
    CHECK_THAT(missing.detail, Catch::Contains(file) && Catch::Contains("No such file"));
    for (const char* wrong : {"A=1\nnothing\n", "A=1\n2B=3\n", "A=1\n=x\n"}) {
        write_file(file, wrong, 0644);
        CHECK(refusal_of(host, spec) ==
              "its env file " + file +
                  ":2 is not a line NAME=value, with a name of letters, digits and _");
    }
    fs::remove(file);
    fs::create_directory(file);
    CHECK(refusal_of(host, spec) == "its env file '" + file + "' is not a regular file");
}

// Method: each field that takes variables gets one, and shows it.
TEST_CASE("variables are put into every text of a task", "[executor][spec]") {
    Offer offer;
    offer.pool = "fast";
    offer.labels = {{"rack", "r7"}};
    Host host{{.offer = offer}};
    const std::string here = host.base() + '/';
    fs::create_directory(here + "r7");
    write_file(here + "web.0.env", "FILE=read\n", 0644);
    TaskSpec spec;
    spec.argv = {"/bin/sh",
                 "-c",
                 "pwd; printf '%s\\n' \"$@\" $WHERE $FILE; cat before",
                 "${MUSTER_TASK}",
                 "${node.pool}-${MUSTER_ORDINAL}",
                 "${HOME}",
                 "$${node.name}"};
    spec.env = {{"WHERE", "${node.name}"}};
    spec.env_files = {here + "${MUSTER_INSTANCE}.env"};
    spec.workdir = here + "${node.label.rack}";
    spec.pre_start = {"/bin/sh", "-c", "echo $0 > before", "${MUSTER_GENERATION}"};
    spec.post_stop = {"/bin/sh", "-c", "echo $0 > after", "${MUSTER_NODE}"};
    CHECK(printed_by(host, spec) == std::vector<std::string>{fs::canonical(here + "r7").string(),
                                                             "fast-0", "${HOME}", "${node.name}",
                                                             "n1", "read", "7"});
    CHECK(host.text(here + "r7/after") == "n1\n");
}

TEST_CASE("a variable without a value on this host is named", "[executor][spec]") {
    Host host;
    TaskSpec spec = script("exit 0");
    spec.env = {{"RACK", "${node.label.rack}"}};
    const auto refused = host.await<ProcessNotStarted>(host.spawn(spec));
    CHECK(refused.permanent);
    CHECK_THAT(refused.detail, Catch::Contains("env") && Catch::Contains("node.label.rack"));
}
