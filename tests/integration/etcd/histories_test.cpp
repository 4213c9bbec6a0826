// What clients of several coordinators see.

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/faults/proxy.hpp"
#include "tests/integration/support/coordinators.hpp"
#include "tests/integration/support/etcd_servers.hpp"
#include "tests/integration/support/harness.hpp"
#include "tests/linearizability/linearizable.hpp"

namespace muster::integration {

namespace {

using namespace std::chrono_literals;
using linearizability::Operation;
using linearizability::Value;

constexpr std::size_t registers_at_once = 20;

/// The register is the number of instances of a task. No node serves, so none runs.
std::string register_name(std::uint64_t episode, std::size_t at) {
    return "e" + std::to_string(episode) + "r" + std::to_string(at);
}

linearizability::Moment moment() { return Clock::now().time_since_epoch().count(); }

/// Two clients that write and read at whoever leads, and one for each coordinator that reads there
/// only, so that nobody else saves it from an old answer.
class Clients {
public:
    Clients(std::vector<std::string> operators, std::uint64_t episode, std::uint64_t seed)
        : operators_{std::move(operators)}, episode_{episode}, random_{seed} {
        for (std::size_t client = 0; client < 2; ++client) {
            threads_.emplace_back([this, seed = random_()] { write_and_read(seed); });
        }
        for (const std::string& one : operators_) {
            threads_.emplace_back([this, one, seed = random_()] { read_at(one, seed); });
        }
    }
    ~Clients() { finish(); }
    Clients(const Clients&) = delete;
    Clients& operator=(const Clients&) = delete;

    [[nodiscard]] std::size_t answered() const { return answered_; }
    /// The history of each register.
    const std::array<std::vector<Operation>, registers_at_once>& finish() {
        has_ended_ = true;
        for (auto& thread : threads_) {
            thread.join();
        }
        threads_.clear();
        return histories_;
    }

private:
    void add(std::size_t at, const Operation& operation) {
        const std::lock_guard lock{mutex_};
        histories_.at(at).push_back(operation);
        answered_ += operation.answered ? 1 : 0;
    }

    void read(std::size_t at, const std::vector<std::string>& of, Deadline deadline) {
        const auto called = moment();
        const auto found = ask_leader(
            of, {{"verb", "task show"}, {"name", register_name(episode_, at)}}, deadline);
        if (found && found->answer.at("ok") == true) {
            add(at, {.value = found->answer.at("wanted").at("instances").get<Value>(),
                     .called = called,
                     .answered = moment()});
        }
    }

    /// Half of the registers get each value once, so that an old one is seen as such. The others
    /// get few values, so that many writes change nothing.
    void write(std::size_t at, std::mt19937_64& random) {
        const auto value = static_cast<Value>(at % 2 == 0 ? ++values_.at(at) % 200 : random() % 3);
        const Json request{{"verb", "task scale"},
                           {"request_id", new_request_id()},
                           {"pattern", register_name(episode_, at)},
                           {"instances", value}};
        const bool is_patient = random() % 8 != 0;
        Operation operation{.is_write = true, .value = value, .called = moment()};
        do {
            const auto found = ask_leader(operators_, request, Clock::now() + paces(2));
            if (found && found->answer.at("ok") == true) {
                operation.answered = moment();
            }
        } while (is_patient && !operation.answered && !has_ended_);
        add(at, operation);
    }

    void write_and_read(std::uint64_t seed) {
        std::mt19937_64 random{seed};
        while (!has_ended_) {
            const std::size_t at = random() % registers_at_once;
            if (random() % 2 == 0) {
                write(at, random);
            } else {
                read(at, operators_, Clock::now() + paces(2));
            }
        }
    }

    void read_at(const std::string& one, std::uint64_t seed) {
        std::mt19937_64 random{seed};
        while (!has_ended_) {
            read(random() % registers_at_once, {one}, Clock::now() + paces(30));
        }
    }

    std::vector<std::string> operators_;
    std::uint64_t episode_;
    std::mt19937_64 random_;
    std::atomic<bool> has_ended_{false};
    std::atomic<std::size_t> answered_{0};
    std::array<std::atomic<std::uint64_t>, registers_at_once> values_{};
    std::mutex mutex_;  ///< Guards what follows.
    std::array<std::vector<Operation>, registers_at_once> histories_;
    std::vector<std::thread> threads_;
};

/// The wires between each coordinator and each member of etcd.
class Wires {
public:
    Wires(const EtcdServers& servers, std::size_t coordinators) : of_{coordinators} {
        for (auto& wires : of_) {
            for (const std::string& member : servers.endpoints()) {
                wires.push_back(std::make_unique<faults::Proxy>("tcp://" + member));
            }
        }
    }
    /// The sections [etcd] of the coordinators.
    [[nodiscard]] std::vector<std::string> sections() const {
        std::vector<std::string> all;
        for (const auto& wires : of_) {
            std::vector<std::string> endpoints;
            for (const auto& wire : wires) {
                endpoints.push_back(wire->endpoint().substr(std::string{"tcp://"}.size()));
            }
            all.push_back(EtcdServers::section("/muster/test", endpoints));
        }
        return all;
    }
    void cut(std::size_t coordinator) {
        for (auto& wire : of_.at(coordinator)) {
            wire->stall(faults::Proxy::Way::both);
        }
    }
    void heal(std::size_t coordinator) {
        for (auto& wire : of_.at(coordinator)) {
            wire->heal();
        }
    }

private:
    std::vector<std::vector<std::unique_ptr<faults::Proxy>>> of_;
};

/// What happens to a cluster while clients use it.
class Faults {
public:
    static constexpr std::size_t kinds = 6;

