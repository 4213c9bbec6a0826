#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/agent.hpp"

/// An agent's core in virtual time. The test controls its disk and its processes.
namespace muster::agent::testing {

inline const ClusterId ours{1, 1};
inline const ClusterId theirs{9, 9};
inline const InstanceId web0{"web", 0};
inline const InstanceId web1{"web", 1};

inline TaskSpec sleeper() {
    TaskSpec spec;
    spec.argv = {"sleep", "1000"};
    return spec;
}

struct NodeOptions {
    AgentMemory memory{};
    bool disk_answers = true;      ///< At once.
    bool journal_answers = true;   ///< At once.
    bool processes_answer = true;  ///< At once.
    CheckOptions check{};
    Offer offer{};
    std::vector<LimitFact> limits{};
    std::string made_key{};
    RecoveredState recovered{};  ///< What an earlier life left, except its memory, which is above.
};

class Node {
public:
    explicit Node(const NodeOptions& options = {})
        : options_{options}, agent_{now_, agent_options(options), recovered()} {
        on_output(agent_.step(now_, AgentWake{}));
    }

    // ---- time ----

    void pass(Duration time) {
        const Instant end = now_ + time;
        while (agent_.next_deadline() <= end) {
            now_ = std::max(now_, agent_.next_deadline());
            on_output(agent_.step(now_, AgentWake{}));
        }
        now_ = end;
    }
    /// Time passes without an input, because the host or the agent is suspended.
    void sleep(Duration time) { now_ += time; }
    [[nodiscard]] Instant now() const { return now_; }
    [[nodiscard]] const AgentMemory& memory() const { return agent_.memory(); }

    // ---- the coordinator's side ----

    template <class Message>
    void deliver(const Message& message) {
        FromCoordinator event;
        event.message.emplace<Message>(message);
        on_output(agent_.step(now_, event));
    }
    void welcome() {
        Welcome message;
        message.cluster = cluster;
        message.epoch = epoch;
        message.leader = leader;
        message.incarnation = agent_.memory().incarnation;
        message.round_ms = 1000;
        deliver(message);
    }
    void poll(Revision seen = {}, Sequence issued = {}, bool check = false,
              bool renew_key = false) {
        round_ = next(round_);
        const Poll message{epoch, round_,   agent_.memory().incarnation, seen, issued, check,
                           {},    renew_key};
        deliver(message);
    }
    /// The agent's host facts in its answer to a poll.
    HostFacts host(bool check = false) {
        poll({}, {}, check);
        return last<Report>()->host;
    }
    /// A leader welcomes and polls the agent, and receives its complete report.
    void join() {
        welcome();
        poll();
        messages.clear();
    }
    Batch batch() {
        Batch message;
        message.cluster = cluster;
        message.epoch = epoch;
        message.leader = leader;
        message.incarnation = agent_.memory().incarnation;
        message.sequence = sequence_ = next(sequence_);
        message.counter = Generation{raw(epoch) * 100};
        return message;
    }
    Batch start_batch(const InstanceId& id, std::uint64_t generation,
                      const TaskSpec& spec = sleeper()) {
        Batch message = batch();
        message.specs.push_back({id.task, Generation{generation}, spec});
        message.starts.push_back({id, Generation{generation}, digest_of(spec)});
        return message;
    }
    void start(const InstanceId& id, std::uint64_t generation, const TaskSpec& spec = sleeper()) {
        deliver(start_batch(id, generation, spec));
    }
    Batch stop_batch(const InstanceId& id, std::uint64_t generation) {
        Batch message = batch();
        message.stops.push_back({id, Generation{generation}});
        return message;
    }
    void stop(const InstanceId& id, std::uint64_t generation) {
        deliver(stop_batch(id, generation));
    }

    // ---- the host's side ----

    void ended(ProcessId process, int exit_code, int exit_signal = 0) {
        on_output(agent_.step(now_, ProcessEnded{process, exit_code, exit_signal}));
    }
    void input(const AgentInput& what) { on_output(agent_.step(now_, what)); }
    ProcessId last_process() const { return spawns.empty() ? ProcessId{} : spawns.back().process; }

