#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

// A change and its first answer.
struct Change {
    Json request;
    std::optional<Json> answer{};
};

// Sends all unanswered changes at once, and records the answers that come in time.
void send_unanswered(const Cluster& cluster, std::map<std::string, Change>& changes,
                     Deadline deadline) {
    Client client{zmq::socket_type::dealer, cluster.endpoints().operators};
    std::size_t open = 0;
    for (const auto& [id, change] : changes) {
        if (!change.answer) {
            client.send(change.request.dump());
            ++open;
        }
    }
    for (; open > 0; --open) {
        const auto frames = client.receive(deadline);
        if (!frames) {
            return;
        }
        auto answer = Json::parse(frames->back());
        changes.at(answer.at("request_id").get<std::string>()).answer = std::move(answer);
    }
}

std::size_t count_unanswered(const std::map<std::string, Change>& changes) {
    return static_cast<std::size_t>(std::count_if(
        changes.begin(), changes.end(), [](const auto& entry) { return !entry.second.answer; }));
}

}  // namespace

// Goal: acknowledged changes are kept, a retry takes effect once, and a dead coordinator ends no
// process.
// Method: kill -9 the coordinator at random moments during many applies, restart it, and repeat
// unanswered requests with the same ids. Then compare answers, store and processes.
TEST_CASE("acknowledged changes survive kill -9 of the coordinator", "[integration][death]") {
    constexpr int kills = 8;
    constexpr int changes_each = 12;
    const auto seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random{seed};

    Cluster cluster;
    cluster.apply({cluster.task("keep", 3)});
    REQUIRE(cluster.wait("keep"));
    const auto kept = cluster.pids("keep", 3);

    std::map<std::string, Change> changes;
    for (int round = 0; round < kills; ++round) {
        for (int i = 0; i < changes_each; ++i) {
            const auto id = new_request_id();
            const auto name = "t" + std::to_string(round) + "-" + std::to_string(i);
            changes[id].request = {
                {"verb", "task add"}, {"request_id", id}, {"task", cluster.task(name, 0)}};
        }
        send_unanswered(cluster, changes,
                        Clock::now() + std::chrono::microseconds{random() % 8'000});
        cluster.kill_coordinator();
        cluster.start_coordinator();
    }
    INFO("answered before the last restart: " << changes.size() - count_unanswered(changes));
    send_unanswered(cluster, changes, soon());
    REQUIRE(count_unanswered(changes) == 0);

    for (const auto& [id, change] : changes) {
        INFO(change.answer->dump());
        CHECK(change.answer->at("ok") == true);
        CHECK(cluster.ask(change.request) == *change.answer);  // The first answer again.
    }
    const auto listed = cluster.ask({{"verb", "task list"}, {"pattern", "t*"}}).at("tasks");
    CHECK(listed.size() == changes.size());
    REQUIRE(cluster.serving(3));
    CHECK(cluster.wait("*"));
    CHECK(cluster.pids("", 3) == kept);
}

// Goal: an empty store is not an order to stop anything.
// Method: move the store away, so that the coordinator knows no tasks; then restore it.
TEST_CASE("a coordinator that lost its store stops nothing", "[integration][death]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto running = cluster.pids("web", 1);
    const auto state = std::filesystem::path{cluster.store_file()}.parent_path();
    const auto aside = state.string() + "-aside";

    cluster.kill_coordinator();
    std::filesystem::rename(state, aside);
    cluster.start_coordinator();
    REQUIRE(until([&] { return cluster.status().at("ahead") == 1; }));
    CHECK_FALSE(cluster.status().at("alarms").empty());
    const auto accept = cluster.muster({"store", "accept", "--dry-run", "-o", "json"});
    CHECK(Json::parse(accept.output).at("nodes").at(0).at("name") == "n1");
    cluster.apply({cluster.task("other", 1)});
    // In these rounds the coordinator could have ordered stops and read reports of them.
    const auto round = cluster.status().at("round").get<std::uint64_t>();
    REQUIRE(until([&] {
        CHECK(cluster.ask({{"verb", "round now"}}).at("ok") == true);
        return cluster.status().at("round").get<std::uint64_t>() >= round + 3;
    }));
    CHECK(cluster.pids("", 1) == running);

    cluster.kill_coordinator();
    std::filesystem::rename(state, state.string() + "-empty");
    std::filesystem::rename(aside, state);
    cluster.start_coordinator();
    REQUIRE(cluster.serving(1));
    CHECK(cluster.wait("web"));
    CHECK(cluster.pids("", 1) == running);
}

// Goal: an operator can recover from a lost store.
// Method: move it away, apply the tasks again, and accept the new store.
TEST_CASE("after an accept the nodes obey a new store", "[integration][death]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));

    cluster.kill_coordinator();
    std::filesystem::remove_all(std::filesystem::path{cluster.store_file()}.parent_path());
    cluster.start_coordinator();
    REQUIRE(until([&] { return cluster.status().at("ahead") == 1; }));
    cluster.apply({cluster.task("other", 1)});
    CHECK(cluster.muster({"store", "accept"}).exit == Exit{.code = 0});
    CHECK(cluster.serving(1));
    CHECK(cluster.wait("other"));
    CHECK(until([&] { return cluster.tasks("web").empty(); }));
    CHECK(cluster.status().at("ahead") == 0);
}

// Goal: stopping a coordinator, by an init system or from the keyboard, loses and harms nothing.
// Method: stop it with each of these signals, check what it leaves, and restart it.
TEST_CASE("a coordinator that is stopped leaves a whole store and no sockets",
          "[integration][death]") {
    const int signal = GENERATE(SIGTERM, SIGINT);
    CAPTURE(signal);
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto running = cluster.pids("web", 1);

    cluster.coordinator().signal(signal);
    CHECK(cluster.coordinator().wait(soon()) == Exit{.code = 0});
    CHECK(cluster.log_of("coordinator").find("stopping signal=" + std::to_string(signal)) !=
          std::string::npos);
    CHECK(std::filesystem::exists(cluster.store_file()));
    CHECK_FALSE(std::filesystem::exists(cluster.store_file() + "-wal"));
    CHECK_FALSE(std::filesystem::exists(cluster.directory() + "/run/operators.sock"));
    CHECK(cluster.pids("web", 1) == running);

    cluster.start_coordinator();
    CHECK(cluster.serving(1));
    CHECK(cluster.wait("web"));
    CHECK(cluster.pids("web", 1) == running);
}

// Goal: a coordinator that dies is not missed where another one stands by, and restarts nothing.
// Method: start two more on the directory of the first, one with the same configuration and one
// that shares only the state. Stop one of them; kill the first.
TEST_CASE("a second coordinator on the same store stands by, and leads when the first is gone",
          "[integration][death][leadership]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto running = cluster.pids("web", 1);
    const auto epoch = cluster.status().at("epoch").get<int>();

    const Directory other;
    const auto endpoints = free_endpoints();
    write_text(other.path() + "/other.toml",
               "insecure_loopback = true\nstate_dir = \"" + cluster.directory() +
                   "/state\"\nrun_dir = \"" + other.path() + "/run\"\n[endpoints]\nagents = \"" +
                   endpoints.agents + "\"\noperators = \"" + endpoints.operators +
                   "\"\nevents = \"" + endpoints.events + "\"\nhttp = \"" + endpoints.http +
                   "\"\n");
    const std::string log = other.path() + "/log";
    const auto sharing = start_ready(
        other.path(),
        {.argv = {program("muster-coordinator"), "--config", other.path() + "/other.toml"},
         .errors = log});
    CHECK(until([&] { return text_of(log).find("standing by") != std::string::npos; }));
    CHECK_FALSE(std::filesystem::exists(other.path() + "/run/operators.sock"));
    sharing->signal(SIGTERM);
    CHECK(sharing->wait(soon()) == Exit{.code = 0});

    Command command = cluster.coordinator_command();
    command.errors = log;
    const auto twin = start_ready(other.path(), command);
    CHECK(cluster.status().at("ok") == true);
    CHECK(text_of(log).find("leading") == std::string::npos);
    cluster.kill_coordinator();
    CHECK(until([&] { return text_of(log).find("leading cluster=") != std::string::npos; }));
    CHECK(cluster.serving(1));
    CHECK(cluster.status().at("epoch") == epoch + 1);
    CHECK(cluster.wait("web"));
    CHECK(cluster.pids("web", 1) == running);
    twin->signal(SIGTERM);
    CHECK(twin->wait(soon()) == Exit{.code = 0});
}

}  // namespace muster::integration
