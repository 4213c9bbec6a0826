// Secrets of tasks: who can read them, and what is refused.

#include "agent/exec/launch/secrets.hpp"

#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/catch.hpp"

#include "tests/unit/agent/exec/executor_host.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

TaskSpec asking(const std::string& script, std::vector<std::string> secrets) {
    TaskSpec spec;
    spec.argv = {"/bin/sh", "-c", script};
    spec.secrets = std::move(secrets);
    return spec;
}

/// A host with a directory of secrets that has one in it.
class HostWithSecrets : public Host {
public:
    HostWithSecrets() {
        fs::create_directory(source());
        write_file(source() + "/token", "s3cr3t\n", 0600);
    }
    [[nodiscard]] std::string source() const { return base() + "/secrets"; }
    [[nodiscard]] std::string copies_of(ProcessId process) const {
        return base() + "/copies/" + std::to_string(raw(process));
    }
    [[nodiscard]] std::string refusal_of(const std::string& name) {
        const auto process = spawn(asking("exit 0", {name}));
        const auto refused = await<ProcessNotStarted>(process);
        CHECK(refused.permanent);
        CHECK_FALSE(fs::exists(copies_of(process)));
        return refused.detail;
    }
};

}  // namespace

// Goal: a secret is at the path that the task gets, and its content nowhere else.
// Method: the task reads it; then everything known of the process is searched for it.
TEST_CASE("a task reads copies of its secrets, which are removed with it", "[executor][secrets]") {
    HostWithSecrets host;
    write_file(host.source() + "/other", "not asked for", 0400);
    TaskSpec spec = asking(
        "stat -c '%a %U' $MUSTER_SECRETS $1; ls $MUSTER_SECRETS; md5sum < $1; sleep 1000; true",
        {"token"});  // Without exec, during which a process shows no environment.
    spec.argv.insert(spec.argv.end(), {"sh", "${MUSTER_SECRETS}/token"});
    const auto process = host.spawn(spec);
    host.until([&] { return lines(host.output()).size() == 4; });
    CHECK(lines(host.output())[0].starts_with("500 "));
    CHECK(lines(host.output())[1].starts_with("400 "));
    CHECK(lines(host.output())[2] == "token");
    const auto proc = "/proc/" + std::to_string(host.pid_of(process));
    for (const auto& place : {proc + "/environ", proc + "/cmdline"}) {
        CHECK(host.text(place).find("s3cr3t") == std::string::npos);
    }
    CHECK_THAT(host.text(proc + "/environ"),
               Catch::Contains("MUSTER_SECRETS=" + host.copies_of(process)));
    host.end(process);
    host.await<ProcessEnded>(process);
    CHECK(fs::exists(host.copies_of(process)));  // post_stop can still read them.
    host.executor().release({process});
    CHECK_FALSE(fs::exists(host.copies_of(process)));
    CHECK(host.text(host.source() + "/token") == "s3cr3t\n");
}

TEST_CASE("secrets belong to the user that the task runs as", "[executor][secrets]") {
    if (geteuid() != 0) {
        WARN("SKIPPED: only root can give files to others");
        return;
    }
    HostWithSecrets host;
    TaskSpec spec =
        asking("cat $MUSTER_SECRETS/token; stat -c %u $MUSTER_SECRETS/token", {"token"});
    spec.user = "12345";
    host.await<ProcessEnded>(host.spawn(spec));
    CHECK(host.output() == "s3cr3t\n12345\n");
    spec.argv = {"/bin/sh", "-c", "ls $(dirname $MUSTER_SECRETS); cat " + host.source() + "/token"};
    const auto ended = host.await<ProcessEnded>(host.spawn(spec, {"spy", 0}));
    CHECK(ended.exit_code != 0);
    CHECK(host.text("logs/spy.0.out").empty());
}

// Goal: an operator sees what to correct. Method: each kind of wrong secret.
TEST_CASE("an unsafe secret is refused with the reason", "[executor][secrets]") {
    HostWithSecrets host;
    const std::string source = host.source() + '/';
    CHECK(host.refusal_of("lost") == "there is no secret 'lost' on this host: put it into " +
                                         host.source() + " with the mode 0600");
    write_file(source + "open", "x", 0644);
    CHECK(host.refusal_of("open") ==
          "the secret " + source +
              "open can be read by others, its mode is 0644: give it the mode 0600 or 0400");
    fs::create_symlink("token", source + "link");
    CHECK(host.refusal_of("link") ==
          "the secret " + source + "link is a link: put the file itself there");
    fs::create_directory(source + "directory");
    CHECK(host.refusal_of("directory") ==
          "the secret " + source + "directory is not a regular file: put the file itself there");
    REQUIRE(mkfifo((source + "fifo").c_str(), 0600) == 0);
    CHECK_THAT(host.refusal_of("fifo"), Catch::Contains("is not a regular file"));
    write_file(source + "large", std::string(limits::secret_bytes + 1, 'x'), 0600);
    CHECK_THAT(host.refusal_of("large"), Catch::Contains("has 1048577 bytes; 1048576 are allowed"));
    CHECK_THAT(host.refusal_of("../state/x"), Catch::Contains("is not the name of a secret"));
    if (geteuid() == 0) {
        write_file(source + "foreign", "x", 0600);
        REQUIRE(chown((source + "foreign").c_str(), 12345, 0) == 0);
        CHECK(host.refusal_of("foreign") ==
              "the secret " + source + "foreign belongs to user 12345: give it to user 0");
    }
    // A correct secret still works.
    CHECK(host.await<ProcessEnded>(host.spawn(asking("exit 3", {"token"}))).exit_code == 3);
}

// Method: the copies of a life that was cut short, and those of a task that kept running while the
// journal was lost.
TEST_CASE("copies of earlier lives are removed, but not of running tasks", "[executor][secrets]") {
    HostWithSecrets host;
    const auto process = host.spawn(asking("exec sleep 1000", {"token"}));
    host.await<ProcessStarted>(process);
    fs::create_directory(host.copies_of(ProcessId{77}));
    write_file(host.copies_of(ProcessId{77}) + "/token", "old", 0400);
    CHECK(host.begin({}).size() == 1);
    CHECK_FALSE(fs::exists(host.copies_of(ProcessId{77})));
    CHECK(host.text(host.copies_of(process) + "/token") == "s3cr3t\n");
}
