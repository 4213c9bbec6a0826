#pragma once

#include "agent/core/instances/instance_table.hpp"
#include "agent/core/io.hpp"
#include "common/base/ids.hpp"
#include "common/messages/errands.hpp"

namespace muster::agent {

/// What operators ask of this agent by way of its leader. Each errand is done once: those of a
/// leadership come with rising numbers.
///
/// Owned by Agent.
class AgentCalls {
public:
    /// True once for each errand.
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
