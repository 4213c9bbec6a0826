#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/faults/traced.hpp"
#include "tests/integration/support/harness.hpp"

// An agent that is killed before each of its acts in turn. Its next life has only what it wrote,
// started, stopped and sent by then.
namespace muster::faults {

namespace {

using integration::Cluster;
using integration::Json;
using integration::soon;
using integration::text_of;
using integration::until;

/// A node whose agent is killed again and again. Each round has a task that stays, one that is
/// replaced, one that is removed, one that is added, and one that runs once.
class Rounds {
public:
    Rounds() {
        cluster_.apply({stays_});
        REQUIRE(cluster_.wait("stays"));
        pids_ = cluster_.pids("stays", 1);
        cluster_.kill_agent("n1");
        begin_life();
    }
    ~Rounds() {
        agent_.reset();
        cluster_.start_agent("n1");
    }
    Rounds(const Rounds&) = delete;
    Rounds& operator=(const Rounds&) = delete;

    void begin_life() {
        known_ = incarnation();
        agent_ = std::make_unique<Traced>(cluster_.agent_command("n1"));
    }
    [[nodiscard]] Traced& agent() { return *agent_; }

    /// Applies the old tasks before the change under test.
    void prepare() {
        ++round_;
        cluster_.apply({stays_, task("changes", "before"), task("goes", "before")}, true);
        await_convergence();
    }
    /// Applies the change. This agent completes it or only begins it.
    void change() {
        cluster_.apply({stays_, task("changes", "after"), task("comes", "after"), job()}, true);
    }
    /// Waits until the agent is dead or the cluster has converged.
    [[nodiscard]] bool is_over() {
        return until([&] { return agent_->has_ended() || has_converged(); });
    }
    void await_convergence() {
        const bool converges = until([&] { return has_converged(); });
        CAPTURE(cluster_.ask({{"verb", "task list"}}).dump());
        CAPTURE(cluster_.ask({{"verb", "node show"}, {"name", "n1"}}).dump());
        REQUIRE(converges);
    }
    /// What must hold in each life of the agent.
    void check() {
        await_convergence();
        CHECK(cluster_.pids("stays", 1) == pids_);
        CHECK(cluster_.pids("changes", 1).size() == 1);
        CHECK(cluster_.pids("comes", 1).size() == 1);
        CHECK(cluster_.tasks("goes").empty());
        for (const char* const name : {"stays", "changes", "comes"}) {
            CHECK(cluster_.instances_of(name).front().at("restarts") == 0);
        }
        CHECK(until(
            [&] { return cluster_.instances_of(job_name()).front().at("state") == "exited"; }));
        CHECK(text_of(cluster_.directory() + '/' + job_name()) == "ran\n");
        // The shims of all other instances were released.
        CHECK(until([&] { return cluster_.shims_of("n1").size() == 3; }));
    }

private:
    [[nodiscard]] std::uint64_t incarnation() const {
        return cluster_.node("n1").at("incarnation").get<std::uint64_t>();
    }
    /// The agent has reported in its present life, and the cluster has converged.
    [[nodiscard]] bool has_converged() const {
        // So many restarts in a short time correctly suspend the node, so the test forgives it.
        static_cast<void>(cluster_.ask({{"verb", "node forgive"}, {"pattern", "n1"}}));
        return incarnation() > known_ && cluster_.status().at("serving") == 1 &&
               cluster_.status().at("converged").get<bool>();
    }
    [[nodiscard]] std::string job_name() const { return "job-" + std::to_string(round_); }
    [[nodiscard]] Json task(const std::string& name, const std::string& word) const {
        auto made = cluster_.task(name, 1);
        made["env"]["ROUND"] = word + std::to_string(round_);
        made["grace_ms"] = 1000;
        return made;
    }
    [[nodiscard]] Json job() const {
        auto made = cluster_.task(
            job_name(), 1,
            {"/bin/sh", "-c", "echo ran >> " + cluster_.directory() + '/' + job_name()});
        made["restart"] = "never";
        return made;
    }

    Cluster cluster_{{.nodes = {"n1"}, .round = integration::pace() / 2}};
    Json stays_ = cluster_.task("stays", 1);
    std::vector<pid_t> pids_;
    int round_ = 0;
    std::uint64_t known_ = 0;  // The incarnation of the previous life.
    std::unique_ptr<Traced> agent_;
};

std::map<std::string, std::size_t> counted(const std::vector<std::string>& acts) {
    std::map<std::string, std::size_t> kinds;
    for (const std::string& act : acts) {
        ++kinds[act];
    }
    return kinds;
}

}  // namespace

// Method: count the acts of a whole change by kind. Then, in one round for each act, kill the agent
// before it. The counts differ a little from round to round.
TEST_CASE(
    "an agent that is killed before any act of a change completes the change in its next life",
    "[integration][faults][S14][S15]") {
    Rounds rounds;
    rounds.prepare();
    rounds.agent().kill_before(0);
    rounds.change();
    REQUIRE(rounds.is_over());
    rounds.check();
    const auto kinds = counted(rounds.agent().acts());
    std::map<std::string, std::size_t> killed;
    for (const auto& [kind, count] : kinds) {
        for (std::size_t act = 1; act <= count; ++act) {
            rounds.prepare();
            rounds.agent().kill_before(act, kind);
            rounds.change();
            REQUIRE(rounds.is_over());
            CAPTURE(kind, act, rounds.agent().acts());
            killed[kind] += rounds.agent().has_ended() ? 1U : 0U;
            rounds.begin_life();
            rounds.check();
        }
    }
    CAPTURE(kinds, killed);
    for (const auto* const kind :
         {"write journal-wal", "sync journal-wal", "fork", "send socket", "connect socket"}) {
        CAPTURE(kind);
        CHECK(killed[kind] > 0);
    }
}

TEST_CASE(
    "an agent that is killed while it adopts instances completes the adoption in its next life",
    "[integration][faults][S14][S15]") {
    Rounds rounds;
    for (std::size_t act = 1;; ++act) {
        rounds.prepare();
        rounds.agent().kill_before(0);
        rounds.change();
        REQUIRE(rounds.is_over());
        rounds.agent().kill();
        REQUIRE(until([&] { return rounds.agent().has_ended(); }));
        rounds.begin_life();
        rounds.agent().kill_before(act);
        REQUIRE(rounds.is_over());
        if (!rounds.agent().has_ended()) {
            rounds.check();
            break;
        }
        CAPTURE(act, rounds.agent().acts());
        rounds.begin_life();
        rounds.check();
    }
}

}  // namespace muster::faults
