#include <algorithm>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <unistd.h>
#include <vector>

#include "tests/integration/support/harness.hpp"
#include "tests/small_disk.hpp"

namespace muster::integration {

namespace {

// A cluster whose coordinator was stopped properly, so that its store is one whole file.
class StoppedCluster {
public:
    StoppedCluster() : cluster{{.nodes = {"n1"}}} {
        cluster.apply({cluster.task("web", 1)});
        REQUIRE(cluster.wait("web"));
        running = cluster.pids("", 1);
        cluster.coordinator().signal(SIGTERM);
        REQUIRE(cluster.coordinator().wait(soon()) == Exit{.code = 0});
    }

    // The coordinator must say why it does not start, name the file, and touch no process.
    void expect_refusal(const std::string& word) const {
        const auto started = run(cluster.directory(), cluster.coordinator_command().argv);
        INFO(started.errors);
        CHECK(started.exit.code > 0);
        CHECK(started.errors.find(cluster.store_file()) != std::string::npos);
        CHECK(started.errors.find(word) != std::string::npos);
        CHECK(std::count(started.errors.begin(), started.errors.end(), '\n') == 1);
        CHECK(cluster.pids("", 1) == running);
    }

    // With the original store everything is as before.
    void expect_return() {
        cluster.start_coordinator();
        REQUIRE(cluster.serving(1));
        CHECK(cluster.wait("web"));
        CHECK(cluster.pids("", 1) == running);
    }

    Cluster cluster;
    std::vector<pid_t> running;
};

}  // namespace

// Goal: a damaged store is refused with one sentence, and no running process is disturbed.
// Method: damage the file in three ways. Each time check the error, then restore the good file.
TEST_CASE("a damaged store is refused and running tasks are undisturbed", "[integration][store]") {
    StoppedCluster stopped;
    const auto file = stopped.cluster.store_file();
    const auto good = text_of(file);
    REQUIRE(good.size() > 4096);

    // The second page holds a table; all its pointers become invalid.
    overwrite(file, 4096, std::string(4096, '\xa5'));
    stopped.expect_refusal("damaged");
    write_text(file, std::string(good.size(), '\x5a'));
    stopped.expect_refusal("damaged");
    write_text(file, good.substr(0, good.size() / 2));
    stopped.expect_refusal("damaged");

    write_text(file, good);
    stopped.expect_return();
}

// Goal: an older program does not change the store of a newer one.
// Method: increase the schema number in the file's header.
TEST_CASE("a store of a newer schema is refused", "[integration][store]") {
    constexpr std::size_t schema_number_at = 60;  // SQLite's user version: 4 bytes, big-endian.
    StoppedCluster stopped;
    const auto file = stopped.cluster.store_file();
    const auto good = text_of(file);
    overwrite(file, schema_number_at, std::string{"\0\1\0\0", 4});
    stopped.expect_refusal("newer");
    write_text(file, good);
    stopped.expect_return();
}

// Goal: an unreadable store is not taken for an empty one.
// Method: put a directory in place of the file.
TEST_CASE("a store that cannot be opened is refused", "[integration][store]") {
    StoppedCluster stopped;
    const auto file = stopped.cluster.store_file();
    std::filesystem::rename(file, file + ".aside");
    std::filesystem::create_directory(file);
    stopped.expect_refusal("is a directory, not a file");
    std::filesystem::remove(file);
    std::filesystem::rename(file + ".aside", file);
    stopped.expect_return();
}

// Goal: with a full disk only durable changes are acknowledged, and running tasks are undisturbed.
// Method: put a store on a small disk, and apply tasks with large specs until one is refused; then
// enlarge the disk.
TEST_CASE("a full disk ends acknowledgements, not tasks", "[integration][store]") {
    const Directory directory;
    const SmallDisk disk{directory.path() + "/disk"};
    if (!disk.mounted()) {
        WARN(SmallDisk::skipped);
        return;
    }
    Cluster cluster{{.nodes = {"n1"}, .state = disk.path()}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto running = cluster.pids("", 1);

    std::vector<std::string> acknowledged;
    Json refusal;
    for (int i = 0; i < 100 && refusal.is_null(); ++i) {
        const auto name = "large-" + std::to_string(i);
        auto task = cluster.task(name, 0);
        task["env"]["PADDING"] = std::string(16'000, 'x');
        const auto answer = ask(cluster.operators_socket(), {{"verb", "task add"}, {"task", task}});
        REQUIRE(answer);
        if (answer->at("ok") == true) {
            acknowledged.push_back(name);
        } else {
            refusal = answer->at("error");
        }
    }
    REQUIRE(refusal.is_object());
    CHECK(refusal.at("code") == "store_failed");
    const auto ended = cluster.coordinator().wait(soon());
    REQUIRE(ended);
    CHECK(ended->code > 0);
    CHECK(cluster.pids("", 1) == running);

    REQUIRE(disk.grow());
    cluster.start_coordinator();
    REQUIRE(cluster.serving(1));
    const auto kept = cluster.ask({{"verb", "task list"}, {"pattern", "large-*"}}).at("tasks");
    CHECK(kept.size() == acknowledged.size());
    CHECK(cluster.pids("", 1) == running);
}

// Goal: an operator learns that a store lost its content but not its file.
// Method: truncate the store to zero.
TEST_CASE("an emptied store begins a new cluster and says so", "[integration][store]") {
    StoppedCluster stopped;
    write_text(stopped.cluster.store_file(), "");
    stopped.cluster.start_coordinator();
    const auto log = stopped.cluster.log_of("coordinator");
    CHECK(log.find("the store was an empty file, so a new cluster begins") != std::string::npos);
    CHECK(stopped.cluster.pids("", 1) == stopped.running);
}

}  // namespace muster::integration
