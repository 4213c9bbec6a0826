#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "common/random.hpp"
#include "tests/integration/harness.hpp"

// kill -9 of the coordinator at the operations on its store, while operators change what is wanted.
namespace muster::faults {

namespace {

using integration::Client;
using integration::Cluster;
using integration::Exit;
using integration::Json;
using integration::Process;
using integration::soon;

struct Change {
    Json request;
    Json answer{};  ///< The first; null while there is none.
};

std::size_t coordinator_kills() {
    const char* const text = std::getenv("TEST_COORDINATOR_KILLS");
    return text == nullptr ? 60 : std::strtoul(text, nullptr, 10);
}

/// What operators want, and what was answered to them.
class Changes {
public:
    explicit Changes(const Cluster& cluster) : cluster_{cluster} {}

    /// Asks what was not answered once more, then for one more thing after each answer, until the
    /// coordinator dies.
    void ask_until_dead(Process& coordinator) {
        Client client{zmq::socket_type::dealer, cluster_.endpoints().operators};
        repeat_unanswered(client);
        ask_one_more(client);
        while (const auto frames = client.receive_or(coordinator.pidfd())) {
            take(Json::parse(frames->back()));
            ask_one_more(client);
        }
    }

    void settle() {
        Client client{zmq::socket_type::dealer, cluster_.endpoints().operators};
        for (std::size_t open = repeat_unanswered(client); open > 0; --open) {
            const auto frames = client.receive();
            REQUIRE(frames);
            take(Json::parse(frames->back()));
        }
    }

    /// All that were answered are there, and a retry of the last ones gets the first answer.
    void check() const {
        constexpr std::size_t asked_again = 500;
        const auto tasks = cluster_.ask({{"verb", "task list"}, {"pattern", "t*"}}).at("tasks");
        CHECK(tasks.size() == changes_.size());
        const std::size_t first = changes_.size() - std::min(changes_.size(), asked_again);
        for (std::size_t at = 0; at < changes_.size(); ++at) {
            const Change& change = changes_[at];
            INFO(change.answer.dump());
            CHECK(change.answer.at("ok") == true);
            if (at >= first) {
                CHECK(cluster_.ask(change.request) == change.answer);
            }
        }
    }

    [[nodiscard]] std::size_t count() const { return changes_.size(); }

private:
    void ask_one_more(Client& client) {
        const std::string name = "t" + std::to_string(changes_.size());
        changes_.push_back({.request = {{"verb", "task add"},
                                        {"request_id", integration::new_request_id()},
                                        {"task", cluster_.task(name, 0)}}});
        client.send(changes_.back().request.dump());
    }

    std::size_t repeat_unanswered(Client& client) {
        std::size_t open = 0;
        for (; answered_ < changes_.size() && !changes_[answered_].answer.is_null(); ++answered_) {
        }
        for (std::size_t at = answered_; at < changes_.size(); ++at) {
            if (changes_[at].answer.is_null()) {
                client.send(changes_[at].request.dump());
                ++open;
            }
        }
        return open;
    }

    void take(const Json& answer) {
        for (std::size_t at = answered_; at < changes_.size(); ++at) {
            Change& change = changes_[at];
            if (change.request.at("request_id") == answer.at("request_id")) {
                REQUIRE((change.answer.is_null() || change.answer == answer));
                change.answer = answer;
                return;
            }
        }
    }

    const Cluster& cluster_;
    std::deque<Change> changes_;
    std::size_t answered_ = 0;  // All before it are.
};

}  // namespace

// Goal: S1, S3, S11: wherever it is killed in its dealings with the disk, what it acknowledged is
// kept, a retry takes effect once, and no task notices.
// Method: a coordinator that kills itself before, or amid, the n-th operation on its store, for
// each n in turn; then at random. It is asked for changes all the time.
TEST_CASE("a coordinator killed at any operation on its store loses nothing acknowledged",
          "[faults][death][S1][S3]") {
    Cluster cluster{{.nodes = {"n1", "n2"}}};
    cluster.apply({cluster.task("keep", 2)});
    REQUIRE(cluster.wait("keep"));
    const auto kept = cluster.pids("keep", 2);
    cluster.kill_coordinator();

    Changes changes{cluster};
    Random random{17};
    constexpr std::uint64_t each_in_turn = 50;
    for (std::size_t kill = 0; kill < coordinator_kills(); ++kill) {
        const std::uint64_t at = kill < each_in_turn ? kill + 1 : 1 + random.below(120);
        const std::string fault = (kill % 2 == 0 ? "kill:" : "torn:") + std::to_string(at);
        CAPTURE(kill, fault);
        auto command = cluster.coordinator_command();
        command.argv.front() = integration::program("muster-coordinator-faulty");
        command.env.push_back("TEST_FILE_FAULT=" + fault);
        Process coordinator{command};
        changes.ask_until_dead(coordinator);
        REQUIRE(coordinator.wait(soon()) == Exit{.signal = SIGKILL});
    }
    cluster.start_coordinator();
    changes.settle();
    INFO("changes: " << changes.count());
    changes.check();
    REQUIRE(cluster.serving(2));
    CHECK(cluster.wait("*"));
    CHECK(cluster.pids("", 2) == kept);
}

}  // namespace muster::faults
