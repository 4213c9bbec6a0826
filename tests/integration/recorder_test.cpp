#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

std::vector<std::string> records_of(const RealCluster& cluster) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator{cluster.directory() + "/record"}) {
        files.push_back(entry.path().string());
    }
    std::ranges::sort(files);
    return files;
}

Finished replay(const RealCluster& cluster, std::vector<std::string> words) {
    words.insert(words.begin(), {program("muster-sim"), "replay"});
    return run(cluster.directory(), std::move(words));
}

}  // namespace

// Goal: an incident is a file. Method: record a coordinator through changes and the death of an
// agent, and kill it; do the same with its second life. Each of their files replays alone, byte for
// byte.
TEST_CASE("the record of a real coordinator replays byte for byte", "[integration][recorder]") {
    RealCluster cluster{{.loses_quickly = true, .records = true}};
    static_cast<void>(cluster.apply({cluster.task("web", 3), cluster.task("api", 2)}));
    REQUIRE(cluster.wait("*"));
    cluster.kill_agent("n2");
    REQUIRE(until([&] { return cluster.status().at("health").at("lost") == 1; }));
    cluster.kill_coordinator();
    cluster.start_coordinator();
    cluster.start_agent("n2");
    static_cast<void>(cluster.apply({cluster.task("web", 1)}));
    REQUIRE(cluster.serving(3));
    REQUIRE(cluster.wait("*"));
    const auto before = cluster.muster({"explain", "instance", "web.0"});
    cluster.kill_coordinator();

    const auto files = records_of(cluster);
    REQUIRE(files.size() == 2);
    for (const std::string& file : files) {
        const Finished done = replay(cluster, {file});
        INFO(done.output << done.errors);
        CHECK(done.exit == Exit{.code = 0});
        CHECK(contains(done.output, ": every output the same, byte for byte"));
    }
    const Finished traced = replay(cluster, {files[0], "--trace"});
    CHECK(contains(traced.output, "task.added web"));
    CHECK(contains(traced.output, "node.lost n2"));
    const Finished early = replay(cluster, {files[0], "--trace", "--until", "0ms"});
    CHECK(early.exit == Exit{.code = 0});
    CHECK_FALSE(contains(early.output, "task.added web"));
    const Finished explained = replay(cluster, {files[1], "--explain", "web.0"});
    INFO(explained.output << explained.errors << before.output);
    CHECK(explained.exit == Exit{.code = 0});
    CHECK(contains(explained.output, "web.0"));
    const Finished unknown = replay(cluster, {files[1], "--explain", "nothing"});
    CHECK(unknown.exit == Exit{.code = 2});
    CHECK(contains(unknown.errors, "nothing"));
    const Finished no_record = replay(cluster, {cluster.store_file()});
    CHECK(no_record.exit == Exit{.code = 2});
    CHECK(contains(no_record.errors, "it is not a record of a coordinator"));
}

}  // namespace muster::integration
