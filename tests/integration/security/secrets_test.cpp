// Secrets from the coordinator, with the real programs: where a canary value is, and where not.

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/integration/support/harness.hpp"

using namespace muster;
using namespace muster::integration;

namespace {

const std::string canary = "c4n4ry-of-the-test";
// In the forms in which it could be written somewhere.
const std::vector<std::string> forms{canary, "YzRuNHJ5LW9mLXRoZS10ZXN0",
                                     "63346e3472792d6f662d7468652d74657374"};

bool has_canary(const std::string& text) {
    for (const std::string& form : forms) {
        if (contains(text, form)) {
            return true;
        }
    }
    return false;
}

/// Files below the directory with the canary in them.
std::vector<std::string> files_with_canary(const std::string& directory) {
    std::vector<std::string> found;
    for (const auto& file : std::filesystem::recursive_directory_iterator{
             directory, std::filesystem::directory_options::skip_permission_denied}) {
        if (file.is_regular_file() && has_canary(text_of(file.path().string()))) {
            found.push_back(file.path().string());
        }
    }
    return found;
}

bool process_shows_canary(pid_t pid) {
    const std::string proc = "/proc/" + std::to_string(pid);
    return has_canary(text_of(proc + "/cmdline")) || has_canary(text_of(proc + "/environ"));
}

/// Sets the value from a file outside of the cluster's directory, which is searched.
Finished set(const RealCluster& cluster, const std::string& name, const std::string& value) {
    const Directory outside;
    write_text(outside.path() + "/value", value);
    return cluster.muster_by_key({"secret", "set", name, "--file", outside.path() + "/value"});
}

/// A task that writes the hash of its secret, and then sleeps.
Json hashing(const Cluster& cluster, const std::string& task, const std::string& secret) {
    Json wanted = cluster.task(task, 1,
                               {"/bin/sh", "-c",
                                "md5sum <$MUSTER_SECRETS/" + secret + " >>" + cluster.directory() +
                                    "/" + task + ".sum; echo $MUSTER_SECRETS >" +
                                    cluster.directory() + "/" + task + ".place; sleep 1000; true"});
    wanted["cluster_secrets"] = {secret};
    return wanted;
}

std::vector<std::string> sums_of(const Cluster& cluster, const std::string& task) {
    std::ifstream file{cluster.directory() + "/" + task + ".sum"};
    std::vector<std::string> sums;
    for (std::string line; std::getline(file, line);) {
        sums.push_back(line.substr(0, 32));
    }
    return sums;
}

// md5sum of the canary and of `new`.
const std::string sum_of_canary = "9d0ae3dbeebeb4519977b835572f2c13";
const std::string sum_of_new = "22af645d1859cb5ca6da0c484f1f37ea";

}  // namespace

// Goal: a secret reaches its task, and its value is nowhere else.
// Method: set a canary, let a task print its hash, and look for the canary in every file, answer,
// event, HTTP page, argument and variable; kill the coordinator and the agent meanwhile.
TEST_CASE("a secret of the coordinator reaches its task and nobody else [A19]",
          "[integration][keys][secrets]") {
    Cluster cluster{{.nodes = {"n1"}, .records = true, .keys = true}};
    const auto made = set(cluster, "db", canary);
    INFO(made.errors);
    REQUIRE(made.exit == Exit{.code = 0});
    CHECK_FALSE(has_canary(made.output + made.errors));
    cluster.apply({hashing(cluster, "web", "db")});
    REQUIRE(cluster.wait("web"));
    REQUIRE(until([&] { return sums_of(cluster, "web").size() == 1; }));
    CHECK(sums_of(cluster, "web").front() == sum_of_canary);

    for (const std::vector<std::string>& words : {std::vector<std::string>{"secret", "list"},
                                                  {"task", "show", "web"},
                                                  {"events"},
                                                  {"status"},
                                                  {"explain", "web.0"},
                                                  {"audit", "show"},
                                                  {"node", "show", "n1"}}) {
        for (const std::string format : {"table", "json"}) {
            auto asked = words;
            asked.insert(asked.end(), {"-o", format});
            const auto answer = cluster.muster_by_key(asked);
            INFO(answer.errors);
            CHECK(answer.exit == Exit{.code = 0});
            CHECK_FALSE(has_canary(answer.output));
        }
    }
    CHECK(contains(cluster.muster_by_key({"secret", "list"}).output, "18B"));
    CHECK(contains(cluster.muster_by_key({"audit", "show"}).output, "secret set"));
    CHECK_FALSE(process_shows_canary(cluster.coordinator().pid()));
    CHECK_FALSE(process_shows_canary(cluster.agent("n1").pid()));
    for (const auto& found : cluster.shims_of("n1")) {
        CHECK_FALSE(process_shows_canary(found.pid));
    }
    for (const auto& found : cluster.tasks("web")) {
        CHECK_FALSE(process_shows_canary(found.pid));
    }
    CHECK(files_with_canary(cluster.directory()).empty());

    // Its process and its secret outlive the agent, and the coordinator's store has the value.
    cluster.kill_agent("n1");
    cluster.kill_coordinator();
    cluster.start_coordinator();
    cluster.start_agent("n1");
    CHECK(cluster.wait("web"));
    CHECK(sums_of(cluster, "web").size() == 1);

    // The new life of the agent has no value, so the coordinator orders the instance again.
    for (const auto& found : cluster.tasks("web")) {
        kill(found.pid, SIGKILL);
    }
    REQUIRE(until([&] { return sums_of(cluster, "web").size() == 2; }));
    CHECK(sums_of(cluster, "web").back() == sum_of_canary);
    CHECK(files_with_canary(cluster.directory()).empty());
    const std::string place = text_of(cluster.directory() + "/web.place");
    CHECK(cluster.muster_by_key({"task", "remove", "web"}).exit == Exit{.code = 0});
    CHECK(until([&] { return !std::filesystem::exists(place.substr(0, place.find('\n'))); }));
}

