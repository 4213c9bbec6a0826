#pragma once

#include "agent/core/instances/instance_table.hpp"
#include "agent/core/io.hpp"
#include "common/base/ids.hpp"
#include "common/messages/agent_calls.hpp"

namespace muster::agent {

/// Calls of operators to this agent, which its leader passes on. Each call is carried out once: the
/// calls of a leadership have rising numbers.
///
/// Owned by Agent.
class AgentCalls {
public:
    /// True once for each call.
    [[nodiscard]] bool is_new(const AgentCallStamp& stamp);

    static void carry_out(const ReadLog& call, const Instances& instances, AgentOutput& output);
    static void carry_out(const SendSignal& call, const Instances& instances, AgentOutput& output);
    static void carry_out(const Measure& call, const Instances& instances, AgentOutput& output);

private:
    Epoch epoch_{};
    AgentCallNumber last_{};
};

}  // namespace muster::agent
