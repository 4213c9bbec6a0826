#include "agent/core/agent.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "common/base/ensure.hpp"

namespace muster::agent {

namespace {

/// One function object of many, for std::visit().
template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

/// Appends `more` to each list of `orders`.
void append(ProcessOrders& orders, ProcessOrders&& more) {
    std::ranges::move(more.releases, std::back_inserter(orders.releases));
    std::ranges::move(more.asks, std::back_inserter(orders.asks));
    std::ranges::move(more.ends, std::back_inserter(orders.ends));
    std::ranges::move(more.renewals, std::back_inserter(orders.renewals));
    std::ranges::move(more.spawns, std::back_inserter(orders.spawns));
}

}  // namespace

Agent::Agent(Instant now, AgentOptions options, const RecoveredState& recovered)
    : options_{std::move(options)},
      fence_{recovered.memory},
      session_{now, options_.hello_after_silence, options_.seed},
      lives_{recovered},
      readiness_{options_.check},
      host_{options_.floors},
      keys_{options_.made_key} {
    ensure(raw(recovered.memory.incarnation) > 0, "a life has an incarnation before it begins");
}

AgentOutput Agent::step(Instant now, const AgentInput& input) {
    AgentOutput output;
    if (ending_.is_over) {
        return output;
    }
    supervisor_.end_lease_if_due(now);
    route(now, input, output);  // Exactly one handler.
    advance(now, output);
    report_news(now, output);
    send_hello(now, output);
    send_new_key(output);
    announce_departure(now, output);
    return output;
}

Instant Agent::next_deadline() const {
    Instant earliest = session_.next_deadline();
    // An agent that leaves starts nothing again, however long its disk keeps it here.
    for (const auto deadline :
         {reporter_.next_deadline(), supervisor_.lease_until(),
          ending_.leaves ? std::nullopt : lives_.next_deadline(), readiness_.next_deadline(),
          gate_.writes().retry(), lives_.writes().retry()}) {
        earliest = std::min(earliest, deadline.value_or(earliest));
    }
    return earliest;
}

std::vector<LocalInstance> Agent::instances() const {
    std::vector<LocalInstance> all;
    all.reserve(lives_.instances().size());
    for (const auto& [id, instance] : lives_.instances()) {
        all.push_back({instance.report, instance.process.identity});
    }
    return all;
}

// ---- consequences ----

/// Begins what is due, writes what changed, and puts out the orders that were given meanwhile.
void Agent::advance(Instant now, AgentOutput& output) {
    if (!ending_.leaves) {
        lives_.wake(now);
    }
    if (auto write = lives_.take_journal(now)) {
        output.journal = std::move(write);
    }
    append(output.processes, lives_.processes().take_orders());
    const auto touched = lives_.table().take_touched();
    reporter_.note(now, touched, lives_.instances());
    std::ranges::copy_if(touched, std::back_inserter(output.left),
                         [&](const InstanceId& id) { return !lives_.instances().contains(id); });
    readiness_.wake(now, supervisor_.spawn_failing());
    ProcessOrders checks = readiness_.take_orders();
    std::ranges::move(std::exchange(checks.spawns, {}), std::back_inserter(output.checks));
    append(output.processes, std::move(checks));
    if (gate_.try_disk(now, memory())) {
        output.remember = memory();
    }
}

bool Agent::cannot_write(Instant now) const {
    return gate_.writes().is_failing(now) || lives_.writes().is_failing(now);
}

/// Reports the last failure as long as something fails.
void Agent::review_trouble(Instant now) {
    const bool cannot_write = this->cannot_write(now);
    if (!cannot_write && !supervisor_.spawn_failing()) {
        host_.set_trouble({});
    } else if (cannot_write && host_.trouble().empty()) {
        host_.set_trouble("a write of its own state does not end");
    }
}

/// Answers a poll, or makes the same report without one.
void Agent::report(Instant now, const Poll& poll, AgentOutput& output, HostVitals vitals) {
    Report report = reporter_.make_report(poll.seen, lives_.instances());
    report.epoch = poll.epoch;
    report.round = poll.round;
    report.incarnation = memory().incarnation;
    report.obeyed = fence_.obeyed(poll.epoch);
    report.host.load_milli = host_.load_milli();
    report.host.spawn_failing = supervisor_.spawn_failing();
    report.host.journal_failing = cannot_write(now);
    report.host.unable = !host_.unable().empty();
    readiness_.describe(report.host);
    report.stamp = boot_ms(now);
    report.vitals = std::move(vitals);
    output.messages.emplace_back(std::move(report));
}

/// Sends a delta without a poll.
void Agent::report_news(Instant now, AgentOutput& output) {
    // An agent that shuts down sends no deltas: the coordinator would plan starts here, and the
    // agent would refuse them. One last delta goes out before its departure.
    const bool may_send = session_.leader() && !ending_.stops_all;
    if (reporter_.take_due(now, may_send)) {
        report(now, {.epoch = session_.leader()->epoch, .seen = reporter_.last_reported()}, output);
    }
}

void Agent::send_hello(Instant now, AgentOutput& output) {
    if (session_.take_hello(now)) {
        output.messages.emplace_back(Hello{.name = options_.name,
                                           .cluster = memory().cluster,
                                           .boot = options_.boot,
                                           .life = options_.life,
                                           .incarnation = memory().incarnation,
                                           .epoch = memory().epoch,
                                           .leader = memory().leader,
                                           .counter = memory().counter,
                                           .version = options_.version,
                                           .offer = options_.offer,
                                           .limits = options_.limits,
                                           .capacity_from = options_.capacity_from,
                                           .keeps_proofs = true,
                                           .seal_key = options_.seal_key});
    }
}

void Agent::send_new_key(AgentOutput& output) {
    output.key = keys_.take_order();
    if (auto key = keys_.take_key()) {
        output.messages.emplace_back(
            NewKey{.incarnation = memory().incarnation, .key = std::move(*key)});
    }
}

void Agent::announce_departure(Instant now, AgentOutput& output) {
    // The agent does not wait for a journal that fails: the shims report the processes to the next
    // life.
    const InstanceTable& table = lives_.table();
    const bool is_over =
        (ending_.leaves || (ending_.stops_all && table.count() == 0)) && lives_.is_journaled();
    if (!is_over || readiness_.is_running()) {
        return;
    }
    ending_.is_over = true;
    if (session_.leader() && reporter_.has_news()) {
        report(now, {.epoch = session_.leader()->epoch, .seen = reporter_.last_reported()}, output);
    }
    // After a shutdown there are only instances that have ended. But if the journal failed, it may
    // still have others, which may run again in the next life.
    const bool leaves_some = ending_.leaves || lives_.writes().has_failed();
    output.messages.emplace_back(
        Departure{.incarnation = memory().incarnation,
                  .instances = leaves_some ? static_cast<std::uint32_t>(table.all().size()) : 0U});
    output.finished = true;
}

// ---- inputs ----

void Agent::on_journal_failed(Instant now, const std::string& why) {
    host_.set_trouble(why);
    supervisor_.on_journal_failed(now, why);
}

void Agent::on_not_started(Instant now, const ProcessNotStarted& event) {
    if (event.host_at_fault) {
        host_.set_trouble(event.detail);
    }
    if (ReadinessCheck::owns(event.process)) {
        supervisor_.on_check_spawn(!event.host_at_fault);
        readiness_.on_not_started();
    } else {
        supervisor_.on_not_started(now, event);
    }
}

void Agent::route(Instant now, const AgentInput& input, AgentOutput& output) {
    const Overloaded handler{
        [&](const FromCoordinator& event) {
            session_.on_message(now);
            gate_.on_message(event.message);
            handle_messages(now, output);
        },
        [&](const Remembered&) {
            host_.on_written(now);
            fence_.on_persisted(gate_.on_persisted());
            handle_messages(now, output);
        },
        [&](const RememberFailed& event) {
            host_.set_trouble(event.detail);
            gate_.on_persist_failed(now);
            handle_messages(now, output);
        },
        [&](const Journaled&) {
            host_.on_written(now);
            lives_.on_journaled(supervisor_.lease_until());
        },
        [&](const JournalFailed& event) { on_journal_failed(now, event.detail); },
        [&](const ProcessStarted& event) {
            host_.on_process_made(now);
            if (ReadinessCheck::owns(event.process)) {
                supervisor_.on_check_spawn(true);
            } else {
                supervisor_.on_started(now, event);
            }
        },
        [&](const ProcessNotStarted& event) { on_not_started(now, event); },
        [&](const ProcessEnded& event) {
            if (ReadinessCheck::owns(event.process)) {
                readiness_.on_ended(event);
            } else {
                supervisor_.on_ended(now, event);
                readiness_.ask_again();
            }
        },
        [&](const HostObserved& event) { host_.on_observed(now, event); },
        [&](const DiskObserved& event) { host_.on_observed(event); },
        [&](const Leave&) {
            ending_.leaves = true;
            readiness_.shut_down();
        },
        [&](const ShutDown&) {
            ending_.stops_all = true;
            supervisor_.shut_down();
            readiness_.shut_down();
        },
        [&](const KeyMade& event) { keys_.on_made(event.key); },
        [&](const KeyNotWritten&) { keys_.on_not_written(); },
        [&](const KeyKept&) { keys_.on_kept(); },
        [&](const KeyRefused&) { keys_.on_denied(); },
        [&](const KeyLinked& event) { keys_.on_linked(event.is_new); },
        [](const AgentWake&) {}};
    std::visit(handler, input);
}

}  // namespace muster::agent