// Goal: a new value is for new starts; what runs keeps the old one until it is started again.
// Method: set another value, look, and restart the task. Then remove the secret, with and without
// the task.
TEST_CASE("a new value of a secret is for later starts, and a used secret stays",
          "[integration][keys][secrets]") {
    Cluster cluster{{.nodes = {"n1"}, .keys = true}};
    const std::string refusal =
        cluster.ask({{"verb", "apply"}, {"tasks", {hashing(cluster, "web", "db")}}}).dump();
    CHECK(contains(refusal, "muster secret set db"));
    REQUIRE(set(cluster, "db", canary).exit == Exit{.code = 0});
    cluster.apply({hashing(cluster, "web", "db")});
    REQUIRE(until([&] { return sums_of(cluster, "web").size() == 1; }));
    REQUIRE(set(cluster, "db", "new").exit == Exit{.code = 0});
    REQUIRE(cluster.wait("web"));
    CHECK(sums_of(cluster, "web") == std::vector{sum_of_canary});
    CHECK(cluster.muster_by_key({"task", "restart", "web"}).exit == Exit{.code = 0});
    REQUIRE(until([&] { return sums_of(cluster, "web").size() == 2; }));
    CHECK(sums_of(cluster, "web").back() == sum_of_new);

    const auto refused = cluster.muster_by_key({"secret", "remove", "db"});
    CHECK(refused.exit != Exit{.code = 0});
    CHECK(contains(refused.errors, "named by task web"));
    CHECK(cluster.muster_by_key({"task", "remove", "web"}).exit == Exit{.code = 0});
    CHECK(cluster.muster_by_key({"secret", "remove", "db"}).exit == Exit{.code = 0});
    CHECK(contains(cluster.muster_by_key({"secret", "list"}).output, "no secrets"));
}

// Goal: people learn why a value does not reach its task.
// Method: another secret of the cluster in cluster.key, as after a wrong backup was restored.
TEST_CASE("a secret that cannot be decrypted is a reason that people understand",
          "[integration][keys][secrets]") {
    Cluster cluster{{.nodes = {"n1"}, .keys = true}};
    REQUIRE(set(cluster, "db", canary).exit == Exit{.code = 0});
    cluster.kill_coordinator();
    const std::string file = cluster.key_directory() + "/cluster.key";
    const std::string text = text_of(file);
    write_text(file, text.substr(0, text.find('\n') + 1) + std::string(64, 'a') + '\n');
    cluster.start_coordinator();
    cluster.apply({hashing(cluster, "web", "db")});
    const std::string reason = "the value of the secret 'db' did not come with the order";
    CHECK(until([&] {
        return contains(cluster.muster_by_key({"explain", "web.0"}).output, reason);
    }));
    CHECK(sums_of(cluster, "web").empty());
}
