#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/agent.hpp"
#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/targets.hpp"

// An agent's core whose inputs are chosen by bytes. They can lie as a coordinator, but not as the
// host, because the agent trusts its own disk and executor.
namespace muster::fuzz {
namespace {

constexpr ClusterId our_cluster{1, 1};
constexpr LeaderId our_leader{5, 5};

agent::AgentMemory remembered_at_start() {
    agent::AgentMemory memory;
    memory.incarnation = Incarnation{1};
    return memory;
}

class AgentUnderFuzz {
public:
    AgentUnderFuzz()
        : agent_{now_,
                 {.name = "n1", .life = {3, 3}, .boot = {4, 4}, .version = "1.0"},
                 {.memory = remembered_at_start(), .journal = {}, .found = {}}} {
        apply(agent_.step(now_, agent::AgentWake{}));
    }

    [[nodiscard]] bool is_finished() const { return is_finished_; }

    /// Does the action that the next bytes choose.
    void act(Bytes& input) {
        switch (input.byte() % 20) {
            case 0: return deliver_bytes(input.chunk());
            case 1: return deliver(welcome(input.byte()));
            case 2:
            case 3: return deliver(poll(input));
            case 4:
            case 5:
            case 6: return deliver(start_batch(input));
            case 7: return deliver(stop_batch(input));
            case 8: return pass(Duration{std::chrono::milliseconds{input.number(2)}});
            case 9: return answer_memory(input.byte() % 4 != 0);
            case 10:
            case 11: return answer_journal(input.byte() % 4 != 0);
            case 12: return process_started(input.byte());
            case 13: return process_not_started(input.byte());
            case 14: return process_ended(input.byte(), input.byte());
            case 15: return observe(input);
            case 16: return deliver(call(input));
            case 17: return pass(Duration{std::chrono::seconds{input.byte() % 64}});
            case 18: return leave(input.byte());
            default: return answer_all();
        }
    }

private:
    void apply(agent::AgentOutput output) {
        if (output.remember) {
            ensure(!is_remembering_, "one memory is written at a time");
            is_remembering_ = true;
        }
        if (output.journal) {
            ensure(!is_journaling_, "one write of the journal at a time");
            is_journaling_ = true;
            for (const auto& image : output.journal->instances) {
                noted_.insert(image.process);
            }
        }
        for (const auto& spawn : output.processes.spawns) {
            ensure(noted_.contains(spawn.process), "a process is noted before it is made");
            ensure(!is_journaling_ || written_.contains(spawn.process), "and that is on disk");
            ensure(made_.insert(spawn.process).second, "a process is made once");
            starting_.push_back(spawn.process);
        }
        for (const auto& check : output.checks) {
            ensure(made_.insert(check.process).second, "a check is made once");
            starting_.push_back(check.process);
        }
        for (const auto& ask : output.processes.asks) {
            ensure(made_.contains(ask.process), "what is asked about was made");
        }
        for (const auto& end : output.processes.ends) {
            ensure(made_.contains(end.process), "what is ended was made");
        }
        for (const auto& message : output.messages) {
            codec::encode(message, encoded_);
            ensure(codec::decode(encoded_, decoded_).has_value() && decoded_ == message,
                   "a coordinator can read what an agent writes");
        }
        is_finished_ = is_finished_ || output.finished;
    }

    void give(const agent::AgentInput& input) { apply(agent_.step(now_, input)); }
    void deliver(CoordinatorMessage message) { give(agent::FromCoordinator{std::move(message)}); }
    void deliver_bytes(std::string_view bytes) {
        CoordinatorMessage message;
        if (codec::decode(bytes, message)) {
            deliver(std::move(message));
        }
    }

    [[nodiscard]] CoordinatorMessage welcome(std::uint8_t epoch) {
        epoch_ = Epoch{1 + epoch % 4U};
        return Welcome{our_cluster, epoch_, our_leader, agent_.memory().incarnation, 1000};
    }
    [[nodiscard]] CoordinatorMessage poll(Bytes& input) {
        round_ = next(round_);
        const auto bits = input.byte();
        Poll poll{epoch_, round_, agent_.memory().incarnation, Revision{input.byte()}, {}};
        poll.check = (bits & 1U) != 0;
        poll.lease = BootMs{(bits & 2U) != 0 ? input.number(3) : 0};
        return poll;
    }
    [[nodiscard]] Batch batch(std::uint8_t bits) {
        sequence_ = (bits & 1U) != 0 ? sequence_ : next(sequence_);
        Batch batch;
        batch.cluster = our_cluster;
        batch.epoch = epoch_;
        batch.leader = our_leader;
        batch.incarnation = agent_.memory().incarnation;
        batch.sequence = sequence_;
        batch.counter = Generation{100};
        return batch;
    }
    [[nodiscard]] static InstanceId instance_of(std::uint8_t byte) {
        return {(byte & 1U) != 0 ? "db" : "web", (byte / 2U) % 3U};
    }
    [[nodiscard]] CoordinatorMessage start_batch(Bytes& input) {
        const auto bits = input.byte();
        Batch all = batch(bits >> 7U);
        const InstanceId id = instance_of(bits);
        const Generation generation{1 + input.byte() % 8U};
        TaskSpec spec;
        spec.argv = {"serve"};
        spec.exclusive = (bits & 16U) != 0;
        spec.restart.policy = static_cast<RestartPolicy>((bits >> 5U) % 3U);
        all.starts.push_back({id, generation, digest_of(spec)});
        if (spec.exclusive) {
            all.starts.back().lease = BootMs{input.number(3)};
            all.starts.back().token = 1 + input.byte();
        }
        all.specs.push_back({id.task, generation, std::move(spec)});
        return all;
    }
    [[nodiscard]] CoordinatorMessage stop_batch(Bytes& input) {
        const auto bits = input.byte();
        Batch all = batch(bits >> 7U);
        all.stops.push_back({instance_of(bits), Generation{1 + input.byte() % 8U}});
        return all;
    }
    [[nodiscard]] CoordinatorMessage call(Bytes& input) {
        const AgentCallStamp stamp{epoch_, agent_.memory().incarnation,
                                   AgentCallNumber{input.byte()}};
        const auto bits = input.byte();
        if (bits % 3U == 0) {
            return Measure{stamp};
        }
        if (bits % 3U == 1) {
            ReadLog read{};
            read.stamp = stamp;
            read.id = instance_of(bits);
            return read;
        }
        return SendSignal{stamp, (bits & 64U) != 0 ? "HUP" : "KILL", {instance_of(bits)}};
    }

