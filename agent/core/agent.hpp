#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/core/io.hpp"
#include "agent/core/journal.hpp"
#include "agent/core/options.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

struct State;

/// One instance for the agent's own `list`.
struct LocalInstance {
    InstanceReport report;
    ProcessIdentity process;  ///< Of the present process; 0: none.
};

/// One agent's whole mind: which commands it obeys, what it reports, when a process is started
/// again. It goes on restarting and reporting to itself while no coordinator is there.
///
/// Pure: no clock, no I/O, no thread.
class Agent {
public:
    /// What became of each process of the journal, and of those found, is told by inputs.
    Agent(Instant now, AgentOptions options, const Beginning& beginning);
    ~Agent();
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;

    [[nodiscard]] AgentOutput step(Instant now, const AgentInput& input);
    [[nodiscard]] Instant next_deadline() const;

    [[nodiscard]] std::vector<LocalInstance> instances() const;  ///< Sorted by id.
    [[nodiscard]] const AgentMemory& memory() const;
    /// True while polls of an accepted leader arrive.
    [[nodiscard]] bool led(Instant now) const;
    /// Why the host should get no work at present; empty: it may.
    [[nodiscard]] const std::string& unable() const;

private:
    std::unique_ptr<State> state_;
};

}  // namespace muster::agent