    Faults(EtcdServers& servers, Wires& wires, Coordinators& coordinators, std::mt19937_64& random)
        : servers_{servers}, wires_{wires}, coordinators_{coordinators}, random_{random} {}

    void happen(std::uint64_t kind) {
        const std::size_t leader = coordinators_.await_leader();
        switch (kind % kinds) {
            case 0: coordinators_.kill(leader); break;
            case 1: pause_until_another_leads(leader); break;
            case 2: pause_members(1, 1'000); break;
            case 3: pause_members(2, 3'000); break;
            case 4:
                wires_.cut(leader);
                await_another(leader);
                wires_.heal(leader);
                break;
            default:
                servers_.kill(0);
                pause_until_another_leads(leader);
                servers_.start(0);
                break;
        }
        static_cast<void>(coordinators_.await_leader());
    }

private:
    void pause_until_another_leads(std::size_t leader) {
        coordinators_.pause(leader);
        await_another(leader);
        coordinators_.resume(leader);
    }

    /// And for a moment more.
    void await_another(std::size_t leader) {
        const bool is_followed = until([&] {
            const auto now = coordinators_.leader();
            return now && *now != leader;
        });
        CHECK(is_followed);
        std::this_thread::sleep_for(std::chrono::milliseconds{random_() % 300});
    }

    void pause_members(std::size_t count, std::uint64_t at_most_ms) {
        const std::size_t first = random_() % 3;
        for (std::size_t at = 0; at < count; ++at) {
            servers_.signal((first + at) % 3, SIGSTOP);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{random_() % at_most_ms});
        for (std::size_t at = 0; at < count; ++at) {
            servers_.signal((first + at) % 3, SIGCONT);
        }
    }

    EtcdServers& servers_;
    Wires& wires_;
    Coordinators& coordinators_;
    std::mt19937_64& random_;
};

}  // namespace

// Goal: nobody reads what was true once. Method: a leader that is paused with many requests at hand
// goes on when another one leads, and has changed the task; meanwhile a client asked it again.
TEST_CASE("a leader that goes on after its lease has ended answers no read",
          "[integration][etcd][S5]") {
    const EtcdServers servers;
    Coordinators coordinators{{.count = 2, .etcd = servers.section()}};
    REQUIRE(coordinators
                .ask({{"verb", "task add"},
                      {"request_id", new_request_id()},
                      {"task", {{"name", "r"}, {"instances", 1}, {"argv", {"/bin/true"}}}}})
                .at("ok") == true);
    const std::string show = R"({"verb": "task show", "name": "r"})";
    const auto old = coordinators.await_leader();
    Client before{zmq::socket_type::dealer, coordinators.endpoints(old).operators};
    Client reader{zmq::socket_type::dealer, coordinators.endpoints(old).operators};
    reader.send(show);
    REQUIRE(reader.receive());
    for (int at = 0; at < 500; ++at) {
        before.send(show);
    }
    coordinators.pause(old);
    REQUIRE(until([&] {
        const auto leader = coordinators.leader();
        return leader && *leader != old;
    }));
    REQUIRE(coordinators
                .ask({{"verb", "task scale"},
                      {"request_id", new_request_id()},
                      {"pattern", "r"},
                      {"instances", 2}})
                .at("ok") == true);
    reader.send(show);
    coordinators.resume(old);
    const auto answer = reader.receive_or(coordinators.process(old).pidfd());
    if (const auto late = answer ? answer : reader.receive(Clock::now())) {
        CHECK_FALSE(is_of_leader(Json::parse(late->back())));
    }
    CHECK(until([&] { return contains(coordinators.log_of(old), "leadership is over"); }));
}

// Goal: several coordinators look like one to their clients. Method: five clients write and read
// registers while a leader is killed, is paused and goes on, or is cut off from etcd, or members of
// etcd are paused or killed; each register's history is judged.
TEST_CASE("what clients see through faults is linearizable", "[integration][etcd][S1][S5]") {
    const auto wanted = number_from("TEST_HISTORIES", Faults::kinds * registers_at_once);
    const auto seed = number_from("TEST_SEED", 1);
    CAPTURE(seed);
    std::mt19937_64 random{seed};
    EtcdServers servers{3};
    Wires wires{servers, 3};
    Coordinators coordinators{{.etcd_of = wires.sections()}};
    Faults faults{servers, wires, coordinators, random};
    std::size_t judged = 0;
    std::size_t operations = 0;
    std::size_t violations = 0;
    for (std::uint64_t episode = 0; judged < wanted; ++episode) {
        CAPTURE(episode);
        std::vector<Json> tasks;
        for (std::size_t at = 0; at < registers_at_once; ++at) {
            tasks.push_back(
                {{"name", register_name(episode, at)}, {"instances", 0}, {"argv", {"/bin/true"}}});
        }
        REQUIRE(coordinators
                    .ask({{"verb", "apply"},
                          {"request_id", new_request_id()},
                          {"replace", true},
                          {"force", true},
                          {"tasks", tasks}})
                    .at("ok") == true);
        Clients clients{coordinators.operators(), episode, random()};
        const auto some_answered = [&] {
            const auto before = clients.answered();
            return until([&] { return clients.answered() > before + 20 * registers_at_once; });
        };
        REQUIRE(some_answered());
        faults.happen(episode);
        REQUIRE(some_answered());
        for (const auto& history : clients.finish()) {
            operations += history.size();
            ++judged;
            violations += linearizability::is_linearizable(history, 0) ? 0U : 1U;
        }
        CHECK(violations == 0);
    }
    std::printf("histories %zu, operations %zu, violations %zu\n", judged, operations, violations);
}

}  // namespace muster::integration
