#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/agent/scene.hpp"
#include "common/codec/codec.hpp"
#include "common/net/loop.hpp"
#include "common/net/router.hpp"
#include "tests/integration/support/process.hpp"

namespace muster::bench {

/// The real muster-agent, with a socket in place of its coordinator that welcomes it, sends orders
/// and polls, and keeps its reports. The agent and its tasks end with this object.
class OneAgent {
public:
    OneAgent();
    OneAgent(const OneAgent&) = delete;
    OneAgent& operator=(const OneAgent&) = delete;

    /// Starts the program and returns when it has answered a first poll.
    void begin();
    /// Kills the agent. Its instances keep running.
    void kill();
    /// Kills the agent and all its processes. Its files stay as long as this object.
    void end();

    /// Orders this many instances of one task, and returns when all are reported running.
    void run(const std::vector<std::string>& argv, std::uint32_t instances);
    /// Returns when this many are reported running.
    void await_running(std::uint32_t instances);
    /// Polls once a second, for this time.
    void poll_for(Duration time);

    [[nodiscard]] pid_t pid() const { return process_->pid(); }
    /// CPU time that the agent has used.
    [[nodiscard]] double cpu_ms() const;
    [[nodiscard]] std::vector<pid_t> shims() const;

private:
    bool receive();
    void on(const Hello& hello);
    void on(const Report& report);
    void on(const Ack& ack);
    void on(const Departure& /*departure*/) {}
    void on(const NewKey& /*key*/) {}
    template <class Answer>
        requires requires(Answer answer) { answer.stamp; }
    void on(const Answer& /*answer*/) {}  // Calls are never sent, so they have no answers.
    void send(const CoordinatorMessage& message);
    void poll();
    void turn_until(const std::function<bool()>& holds, Duration at_most);

    Scene scene_;
    net::Router router_;
    net::Loop loop_;
    std::string endpoint_;
    std::unique_ptr<integration::Process> process_;
    net::Envelope agent_;
    Incarnation incarnation_{};
    Revision seen_{};
    Round round_{};
    Sequence issued_{};
    std::uint32_t answers_ = 0;  // To polls, in this life.
    std::map<InstanceId, InstanceState> reported_;
    std::uint32_t running_ = 0;
    std::string encoded_;
    net::Message received_;
};

}  // namespace muster::bench