    // ---- looking ----

    template <class Message>
    std::optional<Message> last() const {
        const auto found = std::find_if(
            messages.rbegin(), messages.rend(),
            [](const AgentMessage& message) { return std::holds_alternative<Message>(message); });
        return found == messages.rend() ? std::nullopt : std::optional{std::get<Message>(*found)};
    }
    template <class Message>
    std::size_t count() const {
        return static_cast<std::size_t>(std::count_if(
            messages.begin(), messages.end(),
            [](const AgentMessage& message) { return std::holds_alternative<Message>(message); }));
    }
    std::optional<InstanceReport> instance(const InstanceId& id) const {
        for (const auto& local : agent_.instances()) {
            if (local.report.id == id) {
                return local.report;
            }
        }
        return std::nullopt;
    }
    std::string state(const InstanceId& id) const {
        const auto report = instance(id);
        return report ? std::string{to_string(report->state)} : "unknown";
    }
    Agent& agent() { return agent_; }

    ClusterId cluster = ours;
    Epoch epoch{5};
    LeaderId leader{5, 5};

    // All outputs so far, in order.
    std::vector<AgentMessage> messages;
    std::vector<Spawn> spawns;
    std::vector<Spawn> checks;
    std::vector<Ask> asks;
    std::vector<End> ends;
    std::vector<Renewal> renewals;
    std::vector<SignalTo> signals;
    std::vector<Reading> readings;
    std::vector<Release> releases;
    std::vector<JournalWrite> journal;
    std::vector<InstanceId> left;
    std::vector<AgentMemory> memories;
    std::vector<KeyOrder> key_orders;
    bool finished = false;

private:
    static AgentOptions agent_options(const NodeOptions& options) {
        return {.name = "n1",
                .life = {3, 3},
                .boot = {4, 4},
                .version = "test",
                .seed = 1,
                .offer = options.offer,
                .check = options.check,
                .limits = options.limits,
                .made_key = options.made_key};
    }
    [[nodiscard]] RecoveredState recovered() const {
        RecoveredState recovered = options_.recovered;
        recovered.memory = options_.memory;
        recovered.memory.incarnation = next(recovered.memory.incarnation);
        return recovered;
    }

    void on_output(AgentOutput output) {
        std::deque<AgentInput> answers;
        const auto keep = [&](AgentOutput& out) {
            std::ranges::copy(out.messages, std::back_inserter(messages));
            std::ranges::copy(out.processes.asks, std::back_inserter(asks));
            std::ranges::copy(out.processes.ends, std::back_inserter(ends));
            std::ranges::copy(out.processes.renewals, std::back_inserter(renewals));
            std::ranges::copy(out.signals, std::back_inserter(signals));
            std::ranges::copy(out.readings, std::back_inserter(readings));
            std::ranges::copy(out.processes.releases, std::back_inserter(releases));
            std::ranges::copy(out.left, std::back_inserter(left));
            finished = finished || out.finished;
            if (out.key) {
                key_orders.push_back(*out.key);
            }
            if (out.remember) {
                memories.push_back(*out.remember);
                if (options_.disk_answers) {
                    answers.emplace_back(Remembered{});
                }
            }
            if (out.journal) {
                journal.push_back(*out.journal);
                if (options_.journal_answers) {
                    answers.emplace_back(Journaled{});
                }
            }
            std::ranges::copy(out.checks, std::back_inserter(checks));
            for (const auto& spawn : out.processes.spawns) {
                spawns.push_back(spawn);
                if (options_.processes_answer) {
                    answers.emplace_back(ProcessStarted{spawn.process, CivilMs{1'000}, {77, 5}});
                }
            }
        };
        keep(output);
        while (!answers.empty()) {
            AgentOutput more = agent_.step(now_, answers.front());
            answers.pop_front();
            keep(more);
        }
    }

    NodeOptions options_;
    Instant now_{1h};
    Agent agent_;
    Round round_{};
    Sequence sequence_{};
};

}  // namespace muster::agent::testing
