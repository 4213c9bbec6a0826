#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/coordinator_links.hpp"
#include "agent/core/agent.hpp"
#include "agent/exec/executor.hpp"
#include "agent/local_requests.hpp"
#include "agent/name_watch.hpp"
#include "agent/options.hpp"
#include "agent/refusal_log.hpp"
#include "agent/worker.hpp"
#include "common/base/random.hpp"
#include "common/log/log.hpp"
#include "common/net/context.hpp"
#include "common/net/dealer.hpp"
#include "common/net/loop.hpp"
#include "common/net/router.hpp"
#include "common/net/unread.hpp"

namespace muster::agent {

/// The shell around one life of an agent: bytes -> codec -> input -> step -> output -> processes,
/// disk, bytes.
///
///     coordinator --\                                /--> disk: memory and journal
///     processes -----+--> receive --> step(now) ----+---> processes: release, end, spawn
///     disk ---------/                                \--> coordinator: hello, reports, acks
///     local requests (answered here)
///
/// One thread runs everything except the disk and the readings for operators. Each output is
/// carried out completely, in its order, before the next input.
class AgentServer {
public:
    AgentServer(net::Context& context, net::Loop& loop, const AgentSettings& settings, Disk& disk,
                Readings& readings, Executor& executor, const AgentOptions& options,
                const RecoveredState& recovered);
    AgentServer(const AgentServer&) = delete;
    AgentServer& operator=(const AgentServer&) = delete;

    /// Binds the endpoint for local requests.
    [[nodiscard]] Result<void> open(const std::string& local_endpoint);
    [[nodiscard]] Result<void> connect();

    /// One turn of the loop, until `deadline` at the latest. Returns its `now`.
    Instant turn(Instant deadline);
    /// Ends the agent; its instances keep running for the next life.
    void leave(Instant now) { step(now, Leave{}); }
    /// Ends the agent and its instances.
    void shut_down(Instant now) { step(now, ShutDown{}); }
    [[nodiscard]] bool finished() const { return finished_; }
    [[nodiscard]] std::size_t instances() const { return core_.instances().size(); }

private:
    bool receive(Instant now, net::Dealer& dealer, std::size_t link);
    void judge_starts(CoordinatorMessage& message);
    void forget_old_secrets(const Batch& batch);
    bool receive_local();
    [[nodiscard]] std::string answer_to(const net::Message& message);
    [[nodiscard]] std::vector<LocalProcess> processes() const;

    void step(Instant now, const AgentInput& input);
    void carry_out(Instant now, AgentOutput output);
    void log_written(Instant now, const AgentInput& input);
    void send(const AgentMessage& message);
    void check_host(Instant now);

    // ---- keys ----
    void carry_out(KeyOrder order);
    void begin_link(bool is_new);
    void use_tried_keys(Instant now);
    void look_at_handshakes(Instant now);
    [[nodiscard]] std::string failure_text(net::HandshakeFailure failure) const;
    void on_key_written(const AgentInput& input);

    // ---- the log ----
    void log_message(Instant now, const CoordinatorMessage& message);
    void log_process_event(Instant now, const ProcessEvent& event);
    void log_restored(Instant now);
    void log_readiness();
    void log_check(const std::string& result);

    const AgentSettings& settings_;
    Disk& disk_;
    Readings& readings_;
    Executor& executor_;
    net::Loop& loop_;
    Random random_;
    std::optional<net::ClientKeys> keys_;
    std::optional<KeyPair> made_;  // The key that is to replace the own one.
    bool uses_new_ = false;        // The links have that key.
    bool tries_new_ = false;       // So will they, once one with it carries messages.
    CoordinatorLinks links_;
    NameWatch names_of_coordinators_;
    net::Router local_;
    net::Unread unread_;
    Agent core_;
    LifeId life_;

    Instant now_;
    net::Message received_;
    FromCoordinator from_coordinator_;
    std::string encoded_;
    std::map<ProcessId, InstanceId> names_;  // For the log. Checks: invalid names.
    std::vector<CgroupTree> cgroups_ = cgroup_trees_of_process();
    Instant observation_due_{};
    bool is_to_shut_down_ = false;
    bool finished_ = false;
    std::uint64_t undecodable_ = 0;
    std::optional<Instant> connected_;
    log::RateLimit complaints_{1, 1min};
    log::RateLimit silence_{1, 10min};
    RefusalLog refusals_;
    log::RateLimit ends_{20};
    log::RateLimit mended_{20};
    log::RateLimit disk_complaints_{1, 1min};
    bool disk_fails_ = false;
    bool is_able_ = true;  // The last value that was logged.
    std::string checked_;  // The result of the last check.
};

}  // namespace muster::agent
