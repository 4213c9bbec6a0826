// What was acknowledged, after leaders were killed.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <random>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/integration/support/coordinators.hpp"
#include "tests/integration/support/etcd_servers.hpp"
#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

using namespace std::chrono_literals;

/// A change and its first answer.
struct Acknowledged {
    Json request;
    Json answer;
};

/// Clients that add tasks all the time, each the next one when the last was answered.
class Writers {
public:
    Writers(std::vector<std::string> operators, std::size_t clients)
        : operators_{std::move(operators)} {
        for (std::size_t client = 0; client < clients; ++client) {
            threads_.emplace_back([this, client] { write(client); });
        }
    }
    ~Writers() { finish(); }
    Writers(const Writers&) = delete;
    Writers& operator=(const Writers&) = delete;

    /// They make so many changes more.
    void allow(int changes) { allowed_.release(changes); }
    [[nodiscard]] std::size_t answered() const {
        const std::lock_guard lock{mutex_};
        return answered_.size();
    }
    /// Returns when every change was answered.
    const std::vector<Acknowledged>& finish() {
        has_ended_ = true;
        allowed_.release(static_cast<std::ptrdiff_t>(threads_.size()));
        for (auto& thread : threads_) {
            thread.join();
        }
        threads_.clear();
        return answered_;
    }

private:
    void write(std::size_t client) {
        for (std::size_t at = 0; !has_ended_;) {
            allowed_.acquire();
            if (has_ended_) {
                return;
            }
            const std::string name = "t" + std::to_string(client) + "-" + std::to_string(at++);
            const Json request = addition_of(name);
            // The same request again, of whoever may lead by now.
            Answered found{.by = 0, .answer = {{"ok", false}}};
            const bool is_answered = until([&] {
                const auto answer = ask_leader(operators_, request, Clock::now() + paces(5));
                found = answer.value_or(found);
                return answer.has_value();
            });
            has_ended_ = has_ended_ || !is_answered;
            const std::lock_guard lock{mutex_};
            answered_.push_back({.request = request, .answer = found.answer});
        }
    }

    std::vector<std::string> operators_;
    std::counting_semaphore<> allowed_{0};
    std::atomic<bool> has_ended_{false};
    mutable std::mutex mutex_;
    std::vector<Acknowledged> answered_;
    std::vector<std::thread> threads_;
};

}  // namespace

// Goal: S1, S3: what was acknowledged is kept, a repetition gets the first answer, and no process
// is disturbed, whichever leader dies. Method: three coordinators, three members of etcd and two
// agents; kill -9 the leader after a random one of many changes, again and again, and now and then
// a member of etcd too.
TEST_CASE("acknowledged changes survive kill -9 of leaders and of members of etcd",
          "[integration][etcd][death][S1][S3]") {
    const auto kills = number_from("TEST_LEADER_KILLS", 10);
    constexpr int changes_each = 30;
    const auto seed = number_from("TEST_SEED", 1);
    CAPTURE(seed);
    std::mt19937_64 random{seed};
    EtcdServers servers{3};
    Coordinators coordinators{{.etcd = servers.section()}};
    Cluster cluster{{.nodes = {"n1", "n2"}, .coordinator = coordinators.agents()}};
    REQUIRE(coordinators
                .ask({{"verb", "apply"},
                      {"request_id", new_request_id()},
                      {"tasks", {cluster.task("keep", 2)}}})
                .at("ok") == true);
    const auto kept = cluster.pids("keep", 2);

    Writers writers{coordinators.operators(), 3};
    Clock::duration longest{};
    for (std::uint64_t kill = 0; kill < kills; ++kill) {
        CAPTURE(kill);
        const auto answered = writers.answered();
        writers.allow(changes_each);
        const std::size_t more = random() % changes_each;
        REQUIRE(until([&] { return writers.answered() > answered + more; }));
        const std::size_t member = kill / 3 % 3;
        if (kill % 3 == 1) {
            servers.kill(member);
        } else if (kill % 3 == 2) {
            servers.start(member);
        }
        const auto leader = coordinators.await_leader();
        const auto killed = Clock::now();
        coordinators.kill(leader);
        coordinators.start(leader);
        static_cast<void>(coordinators.await_leader());
        longest = std::max(longest, Clock::now() - killed);
    }
    const auto& answered = writers.finish();
    std::size_t lost = 0;
    const Json listed = coordinators.ask({{"verb", "task list"}, {"pattern", "t*"}}).at("tasks");
    for (const auto& [request, answer] : answered) {
        INFO(answer.dump());
        CHECK(answer.at("ok") == true);
        CHECK(coordinators.ask(request) == answer);
        const std::string name = request.at("task").at("name");
        const bool is_kept =
            std::ranges::any_of(listed, [&](const Json& one) { return one.at("name") == name; });
        lost += is_kept ? 0U : 1U;
    }
    CHECK(lost == 0);
    CHECK(listed.size() == answered.size());
    CHECK(coordinators.ask({{"verb", "wait"}, {"pattern", "keep"}}).at("ok") == true);
    CHECK(cluster.pids("keep", 2) == kept);
    std::printf(
        "leaders killed %llu, changes acknowledged %zu, lost %zu, longest without a leader %.2f "
        "s\n",
        static_cast<unsigned long long>(kills), answered.size(), lost,
        std::chrono::duration<double>(longest).count());
}

}  // namespace muster::integration
