// Secrets that the coordinator sent: where their values are on the host, and where not.

#include <filesystem>
#include <linux/magic.h>
#include <string>
#include <sys/vfs.h>

#include "tests/catch.hpp"

#include "common/crypto/random_key.hpp"
#include "common/crypto/secret_box.hpp"
#include "tests/unit/agent/exec/executor_host.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

constexpr Generation generation{7};
const InstanceId id{"web", 0};

TaskSpec naming(const std::string& script, std::vector<std::string> names = {"db"}) {
    TaskSpec spec;
    spec.argv = {"/bin/sh", "-c", script};
    spec.cluster_secrets = std::move(names);
    return spec;
}

SecretValue sealed(const PublicKey& key, const std::string& name, const std::string& value) {
    return {name, Generation{3}, seal_secret(key, name, Generation{3}, value)};
}

/// What the agent says to a start that brings these secrets; empty: it keeps them.
std::string deliver(Host& host, const TaskSpec& spec, const std::vector<SecretValue>& sent,
                    Generation of = generation) {
    SecretVault& vault = host.executor().vault();
    return vault.keep({.id = id, .generation = of, .digest = {}}, spec, vault.open(sent))
        .value_or("");
}

bool is_in_memory(const std::string& path) {
    struct statfs status = {};
    return statfs(path.c_str(), &status) == 0 && status.f_type == TMPFS_MAGIC;
}

}  // namespace

// Goal: a value reaches the task, in memory, and it is gone with the process.
// Method: the task prints the hash and the path of its secret; then the host is searched.
TEST_CASE("a secret of the coordinator is a file in memory, which is removed with its process",
          "[executor][secrets]") {
    Host host;
    const TaskSpec spec = naming(
        "md5sum <$MUSTER_SECRETS/db; stat -c %a $MUSTER_SECRETS/db; echo $MUSTER_SECRETS; "
        "sleep 1000; true");
    REQUIRE(deliver(host, spec, {sealed(host.executor().vault().key(), "db", "c4n4ry")}) == "");
    const auto process = host.spawn(spec);
    host.until([&] { return lines(host.output()).size() == 3; });
    const auto said = lines(host.output());
    CHECK_THAT(said[0], Catch::StartsWith("2ad884b552d644b75c308957574899f2"));
    CHECK(said[1] == "400");
    const std::string directory = said[2];
    CHECK(is_in_memory(directory));
    const auto proc = "/proc/" + std::to_string(host.pid_of(process));
    for (const auto& place : {proc + "/environ", proc + "/cmdline"}) {
        CHECK(host.text(place).find("c4n4ry") == std::string::npos);
    }
    for (const auto& file : fs::recursive_directory_iterator{host.base()}) {
        CAPTURE(file.path());
        CHECK((!file.is_regular_file() ||
               host.text(file.path()).find("c4n4ry") == std::string::npos));
    }
    host.end(process);
    host.await<ProcessEnded>(process);
    host.executor().release({process});
    CHECK_FALSE(fs::exists(directory));
}

// Goal: a task never runs without a value that it names, and nobody else's box counts.
// Method: starts that bring nothing, another secret, and one that is sealed for another agent.
TEST_CASE("a start without the value of its secret is refused, and the reason names it",
          "[executor][secrets]") {
    Host host;
    const TaskSpec spec = naming("exit 0");
    const PublicKey key = host.executor().vault().key();
    const std::string reason = "the value of the secret 'db' did not come with the order";
    CHECK_THAT(deliver(host, spec, {}), Catch::StartsWith(reason));
    CHECK_THAT(deliver(host, spec, {sealed(key, "web", "x")}), Catch::StartsWith(reason));
    CHECK_THAT(deliver(host, spec, {sealed(random_key_pair().open, "db", "x")}),
               Catch::StartsWith(reason));
    const auto refused = host.await<ProcessNotStarted>(host.spawn(spec));
    CHECK(refused.needs_order);
    CHECK_FALSE(refused.permanent);
    CHECK(deliver(host, spec, {sealed(key, "db", "x")}) == "");
    host.await<ProcessEnded>(host.spawn(spec));
}

// Goal: an instance keeps its value while it is here, in its generation.
// Method: start it again and again, with a new generation between, and after it left.
TEST_CASE("a process that starts again has the value that its instance started with",
          "[executor][secrets]") {
    Host host;
    const TaskSpec spec = naming("cat $MUSTER_SECRETS/db");
    const PublicKey key = host.executor().vault().key();
    REQUIRE(deliver(host, spec, {sealed(key, "db", "old ")}) == "");
    host.await<ProcessEnded>(host.spawn(spec));
    REQUIRE(deliver(host, spec, {sealed(key, "db", "new")}, next(generation)) == "");
    host.await<ProcessEnded>(host.spawn(spec));
    CHECK(host.output() == "old old ");
    host.executor().forget(id);
    CHECK(host.await<ProcessNotStarted>(host.spawn(spec)).needs_order);
}
