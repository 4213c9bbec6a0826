#pragma once

#include "agent/core/instances/instance_table.hpp"
#include "agent/core/io.hpp"
#include "common/base/ids.hpp"
#include "common/messages/errands.hpp"

namespace muster::agent {

/// Calls of operators to this agent, which its leader passes on. Each call is carried out once: the
/// calls of a leadership have rising numbers.
///
/// Owned by Agent.
class AgentCalls {
public:
    /// True once for each call.
    [[nodiscard]] bool is_new(const ErrandStamp& stamp);

    static void carry_out(const ReadLog& errand, const Instances& instances, AgentOutput& output);
    static void carry_out(const SendSignal& errand, const Instances& instances,
                          AgentOutput& output);
    static void carry_out(const Measure& errand, const Instances& instances, AgentOutput& output);

private:
    Epoch epoch_{};
    ErrandNumber last_{};
};

}  // namespace muster::agent
