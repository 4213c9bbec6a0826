#include <string>
#include <vector>

#include "tests/integration/support/harness.hpp"

// Scripts wait for releases that stay up, and for jobs that end.
namespace muster::integration {

namespace {

std::string release_file(const Cluster& cluster, const std::string& script,
                         const std::string& update) {
    auto path = cluster.directory() + "/release.toml";
    write_text(path, "[[task]]\nname = \"web\"\nargv = [\"/bin/sh\", \"-c\", \"" + script +
                         "\"]\nenv = { TEST_CLUSTER = \"" + cluster.directory() +
                         "\" }\nupdate = " + update + "\n");
    return path;
}

}  // namespace

// Goal: a script that rolls out a bad release gets an error with its reason at once.
// Method: a real process that ends; the timeout is far longer than the test may take.
TEST_CASE("apply --wait ends when the release does not stay up",
          "[integration][command][rollout]") {
    Cluster cluster{{.nodes = {"n1"}}};
    const auto good = release_file(cluster, "exec sleep 1000", "{ min_healthy = \"100ms\" }");
    const auto first =
        cluster.muster({"apply", "-f", good, "--wait", "--timeout", in_ms(paces(600))});
    CAPTURE(first.output, first.errors);
    CHECK(first.exit == Exit{.code = 0});
    CHECK(contains(first.output, "converged"));

    const auto bad = release_file(cluster, "exit 7", "{ min_healthy = \"1m\" }");
    const auto second = cluster.muster({"apply", "-f", bad, "--wait", "--timeout", "10m"});
    CAPTURE(second.output, second.errors);
    CHECK(second.exit == Exit{.code = 3});
    CHECK(contains(second.errors, "the roll-out is halted: web.0 on n1 did not run for 1m"));
    CHECK(contains(second.errors, "exit code 7"));
    CHECK(cluster.muster({"wait", "web", "--timeout", "10m"}).exit == Exit{.code = 3});
    CHECK(contains(cluster.muster({"task", "show", "web"}).output, "halted"));
}

// Goal: a script learns the outcome of its job. Method: real processes that succeed or fail.
TEST_CASE("wait --finished ends with the highest exit code of the instances",
          "[integration][command]") {
    Cluster cluster{{.nodes = {"n1", "n2"}}};
    auto good = cluster.task("good", 2, {"/bin/sh", "-c", "exit 0"});
    auto bad = cluster.task("bad", 2, {"/bin/sh", "-c", "exit ${MUSTER_ORDINAL}7"});
    good["restart"] = bad["restart"] = "never";
    cluster.apply({good, bad, cluster.task("web", 1)});
    CHECK(cluster.muster({"wait", "good", "--finished", "--timeout", in_ms(paces(600))}).exit ==
          Exit{.code = 0});
    const auto waited =
        cluster.muster({"wait", "*d", "--finished", "--timeout", in_ms(paces(600))});
    CAPTURE(waited.output, waited.errors);
    CHECK(waited.exit == Exit{.code = 17});
    CHECK(contains(waited.errors, "bad.1 on n"));
    const auto endless = cluster.muster({"wait", "web", "--finished"});
    CHECK(endless.exit == Exit{.code = 6});
    CHECK(contains(endless.errors, "never ends"));
}

}  // namespace muster::integration
