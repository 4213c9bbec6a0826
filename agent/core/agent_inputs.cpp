#include <utility>

#include "agent/core/agent.hpp"
#include "agent/core/agent_state.hpp"
#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

// The half of an agent's step that takes in what became of what it put out, and what came.
namespace muster::agent {

namespace {

// The load rides in every answer; a coarse number leaves most answers equal to the last.
constexpr std::uint32_t load_step_milli = 250;

}  // namespace

void State::apply(Instant now, const FromCoordinator& event, AgentOutput& output) {
    session.heard(now);
    if (!writing) {
        handle(now, event.message, output);
    } else if (waiting.size() < limits::agent_waiting_messages) {
        waiting.push_back(event.message);
    }
}

void State::apply(Instant now, const Remembered& /*event*/, AgentOutput& output) {
    ensure(writing.has_value(), "only what was put out is remembered");
    memory_writes.succeeded();
    watch.wrote(now);
    obedience.remember(*std::exchange(writing, std::nullopt));
    trying_disk = false;
    handle_waiting(now, output);
}

void State::apply(Instant now, const RememberFailed& /*event*/, AgentOutput& output) {
    ensure(writing.has_value(), "only what was put out can fail to be remembered");
    writing.reset();
    memory_writes.failed(now);
    if (!std::exchange(trying_disk, false)) {
        waiting.pop_front();
    }
    handle_waiting(now, output);
}

void State::apply(Instant now, const Journaled& /*event*/, AgentOutput& /*output*/) {
    journal_writes.succeeded();
    watch.wrote(now);
    supervisor.journaled();
}

void State::apply(Instant now, const JournalFailed& event, AgentOutput& /*output*/) {
    journal_writes.failed(now);
    supervisor.journal_failed(now, event.detail);
}

void State::apply(Instant now, const ProcessStarted& event, AgentOutput& /*output*/) {
    watch.made_process(now);
    if (ReadinessCheck::owns(event.process)) {
        supervisor.note_spawn(true);
    } else {
        supervisor.process_started(now, event);
    }
}

void State::apply(Instant now, const ProcessNotStarted& event, AgentOutput& /*output*/) {
    if (!ReadinessCheck::owns(event.process)) {
        supervisor.process_not_started(now, event);
        return;
    }
    supervisor.note_spawn(!event.host_at_fault);
    readiness.ended(event);
}

void State::apply(Instant now, const ProcessEnded& event, AgentOutput& /*output*/) {
    if (ReadinessCheck::owns(event.process)) {
        readiness.ended(event);
    } else {
        supervisor.process_ended(now, event);
        readiness.ask_anew();
    }
}

void State::apply(Instant now, const HostObserved& event, AgentOutput& /*output*/) {
    host.load_milli = event.load_milli - event.load_milli % load_step_milli;
    watch.see(now, event);
}

void State::apply(Instant /*now*/, const DiskObserved& event, AgentOutput& /*output*/) {
    watch.see(event);
}

void State::apply(Instant /*now*/, const Leave& /*event*/, AgentOutput& /*output*/) {
    leaving = true;
    readiness.shut_down();
}

void State::apply(Instant /*now*/, const ShutDown& /*event*/, AgentOutput& /*output*/) {
    shutting_down = true;
    supervisor.shut_down();
    readiness.shut_down();
}

void State::apply(Instant /*now*/, const AgentWake& /*event*/, AgentOutput& /*output*/) {}

}  // namespace muster::agent
