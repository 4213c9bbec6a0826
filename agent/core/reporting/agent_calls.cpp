#include "agent/core/reporting/agent_calls.hpp"

#include <string>
#include <utility>

#include "common/spec/spec.hpp"

namespace muster::agent {

namespace {

// Why an instance gets no signal. Empty: it gets the signal.
std::string why_no_signal(const Instances& instances, const InstanceId& id) {
    const auto found = instances.find(id);
    if (found == instances.end()) {
        return "it is no longer on this node";
    }
    const auto& instance = found->second;
    return instance.process.runs
               ? ""
               : "it has no process, it is " + std::string{to_string(instance.report.state)};
}

}  // namespace

bool AgentCalls::is_new(const AgentCallStamp& stamp) {
    if (stamp.epoch != epoch_) {
        epoch_ = stamp.epoch;
        last_ = AgentCallNumber{};
    }
    if (stamp.number <= last_) {
        return false;
    }
    last_ = stamp.number;
    return true;
}

void AgentCalls::carry_out(const ReadLog& call, const Instances& /*instances*/,
                           AgentOutput& output) {
    // Also for an instance that is gone: its files stay for a while.
    output.readings.emplace_back(call);
}

void AgentCalls::carry_out(const SendSignal& call, const Instances& instances,
                           AgentOutput& output) {
    const auto number = stop_signal_number(call.signal);
    if (!number) {
        output.messages.emplace_back(
            AgentCallFailed{call.stamp, number.error().code, number.error().detail});
        return;
    }
    Signalled answer{.stamp = call.stamp, .faults = {}};
    for (const InstanceId& id : call.ids) {
        auto why = why_no_signal(instances, id);
        if (why.empty()) {
            output.signals.push_back({instances.at(id).process.id, *number});
        } else {
            answer.faults.push_back({id, std::move(why)});
        }
    }
    output.messages.emplace_back(std::move(answer));
}

void AgentCalls::carry_out(const Measure& call, const Instances& instances, AgentOutput& output) {
    MeasureProcesses reading{.stamp = call.stamp, .processes = {}};
    for (const auto& [id, instance] : instances) {
        if (instance.process.runs) {
            reading.processes.push_back({id, instance.process.identity});
        }
    }
    output.readings.emplace_back(std::move(reading));
}

}  // namespace muster::agent
