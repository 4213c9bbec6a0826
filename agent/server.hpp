#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "agent/core/agent.hpp"
#include "agent/exec/executor.hpp"
#include "agent/local_requests.hpp"
#include "agent/refusals.hpp"
#include "agent/settings.hpp"
#include "agent/state_directory.hpp"
#include "common/log.hpp"
#include "common/net/context.hpp"
#include "common/net/dealer.hpp"
#include "common/net/loop.hpp"
#include "common/net/router.hpp"
#include "common/net/unread.hpp"
#include "common/random.hpp"

namespace muster {

/// The shell around one life of an agent: bytes -> codec -> input -> step -> output -> processes,
/// disk, bytes.
///
///     coordinator --\                                /--> disk, then again an input
///     processes -----+--> receive --> step(now) ----+---> processes: kill, signal, spawn
///     asked by hand (answered here)                  \--> coordinator: hello, reports, acks
///
/// One thread runs it all. Each output is carried out whole, in its order, before the next input.
class AgentServer {
public:
    AgentServer(net::Context& context, net::Loop& loop, const AgentSettings& settings,
                StateDirectory& state, Executor& executor, const AgentOptions& options,
                const AgentMemory& memory);
    AgentServer(const AgentServer&) = delete;
    AgentServer& operator=(const AgentServer&) = delete;

    /// Binds the endpoint for requests by hand.
    [[nodiscard]] Result<void> open(const std::string& local_endpoint);
    /// Answers requests by hand, and does nothing else, until there is something to be read.
    void answer_until_readable(int fd);
    [[nodiscard]] Result<void> connect();

    /// One turn of the loop, at most until `deadline`. Returns its `now`.
    Instant turn(Instant deadline);
    void shut_down(Instant now);
    [[nodiscard]] bool finished() const { return finished_; }

private:
    bool receive(Instant now);
    bool receive_by_hand();
    [[nodiscard]] std::string answer_to(const net::Message& message);
    [[nodiscard]] std::vector<LocalProcess> processes() const;

    void step(Instant now, const AgentInput& input);
    void carry_out(Instant now, AgentOutput output);
    void remember(Instant now, const AgentMemory& memory);
    void send(const AgentMessage& message);
    void observe_load(Instant now);
    void say_what_came(Instant now, const CoordinatorMessage& message);
    void say_what_became(Instant now, const ProcessEvent& event);
    void say_what_was_checked(const std::string& result);

    const AgentSettings& settings_;
    StateDirectory& state_;
    Executor& executor_;
    net::Loop& loop_;
    Random random_;
    net::Dealer dealer_;
    net::Router by_hand_;
    net::Unread unread_;
    Agent core_;
    LifeId life_;

    Instant now_;
    std::deque<AgentInput> inputs_;  // What an output led to at once.
    net::Message received_;
    FromCoordinator from_coordinator_;
    std::string encoded_;
    std::map<ProcessId, InstanceId> names_;  // Of what runs, for the log; of checks no valid one.
    Instant load_due_{};
    bool finished_ = false;
    std::uint64_t undecodable_ = 0;
    Instant connected_{};
    log::RateLimit complaints_{1, 1min};
    log::RateLimit silence_{1, 10min};
    Refusals refusals_;
    log::RateLimit ends_{20};
    log::RateLimit memory_complaints_{1, 1min};
    bool memory_fails_ = false;
    std::string checked_;  // What the last check came to.
};

}  // namespace muster
