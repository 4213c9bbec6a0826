#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agent/core/agent.hpp"
#include "coordinator/recorder/step_record.hpp"
#include "sim/model/event_queue.hpp"

namespace muster::sim {

/// A hash of all outputs of the cores in a run, step by step. The trace covers what arrives, so two
/// runs with the same trace may still have different outputs, which this hash detects.
///
/// It covers the encoded output of each step, with its time and core. A step without output counts,
/// too.
class OutputHash {
public:
    void add(Instant now, const coordinator::Output& output);
    void add(Instant now, HostIndex host, const agent::AgentOutput& output);

    [[nodiscard]] std::uint64_t value() const { return hash_; }

private:
    void mix(std::uint64_t number) { hash_ = (hash_ ^ number) * 0x9e3779b97f4a7c15ULL; }
    void mix(Instant now, std::uint64_t core, std::string_view bytes);

    coordinator::StepEncoder encoder_;
    std::string bytes_;
    std::string scratch_;
    std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace muster::sim
