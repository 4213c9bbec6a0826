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
#include "sim/etcd/etcd_writer.hpp"
#include "sim/hosts/agent_host.hpp"
#include "sim/model/operators.hpp"

namespace muster::sim {

/// The control node: the coordinator's daemon with the real core. The constructor gets the agents
/// and operators with which it communicates. With a model of etcd it takes part in an election
/// there; otherwise it has a store of its own.
class ControlHost {
public:
    ControlHost(World& world, Operators& operators, std::vector<std::unique_ptr<AgentHost>>& agents,
                std::uint32_t control = 0, EtcdModel* etcd = nullptr);

    void start(Instant now) { world_.queue.push(now, CoordinatorStart{life_, control_}); }
    void crash(Instant now);
    void pause(Instant now);
    void resume(Instant now);
    /// From now on its civil clock is this far ahead.
    void set_clock(Instant now, Duration ahead);

    // Deadlines.
    void begin(Instant now, std::uint64_t life);
    void wake(Instant now, std::uint64_t life);
    void committed(Instant now, std::uint64_t life);
    void silent(Instant now, std::uint64_t pause);
    void election_due(Instant now, std::uint64_t life);
    void on_etcd(Instant now, std::uint64_t call, EtcdModel::Arrival arrival);
    /// Another coordinator is to lead.
    void resign(Instant now);
    void connected(Instant now, coordinator::Session session, const PublicKey& proved);
    void disconnected(Instant now, coordinator::Session session) {
        on_input(now, coordinator::SessionClosed{session});
    }
    void receive(Instant now, coordinator::Session session, const Delivery& delivery);
    void on_request(Instant now, std::size_t question);
    /// The provider of pools has answered.
    void on_outside(Instant now, ProviderModel::Arrival arrival);

    /// The coordinator's own status of the cluster. Nothing: no coordinator runs, or it is paused.
    [[nodiscard]] std::optional<StatusReply> status(Instant now);
    /// The answer to a read. Nothing: the same, or the read fails.
    [[nodiscard]] std::optional<ReplyBody> read(Instant now, CoreRequestBody body) {
        return paused_ ? std::nullopt : ask(now, std::move(body));
    }
    /// It leads, as far as it knows.
    [[nodiscard]] bool is_up() const { return core_ != nullptr; }
    /// It leads or stands by.
    [[nodiscard]] bool is_running() const { return core_ != nullptr || election_.has_value(); }
    [[nodiscard]] Epoch epoch() const { return known_.meta.epoch; }
    [[nodiscard]] const std::string& name() const { return name_; }
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
    void show_pools(Instant now);
    std::optional<ReplyBody> ask(Instant now, CoreRequestBody body);
    void carry_out(Instant now, coordinator::Output& output);
    void send(Instant now, coordinator::Session session, const CoordinatorMessage& message);
    /// The host whose key this is has a route no more.
    void close_route_of(Instant now, const PublicKey& key);
    void observe(Instant now, coordinator::Session session, const CoordinatorMessage& message);
    void poll(Instant now, const coordinator::PollTo& poll);
    void publish(Instant now, const Event& event);
    void end(Instant now, const std::string& why);
    void end_and_restart(Instant now, const std::string& why);
    void stand_by(Instant now);
    void lead(Instant now, const coordinator::StoreImage& image);
    void on_news(Instant now, const ElectionShell::News& news);
    void on_written(Instant now, EtcdWriter::News news);
    [[nodiscard]] bool ends_if_lapsed(Instant now);
    void store(Instant now, coordinator::Persist persist);
    /// Updates `known_` with the changes that are in effect.
    void follow_store();
    void schedule(Instant now);

    World& world_;
    Operators& operators_;
    std::vector<std::unique_ptr<AgentHost>>& agents_;
    std::uint32_t control_;
    std::string name_;
    EtcdModel* etcd_;
    Random random_;                          ///< Only of its election.
    std::int64_t drift_;                     ///< Of 1000 seconds.
    std::optional<ElectionShell> election_;  ///< While it runs.
    std::optional<ElectionShell::News::Lead> won_;
    std::optional<std::uint64_t> reading_;  ///< The call that reads all rows.
    std::optional<EtcdWriter> writer_;
    std::vector<std::pair<std::uint64_t, EtcdModel::Arrival>> answers_;  ///< While it is paused.
    std::uint64_t pauses_ = 0;
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
    std::map<HostIndex, Incarnation> stolen_;  ///< In the last hello with another host's name.
    std::map<coordinator::Session, PublicKey> proved_;
    std::optional<Instant> due_;
    std::string bytes_;
};

}  // namespace muster::sim
