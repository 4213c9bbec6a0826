#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "common/codec/chunking.hpp"
#include "common/codec/codec.hpp"
#include "tests/faults/trial.hpp"
#include "tests/integration/support/no_more_files.hpp"
#include "tests/small_disk.hpp"

// Real daemons that run out of disk space or of file descriptors.
namespace muster::faults {

namespace {

using integration::NoMoreFiles;
using integration::until;

void fill(const SmallDisk& disk) {
    std::ofstream{disk.path() + "/filler"} << std::string(1'000'000, 'x');
}

}  // namespace

// Goal: S23: a coordinator with a full disk acknowledges nothing more and ends. A restart on a disk
// with space has everything acknowledged, and no running instance is disturbed.
TEST_CASE("a full disk under the store loses nothing acknowledged",
          "[integration][faults][resources][S23]") {
    const integration::Directory directory;
    const SmallDisk disk{directory.path() + "/disk"};
    if (!disk.mounted()) {
        WARN(SmallDisk::skipped);
        return;
    }
    integration::ClusterOptions options;
    options.state = disk.path();
    Trial trial{options};
    trial.begin({"n1", "n2"});
    auto& cluster = trial.cluster();
    trial.changes().ask();
    fill(disk);
    trial.changes().request_until_dead(cluster.coordinator());
    CHECK(cluster.coordinator().wait(integration::soon())->code > 0);
    REQUIRE(disk.grow());
    cluster.start_coordinator();
    trial.check();
    CHECK(cluster.end() == std::vector<std::string>{});  // The disk is unmounted after this.
}

// Goal: an operator who truncates the record to make space loses that record and nothing else.
TEST_CASE("a record that is truncated or removed does not disturb its coordinator",
          "[integration][faults][resources][recorder]") {
    Trial trial{{.records = true}};
    trial.begin({"n1", "n2"});
    const std::string record = trial.cluster().directory() + "/record";
    std::filesystem::resize_file(record + "/0000000001.record", 0);
    const auto is_warned = [&] {
        return trial.cluster().status().at("alarms").dump().find("made shorter") !=
               std::string::npos;
    };
    REQUIRE(until(is_warned));
    trial.check();
    std::filesystem::remove_all(record);
    REQUIRE(until([&] { return std::filesystem::exists(record); }));
    trial.check();
}

// Goal: a limit on file size costs the coordinator its record only.
TEST_CASE("a coordinator that cannot write large files continues without a record",
          "[integration][faults][resources][recorder]") {
    Trial trial{{.records = true}};
    trial.begin({"n1", "n2"});
    const auto pid = trial.cluster().coordinator().pid();
    const rlimit small{3'000'000, RLIM_INFINITY};
    REQUIRE(prlimit(pid, RLIMIT_FSIZE, &small, nullptr) == 0);
    std::filesystem::remove_all(trial.cluster().directory() + "/record");
    REQUIRE(until([&] {
        return trial.cluster().status().at("alarms").dump().find("File too large") !=
               std::string::npos;
    }));
    trial.changes().ask();
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    REQUIRE(prlimit(pid, RLIMIT_FSIZE, &none, nullptr) == 0);
    trial.check();
}

// Goal: the memory of large requests returns to the system.
// Method: a dozen dry-run changes of 30 MB, each in several messages.
TEST_CASE("large uploads leave no memory behind", "[integration][faults][resources]") {
    Trial trial;
    trial.begin({"n1"});
    auto& cluster = trial.cluster();
    ApplyRequest apply{.tasks = {}, .dry_run = true};
    for (int at = 0; at < 1'000; ++at) {
        WantedTask task;
        task.name = "large" + std::to_string(at);
        task.spec.argv = {"/bin/true"};
        for (int word = 0; word < 250; ++word) {
            task.spec.argv.push_back(std::string(120, 'x'));
        }
        apply.tasks.push_back(task);
    }
    std::string bytes;
    codec::encode(Request{{}, apply}, bytes);
    REQUIRE(bytes.size() > 29'000'000);
    const auto frames = parts::split(bytes, 1);
    REQUIRE(frames);
    const auto pid = cluster.coordinator().pid();
    const auto before = integration::resident_bytes(pid);
    std::optional<integration::Client> client;  // Destroyed before memory is measured.
    client.emplace(zmq::socket_type::dealer, cluster.endpoints().operators);
    for (int upload = 0; upload < 12; ++upload) {
        for (const std::string& part : *frames) {
            REQUIRE(client->send(integration::Frames{std::string{codec::version_frame()}, part}));
        }
        // The answer has several messages, too.
        parts::Assembly answer;
        for (bool is_whole = false; !is_whole;) {
            const auto message = client->receive();
            REQUIRE(message);
            const auto progress = answer.add(message->at(1));
            REQUIRE(progress);
            is_whole = *progress == parts::Assembly::Progress::complete;
        }
        const auto reply = codec::decode_reply(answer.take());
        REQUIRE(reply);
        REQUIRE(reply->result);
    }
    client.reset();
    constexpr std::size_t most_left = std::size_t{96} << 20U;
    const bool is_back =
        until([&] { return integration::resident_bytes(pid) < before + most_left; });
    INFO("resident before " << before << ", after " << integration::resident_bytes(pid));
    CHECK(is_back);
    trial.check();
}

// Goal: an agent that cannot write its journal starts nothing new, and recovers by itself.
TEST_CASE("a full disk under an agent's journal disturbs nothing that runs",
          "[integration][faults][resources]") {
    integration::ClusterOptions options;
    options.agent_config = "[floors]\ndisk_bytes = 0\n";
    Trial trial{options};
    auto& cluster = trial.cluster();
    const SmallDisk disk{cluster.directory() + "/state/agents/n1"};
    if (!disk.mounted()) {
        WARN(SmallDisk::skipped);
        return;
    }
    trial.begin({"n1"});
    fill(disk);
    trial.give_more_work();
    trial.changes().ask();
    REQUIRE(until([&] { return cluster.log_of("n1").find("not written") != std::string::npos; }));
    REQUIRE(disk.grow());
    trial.check();
    CHECK(cluster.end() == std::vector<std::string>{});
}

// Goal: existing connections are served while new ones fail. Later, new ones succeed.
TEST_CASE("a coordinator without free file descriptors serves existing connections",
          "[integration][faults][resources]") {
    Trial trial;
    auto& cluster = trial.cluster();
    integration::Client early{zmq::socket_type::dealer, cluster.endpoints().operators};
    const auto is_served = [&] { return early.send("ping") && early.receive().has_value(); };
    REQUIRE(is_served());
    trial.begin({"n1", "n2"});
    const auto round = cluster.status().at("round");
    {
        const NoMoreFiles limit{cluster.coordinator().pid()};
        for (const auto& door : {cluster.endpoints().agents, cluster.endpoints().operators}) {
            CHECK(integration::RawConnection{door}.receive(1).empty());
        }
        CHECK(is_served());
        trial.changes().send();
        CHECK(is_served());
    }
    CHECK(cluster.node("n1").at("health") == "healthy");
    CHECK(cluster.status().at("round") >= round);
    trial.check();
}

TEST_CASE("an agent without free file descriptors starts its work when it has some again",
          "[integration][faults][resources]") {
    Trial trial;
    trial.begin({"n1"});
    auto& cluster = trial.cluster();
    {
        const NoMoreFiles limit{cluster.agent("n1").pid()};
        trial.give_more_work();
        trial.changes().ask();
        REQUIRE(until(
            [&] { return cluster.log_of("n1").find("Too many open files") != std::string::npos; }));
    }
    trial.check();
}

}  // namespace muster::faults
