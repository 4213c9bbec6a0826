#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/random.hpp"
#include "sim/faults/byzantine.hpp"
#include "sim/model/world.hpp"

namespace muster::sim {

/// The argv of a simulated task says what its process does:
///
///     stubborn           ignores every signal except SIGKILL
///     exit CODE MS       ends by itself after this many milliseconds
///     missing            cannot be executed
///     serve, or another  runs until it is ordered to end
[[nodiscard]] TaskSpec serving();
/// True if its processes run until they are ordered to end.
[[nodiscard]] bool stays(const TaskSpec& spec);

/// One worker host: its power, its agent's daemon with the real core, the agent's disk with memory
/// and journal, and its processes, each below a shim that outlives the agent. The daemon follows
/// the executor's contract: when an agent starts, it finds the existing shims.
class AgentHost {
public:
    AgentHost(World& world, HostIndex index, std::string label, std::string agent_name);

    // Power and daemon.
    void boot(Instant now);
    void kill_power(Instant now);
    /// Nobody turns the power on again.
    void scrap() { scrapped_ = true; }
    void crash(Instant now);
    void start_daemon(Instant now);
    void leave(Instant now) { on_input(now, agent::Leave{}); }
    void shut_down(Instant now);
    /// Kills the shim of the first process that runs. False: there is none.
    bool kill_shim(Instant now);
    void pause() { paused_ = true; }
    void resume(Instant now);
    /// Pauses the whole host with its shims, until go_on().
    void halt(Instant now);
    void go_on(Instant now);
    void lose_disk();
    /// The offer that its agent sends from its next life on.
    void set_offer(Offer offer) { offer_ = std::move(offer); }
    void set_ready(bool ready) { ready_ = ready; }
    /// The host is byzantine until it is scrapped. It does not hide what it has now.
    void falsify(ReportFalsification manner);
    [[nodiscard]] bool is_byzantine() const { return manner_ != ReportFalsification::none; }
    /// It may run there, but the host does not report it.
    [[nodiscard]] bool hides(const InstanceId& id, Generation generation) const {
        const bool is_hidden =
            manner_ == ReportFalsification::swallows || manner_ == ReportFalsification::by_turns;
        return is_hidden && !shown_.contains({id, generation});
    }
    /// Whether its disk is full. The agent notices when it observes the disk.
    void set_full(bool full) {
        full_ = full;
        observes_ = true;
    }
    /// How far its civil clock is ahead. The agent notices when it observes the host.
    void set_clock(Duration ahead) {
        clock_ahead_ = ahead;
        observes_ = true;
    }
    void break_spawns(bool broken) { spawns_broken_ = broken; }
    void break_disk(bool broken) { disk_broken_ = broken; }
    /// Ends the random faults of the options. An agent that was ordered to end is started again.
    void calm() {
        faulty_ = spawns_broken_ = disk_broken_ = false;
        ready_ = true;
        full_ = false;
        clock_ahead_ = {};
    }
    [[nodiscard]] bool is_fault_free() const {
        return ready_ && !full_ && !spawns_broken_ && !disk_broken_ && clock_ahead_ == Duration{};
    }

    /// The key that its next connections prove.
    void set_key(const PublicKey& key) { key_ = key; }

    // Deadlines.
    void begin(Instant now, std::uint64_t life);
    void wake(Instant now, std::uint64_t life);
    void written(Instant now, const DiskDone& done);
    void spawned(Instant now, const SpawnDone& done);
    void checked(Instant now, const CheckDone& done);
    void lease_due(Instant now, const LeaseDue& due);
    void receive(Instant now, const Delivery& delivery);
    /// The process is gone already, and its shim reports that.
    void process_ended(Instant now, const Process& process, const ProcessDone& done);

    /// The bytes of the last batch that it got, or of the one `back` before.
    [[nodiscard]] const std::string& old_batch(std::size_t back) const;
    /// Not before the agent knows that the process began.
    [[nodiscard]] Instant earliest_end(Instant now, const Process& process) const;
    [[nodiscard]] bool has_old_batch() const { return !batches_.empty(); }

