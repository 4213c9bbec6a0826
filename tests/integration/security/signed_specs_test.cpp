// Specs that an operator signed, with the real programs.

#include <string>
#include <sys/stat.h>
#include <vector>

#include "tests/catch.hpp"

#include "tests/integration/support/harness.hpp"

using namespace muster;
using namespace muster::integration;

namespace {

/// A signer, and a policy that wants its signature.
class Signer {
public:
    Signer() {
        made_ =
            run(directory_.path(), {program("muster"), "signer", "create", file(), "-o", "json"});
        REQUIRE(made_.exit == Exit{.code = 0});
        key_ = Json::parse(made_.output).at("key").get<std::string>();
        write_text(directory_.path() + "/policy.toml", "signers = [\"" + key_ + "\"]\n");
    }

    [[nodiscard]] std::string file() const { return directory_.path() + "/signer"; }
    [[nodiscard]] const std::string& key() const { return key_; }
    [[nodiscard]] std::string agent_config() const {
        return "policy = \"" + directory_.path() + "/policy.toml\"\n";
    }

private:
    Directory directory_;
    Finished made_;
    std::string key_;
};

Finished send(const Cluster& cluster, const std::string& text,
              const std::vector<std::string>& more = {}) {
    const std::string file = cluster.directory() + "/tasks.toml";
    write_text(file, text);
    std::vector<std::string> words{"apply", "-f", file};
    words.insert(words.end(), more.begin(), more.end());
    return cluster.muster(words);
}

std::string signature_of(const Cluster& cluster, const std::string& task) {
    return cluster.ask({{"verb", "task show"}, {"name", task}})
        .at("wanted")
        .at("signature")
        .get<std::string>();
}

bool is_refused(const Cluster& cluster, const std::string& task, const std::string& reason) {
    return until([&] { return contains(cluster.muster({"explain", task + ".0"}).output, reason); });
}

}  // namespace

// Goal: a coordinator that was stolen starts nothing on a host whose policy has signers.
// Method: a signed task runs. Then, without the signer's file, as the coordinator could: the task
// unsigned, its signature on another command, and on a task of another name; and one that a
// stranger signed.
TEST_CASE("a host with signers runs what they signed, and nothing else",
          "[integration][policy][signature]") {
    const Signer signer;
    struct stat status = {};
    REQUIRE(stat(signer.file().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600);
    Cluster cluster{{.nodes = {"n1"}, .agent_config = signer.agent_config()}};
    const auto applied = send(cluster, cluster.task_file("web", 1), {"--sign", signer.file()});
    INFO(applied.errors);
    REQUIRE(applied.exit == Exit{.code = 0});
    CHECK(cluster.wait("web"));
    CHECK(contains(cluster.muster({"task", "show", "web"}).output, signer.key()));
    const std::string signature = signature_of(cluster, "web");

    REQUIRE(send(cluster, cluster.task_file("bare", 1)).exit == Exit{.code = 0});
    CHECK(is_refused(cluster, "bare", "this one is not signed"));
    Json other = cluster.task("other", 1);
    other["signature"] = signature;
    cluster.apply({other});
    CHECK(is_refused(cluster, "other", "does not belong to this task"));
    const Signer stranger;
    REQUIRE(send(cluster, cluster.task_file("strange", 1), {"--sign", stranger.file()}).exit ==
            Exit{.code = 0});
    CHECK(is_refused(cluster, "strange", "does not list the signer"));
    CHECK(cluster.tasks("bare").empty());
    CHECK(cluster.tasks("other").empty());
    CHECK(cluster.tasks("strange").empty());

    // What runs stays while a changed spec is refused.
    Json changed = cluster.task("web", 1, {"/bin/sleep", "1234"});
    changed["signature"] = signature;
    cluster.apply({changed});
    CHECK(until([&] {  // A second order follows only if the first was refused.
        const std::string shown = cluster.muster({"explain", "web.0"}).output;
        const auto first = shown.find("rollout");
        return first != std::string::npos && contains(shown.substr(first + 1), "rollout");
    }));
    for (const auto& found : cluster.tasks("web")) {
        CHECK(arguments_of(found.pid) != std::vector<std::string>{"/bin/sleep", "1234"});
    }
    CHECK(cluster.node("n1").at("health") == "healthy");

    // Another number of instances needs no new signature, and the same again is no change.
    REQUIRE(send(cluster, cluster.task_file("web", 1), {"--sign", signer.file()}).exit ==
            Exit{.code = 0});
    CHECK(signature_of(cluster, "web") == signature);
    CHECK(cluster.wait("web"));
    CHECK(contains(send(cluster, cluster.task_file("web", 1), {"--sign", signer.file()}).output,
                   "unchanged"));
}