    void pass(Duration time) {
        const Instant end = now_ + time;
        for (int wakes = 0; !is_finished_ && agent_.next_deadline() <= end; ++wakes) {
            ensure(wakes < 100'000, "time advances");
            now_ = std::max(now_, agent_.next_deadline());
            give(agent::AgentWake{});
        }
        now_ = end;
    }
    void answer_memory(bool is_written) {
        if (std::exchange(is_remembering_, false)) {
            is_written ? give(agent::Remembered{}) : give(agent::RememberFailed{"no space"});
        }
    }
    void answer_journal(bool is_written) {
        if (std::exchange(is_journaling_, false)) {
            if (is_written) {
                written_.insert(noted_.begin(), noted_.end());
            }
            is_written ? give(agent::Journaled{}) : give(agent::JournalFailed{"no space"});
        }
    }
    void answer_all() {
        for (int rounds = 0; (is_remembering_ || is_journaling_) && rounds < 8; ++rounds) {
            answer_memory(true);
            answer_journal(true);
        }
    }
    [[nodiscard]] agent::ProcessId take_one(std::vector<agent::ProcessId>& from,
                                            std::size_t choice) {
        if (from.empty()) {
            return {};
        }
        const auto at = from.begin() + static_cast<std::ptrdiff_t>(choice % from.size());
        const agent::ProcessId process = *at;
        from.erase(at);
        return process;
    }
    void process_started(std::uint8_t choice) {
        if (const auto process = take_one(starting_, choice); process != agent::ProcessId{}) {
            running_.push_back(process);
            give(agent::ProcessStarted{process, CivilMs{1'000}, {77, 5}});
        }
    }
    void process_not_started(std::uint8_t bits) {
        if (const auto process = take_one(starting_, bits / 4U); process != agent::ProcessId{}) {
            give(agent::ProcessNotStarted{process, (bits & 1U) != 0, (bits & 2U) != 0,
                                          "no such file"});
        }
    }
    void process_ended(std::uint8_t choice, std::uint8_t code) {
        if (const auto process = take_one(running_, choice); process != agent::ProcessId{}) {
            agent::ProcessEnded end{.process = process};
            end.exit_code = static_cast<std::int32_t>(code % 4U);
            end.by_order = (code & 4U) != 0;
            end.unseen = (code & 8U) != 0;
            end.out_of_memory = (code & 16U) != 0;
            give(end);
        }
    }
    void observe(Bytes& input) {
        if (input.byte() % 2 == 0) {
            give(agent::HostObserved{static_cast<std::uint32_t>(input.number(4)), input.number(5),
                                     input.number(5),
                                     CivilMs{static_cast<std::int64_t>(input.number(6))}});
        } else {
            give(agent::DiskObserved{input.number(5), input.number(5), input.number(3),
                                     input.number(3)});
        }
    }
    void leave(std::uint8_t how) {
        if (how % 8 == 0) {
            give(agent::Leave{});
        } else if (how % 8 == 1) {
            give(agent::ShutDown{});
        }
    }

    Instant now_{1h};
    agent::Agent agent_;
    Epoch epoch_{1};
    Round round_{};
    Sequence sequence_{};
    bool is_remembering_ = false;
    bool is_journaling_ = false;
    bool is_finished_ = false;
    std::set<agent::ProcessId> noted_;    // In a write of the journal,
    std::set<agent::ProcessId> written_;  // whose write is done.
    std::set<agent::ProcessId> made_;
    std::vector<agent::ProcessId> starting_;
    std::vector<agent::ProcessId> running_;
    std::string encoded_;
    AgentMessage decoded_;
};

}  // namespace

void fuzz_agent_core(std::string_view input) {
    AgentUnderFuzz agent;
    for (Bytes bytes{input}; !bytes.is_empty() && !agent.is_finished();) {
        agent.act(bytes);
    }
}

}  // namespace muster::fuzz
