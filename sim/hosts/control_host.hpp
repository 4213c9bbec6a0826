#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/recorder/recorder.hpp"
#include "sim/hosts/agent_host.hpp"
#include "sim/model/operators.hpp"

namespace muster::sim {

/// The control node: the coordinator's daemon with the real core. The constructor gets the agents
/// and operators with which it communicates.
class ControlHost {
public:
    ControlHost(World& world, Operators& operators,
                std::vector<std::unique_ptr<AgentHost>>& agents);

    void start(Instant now) { world_.queue.push(now, CoordinatorStart{life_}); }
    void crash(Instant now);
    void pause() { paused_ = true; }
    void resume(Instant now);
    /// From now on its civil clock is this far ahead.
    void set_clock(Instant now, Duration ahead);

    // Deadlines.
    void begin(Instant now, std::uint64_t life);
    void wake(Instant now, std::uint64_t life);
    void committed(Instant now, std::uint64_t life);
    void connected(Instant now, coordinator::Session session, const PublicKey& proved);
    void disconnected(Instant now, coordinator::Session session) {
        on_input(now, coordinator::SessionClosed{session});
    }
    void receive(Instant now, coordinator::Session session, const Delivery& delivery);
    void on_request(Instant now, std::size_t question);

    /// The coordinator's own status of the cluster. Nothing: no coordinator runs, or it is paused.
    [[nodiscard]] std::optional<StatusReply> status(Instant now);
    [[nodiscard]] bool is_up() const { return core_ != nullptr; }
    [[nodiscard]] bool is_paused() const { return paused_; }
    /// When the present leadership began.
    [[nodiscard]] Instant led_since() const { return led_since_; }
    /// Since when it has led without a pause: a pause extends a recovery.
    [[nodiscard]] Instant awake_since() const { return std::max(led_since_, resumed_); }

private:
    [[nodiscard]] bool is_proved(HostIndex host, const AgentMessage& message) const;
    /// Somebody says hello with the name of another: only the core hears it, and must deny it.
    void receive_stolen_name(Instant now, coordinator::Session session, const AgentMessage& hello);
    [[nodiscard]] bool proves_keys() const { return world_.options.coordinator.keys; }
    /// The sender, as the daemon's endpoint gives it.
    [[nodiscard]] coordinator::Caller caller_of(coordinator::Session session,
                                                const AgentMessage& message) const;
    [[nodiscard]] PublicKey key_of(coordinator::Session session) const;
    void forward_civil_time(Instant now);
    void on_input(Instant now, coordinator::Input input);
    [[nodiscard]] coordinator::Output step(Instant now, const coordinator::Input& input);
    void restore();
    void compare_numbers(Instant now);
    std::optional<ReplyBody> ask(Instant now, CoreRequestBody body);
    void carry_out(Instant now, coordinator::Output& output);
    void send(Instant now, coordinator::Session session, const CoordinatorMessage& message);
    void observe(Instant now, coordinator::Session session, const CoordinatorMessage& message);
    void poll(Instant now, const coordinator::PollTo& poll);
    void publish(Instant now, const Event& event);
    void end(Instant now, const std::string& why);
    /// Updates `known_` with the changes that are in effect.
    void follow_store();
    void schedule(Instant now);

    World& world_;
    Operators& operators_;
    std::vector<std::unique_ptr<AgentHost>>& agents_;
    std::unique_ptr<coordinator::Coordinator> core_;
    std::optional<coordinator::Recorder> recorder_;  ///< Of this life.
    std::uint64_t life_ = 0;
    std::uint64_t compared_at_ = 0;  ///< The count of changes at the last comparison of numbers.
    std::uint32_t steps_ = 0;        ///< Since the core was restored.
    bool paused_ = false;
    Instant led_since_{};
    Instant resumed_{};
    Instant civil_due_{};
    Duration clock_ahead_{};
    std::vector<coordinator::Input> inbox_;           ///< Inputs that arrive while it is paused.
    coordinator::StoreImage known_;                   ///< The store as far as the core knows it.
    std::deque<coordinator::Persist> unheard_;        ///< Writes that became durable since.
    std::map<HostIndex, agent::AgentMemory> claims_;  ///< In the last hellos.
    std::map<coordinator::Session, PublicKey> proved_;
    std::optional<Instant> due_;
    std::string bytes_;
};

}  // namespace muster::sim