    [[nodiscard]] const std::string& label() const { return label_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const PublicKey& key() const { return key_; }
    [[nodiscard]] bool is_up() const { return core_ != nullptr; }
    [[nodiscard]] bool is_powered() const { return powered_; }
    [[nodiscard]] bool is_scrapped() const { return scrapped_; }
    [[nodiscard]] bool is_paused() const { return paused_; }
    [[nodiscard]] bool is_halted() const { return is_halted_; }
    [[nodiscard]] bool is_ready() const { return ready_; }
    [[nodiscard]] bool is_full() const { return full_; }
    [[nodiscard]] const Offer& offer() const { return offer_; }
    [[nodiscard]] const agent::AgentMemory& disk() const { return disk_; }
    [[nodiscard]] const agent::Agent* core() const { return core_.get(); }

private:
    /// The shim of one process, and what it has reported to the present agent.
    struct Shim {
        std::uint64_t number = 0;
        agent::FoundProcess order;
        std::optional<TrueProcess> process;  ///< While it runs.
        std::optional<agent::ProcessNotStarted> failure;
        Instant known{};  ///< When it learns whether its start succeeded.
        bool is_known = false;
        std::optional<agent::ProcessEnded> end;
        Instant lease{};  ///< Of an exclusive process.
        bool is_stopping = false;
        bool is_killed = false;
        bool reported_start = false;
        bool reported_end = false;
        bool is_awaited = false;  ///< The present agent has ordered its end.
    };
    struct Journal {
        std::map<InstanceId, agent::InstanceImage> instances;
        std::map<std::pair<std::string, Digest>, TaskSpec> specs;
        BootId boot;
    };

    [[nodiscard]] agent::RecoveredState recovered_state();
    void apply(const agent::JournalWrite& write);
    void report_state(Instant now, Shim& shim);
    void ask(Instant now, const agent::Ask& order);
    [[nodiscard]] bool loses(Instant now, const Shim& shim, std::string_view what);
    void deliver_all(Instant now);
    void release(std::uint64_t process);
    void observe_itself(Instant now);
    [[nodiscard]] CivilMs clock(Instant now) const { return civil(now + clock_ahead_); }
    void on_input(Instant now, agent::AgentInput input);
    void carry_out(Instant now, agent::AgentOutput& output);
    void spawn(Instant now, const agent::Spawn& order);
    void end(Instant now, const agent::End& order);
    void stop(Instant now, Shim& shim, int number, Duration grace);
    void renew(Instant now, const agent::Renewal& order);
    [[nodiscard]] Instant end_of(Instant now, Instant lease) const;
    void send(Instant now, const AgentMessage& message);
    void send_falsified(Instant now, coordinator::Session session, const Report& truth);
    void schedule(Instant now);
    void end_life(Instant now, bool silently);

    World& world_;
    HostIndex index_;
    std::string label_;  ///< The host's own name.
    std::string name_;   ///< The name of its agent.
    PublicKey key_;
    Random random_;
    Random shims_random_;  // Separate, so that losses of shims leave the other draws the same.
    agent::AgentMemory disk_;
    BootId boot_;
    std::unique_ptr<agent::Agent> core_;
    std::uint64_t life_ = 0;
    bool powered_ = false;
    bool scrapped_ = false;
    bool paused_ = false;
    bool is_halted_ = false;
    std::vector<LeaseDue> overdue_;  ///< Since it was paused.
    bool faulty_ = true;
    Offer offer_;
    ReportFalsification manner_ = ReportFalsification::none;
    Shown shown_;
    bool ready_ = true;  ///< The result of its readiness check.
    bool full_ = false;
    Duration clock_ahead_{};
    bool observes_ = false;  ///< It was full, or its clock was wrong.
    bool spawns_broken_ = false;
    bool disk_broken_ = false;
    std::optional<agent::AgentMemory> writing_;
    std::vector<agent::AgentInput> inbox_;  ///< Inputs that arrive while it is paused.
    Journal journal_;
    std::optional<agent::JournalWrite> journaling_;
    std::map<std::uint64_t, Shim> shims_;  ///< By the agent's number.
    std::uint64_t shims_made_ = 0;
    std::vector<std::string> batches_;  ///< The latest ones, as they arrived.
    std::optional<Instant> due_;
    std::string bytes_;
};

}  // namespace muster::sim
