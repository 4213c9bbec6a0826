#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/core/agent.hpp"
#include "common/base/limits.hpp"

// The part of an agent's step that handles the messages of coordinators.
namespace muster::agent {

namespace {

/// Carries out stops before starts. Returns the refused commands.
std::vector<Refusal> carry_out(Instant now, const Batch& batch, Lifecycle& lives,
                               Supervisor& supervisor) {
    std::map<std::string, Error> unsound;
    for (const SpecVersion& version : batch.specs) {
        if (auto learned = lives.learn(version); !learned) {
            unsound.insert_or_assign(version.task, std::move(learned.error()));
        }
    }
    for (const Stop& stop : batch.stops) {
        supervisor.stop(stop);
    }
    std::vector<Refusal> refusals;
    for (const Start& start : batch.starts) {
        const auto started = supervisor.start(now, start);
        if (started) {
            continue;
        }
        const auto fault = unsound.find(start.id.task);
        const Error& error = fault == unsound.end() ? started.error() : fault->second;
        refusals.push_back(
            {start.id, start.generation, error.code, error.detail.substr(0, limits::detail_bytes)});
    }
    return refusals;
}

/// Refuses every command of the batch for this reason.
std::vector<Refusal> refuse_all(const Batch& batch, Errc why) {
    std::vector<Refusal> refusals;
    for (const Stop& stop : batch.stops) {
        refusals.push_back({stop.id, stop.generation, why, {}});
    }
    for (const Start& start : batch.starts) {
        refusals.push_back({start.id, start.generation, why, {}});
    }
    return refusals;
}

}  // namespace

void Agent::handle_messages(Instant now, AgentOutput& output) {
    while (const CoordinatorMessage* const next = gate_.next()) {
        if (const auto raised = must_persist(*next)) {
            gate_.persist(now, *raised);
            output.remember = raised;
        } else {
            std::visit([&](const auto& content) { handle(now, content, output); }, gate_.take());
        }
    }
}

std::optional<AgentMemory> Agent::must_persist(const CoordinatorMessage& message) const {
    if (const auto* poll = std::get_if<Poll>(&message)) {
        return is_for_us(poll->epoch, poll->incarnation)
                   ? fence_.must_persist(*session_.leader(), *poll)
                   : std::nullopt;
    }
    if (const auto* batch = std::get_if<Batch>(&message)) {
        return fence_.must_persist(*batch);
    }
    if (const auto* refused = std::get_if<Refused>(&message)) {
        return fence_.must_persist(*refused);
    }
    return std::nullopt;
}

bool Agent::is_for_us(Epoch epoch, Incarnation incarnation) const {
    return session_.leader() && session_.leader()->epoch == epoch &&
           incarnation == memory().incarnation;
}

void Agent::handle(Instant now, const Welcome& welcome, AgentOutput& /*output*/) {
    if (welcome.incarnation != memory().incarnation) {
        session_.on_unknown(now);
        return;
    }
    session_.on_welcome(now, welcome);
    reporter_.on_welcome();
}

void Agent::handle(Instant now, const Refused& refused, AgentOutput& /*output*/) {
    if (refused.code == Errc::denied) {
        keys_.on_denied();
    }
    const bool known_is_past = refused.known < memory().incarnation;
    if (refused.code == Errc::hello_required ||
        (refused.code == Errc::stale_incarnation && known_is_past)) {
        session_.on_unknown(now);
    } else {
        session_.on_refused(now, std::chrono::milliseconds{refused.retry_after_ms});
    }
}

void Agent::handle(Instant now, const Poll& poll, AgentOutput& output) {
    if (!is_for_us(poll.epoch, poll.incarnation)) {
        session_.on_unknown(now);
        return;
    }
    const Welcome& leader = *session_.leader();
    if (fence_.judge(leader.cluster, leader.epoch, leader.leader)) {
        fence_.answered(poll);
        session_.on_poll(now);
        supervisor_.extend_lease(now, poll.lease);
        keys_.on_poll(poll.renew_key);
        if (poll.check) {
            readiness_.ask();
        }
    }
    advance(now, output);  // The answer includes what begins now.
    review_trouble(now);
    report(now, poll, output, host_.vitals_to_report(now, poll.seen == Revision{}));
}

void Agent::handle(Instant /*now*/, const KeyRegistered& registered, AgentOutput& /*output*/) {
    keys_.on_registered(registered.key);
}

void Agent::handle(Instant now, const Batch& batch, AgentOutput& output) {
    Ack ack;
    ack.epoch = memory().epoch;
    ack.incarnation = memory().incarnation;
    if (const auto judged = fence_.judge(batch); !judged) {
        ack.refusals = refuse_all(batch, judged.error().code);
    } else if (fence_.obey(batch)) {
        ack.refusals = carry_out(now, batch, lives_, supervisor_);
    }
    ack.obeyed = fence_.obeyed(ack.epoch);
    output.messages.emplace_back(std::move(ack));
}

// A call for another life gets no answer: the coordinator learns by the new hello that this life is
// over.
template <class Call>
    requires requires(Call call) { call.stamp; }
void Agent::handle(Instant /*now*/, const Call& call, AgentOutput& output) {
    if (!is_for_us(call.stamp.epoch, call.stamp.incarnation) || !calls_.is_new(call.stamp)) {
        return;
    }
    const Welcome& leader = *session_.leader();
    if (const auto judged = fence_.judge(leader.cluster, leader.epoch, leader.leader); !judged) {
        output.messages.emplace_back(
            AgentCallFailed{call.stamp, judged.error().code, judged.error().detail});
        return;
    }
    AgentCalls::carry_out(call, lives_.instances(), output);
}

}  // namespace muster::agent
