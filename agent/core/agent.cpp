#include "agent/core/agent.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <utility>

#include "agent/core/errands.hpp"
#include "agent/core/obedience.hpp"
#include "agent/core/readiness.hpp"
#include "agent/core/reporter.hpp"
#include "agent/core/session.hpp"
#include "agent/core/supervisor.hpp"
#include "common/ensure.hpp"
#include "common/limits.hpp"

namespace muster {

namespace {

// Changes that come together are told together; the coordinator plans at once when told.
constexpr Duration delta_delay = 2ms;
constexpr Duration between_deltas = 20ms;
// The load rides in every answer; a coarse number leaves most answers equal to the last.
constexpr std::uint32_t load_step_milli = 250;
// A disk that failed is written to again after this long, also if there is nothing new to write.
constexpr Duration between_writes = 1s;

}  // namespace

struct Agent::State {
    State(Instant now, AgentOptions given, const Beginning& beginning)
        : options{std::move(given)},
          obedience{beginning.memory},
          session{now, options.hello_after_silence, options.seed},
          readiness{options.check} {
        supervisor.restore(beginning);
    }

    AgentOptions options;
    Obedience obedience;
    Session session;
    Supervisor supervisor;
    Reporter reporter;
    Errands errands;
    ReadinessCheck readiness;
    HostFacts host;

    // The memory being written, and the messages that wait for it; the first of them raised it,
    // unless the disk is only tried.
    std::optional<AgentMemory> writing;
    bool trying_disk = false;
    std::optional<Instant> disk_due;  // It failed, and is tried again then.
    std::deque<CoordinatorMessage> waiting;

    Revision told{};  // The session's leader was told up to here; 0: it has not polled yet.
    std::optional<Instant> delta_due;
    Instant delta_sent;
    std::optional<Instant> polled;  // By a leader that we obey.
    bool memory_failing = false;
    bool journal_failing = false;
    std::optional<Instant> journal_due;  // It could not be written, and is tried again then.
    bool leaving = false;                // It ends, and its instances stay.
    bool shutting_down = false;
    bool finished = false;

    // ---- inputs ----
    void apply(Instant now, const FromCoordinator& event, AgentOutput& output);
    void apply(Instant now, const Remembered& event, AgentOutput& output);
    void apply(Instant now, const RememberFailed& event, AgentOutput& output);
    void apply(Instant now, const Journaled& event, AgentOutput& output);
    void apply(Instant now, const JournalFailed& event, AgentOutput& output);
    void apply(Instant now, const ProcessStarted& event, AgentOutput& output);
    void apply(Instant now, const ProcessNotStarted& event, AgentOutput& output);
    void apply(Instant now, const ProcessEnded& event, AgentOutput& output);
    void apply(Instant now, const LoadObserved& event, AgentOutput& output);
    void apply(Instant now, const Leave& event, AgentOutput& output);
    void apply(Instant now, const ShutDown& event, AgentOutput& output);
    void apply(Instant now, const AgentWake& event, AgentOutput& output);

    // ---- messages ----
    void handle(Instant now, const CoordinatorMessage& message, AgentOutput& output);
    void handle_waiting(Instant now, AgentOutput& output);
    [[nodiscard]] std::optional<AgentMemory> must_remember(const CoordinatorMessage& message) const;
    void take(Instant now, const Welcome& welcome, AgentOutput& output);
    void take(Instant now, const Refused& refused, AgentOutput& output);
    void take(Instant now, const Poll& poll, AgentOutput& output);
    void take(Instant now, const Batch& batch, AgentOutput& output);
    template <class Errand>
        requires requires(Errand errand) { errand.stamp; }
    void take(Instant now, const Errand& errand, AgentOutput& output);
    [[nodiscard]] bool is_for_us(Epoch epoch, Incarnation incarnation) const;
    void carry_out(Instant now, const Batch& batch, std::vector<Refusal>& refusals);

    // ---- outputs ----
    void settle(Instant now, AgentOutput& output);
    void tell_soon(Instant now, const std::set<InstanceId>& touched);
    void try_disk(Instant now, AgentOutput& output);
    void write_journal(Instant now, AgentOutput& output);
    void report(Instant now, Epoch epoch, Term term, Revision seen, AgentOutput& output);
    [[nodiscard]] bool has_news() const;
    void send_due(Instant now, AgentOutput& output);
    void finish(Instant now, AgentOutput& output);
};

// ---- inputs ----

void Agent::State::apply(Instant now, const FromCoordinator& event, AgentOutput& output) {
    session.heard(now);
    if (!writing) {
        handle(now, event.message, output);
    } else if (waiting.size() < limits::agent_waiting_messages) {
        waiting.push_back(event.message);
    }
}

void Agent::State::apply(Instant now, const Remembered& /*event*/, AgentOutput& output) {
    ensure(writing.has_value(), "only what was put out is remembered");
    obedience.remember(*std::exchange(writing, std::nullopt));
    trying_disk = false;
    memory_failing = false;
    disk_due.reset();
    handle_waiting(now, output);
}

void Agent::State::apply(Instant now, const RememberFailed& /*event*/, AgentOutput& output) {
    ensure(writing.has_value(), "only what was put out can fail to be remembered");
    writing.reset();
    memory_failing = true;
    disk_due = now + between_writes;
    if (!std::exchange(trying_disk, false)) {
        waiting.pop_front();
    }
    handle_waiting(now, output);
}

void Agent::State::apply(Instant /*now*/, const Journaled& /*event*/, AgentOutput& /*output*/) {
    journal_failing = false;
    supervisor.journaled();
}

void Agent::State::apply(Instant now, const JournalFailed& event, AgentOutput& /*output*/) {
    journal_failing = true;
    journal_due = now + between_writes;
    supervisor.journal_failed(now, event.detail);
}

void Agent::State::apply(Instant now, const ProcessStarted& event, AgentOutput& /*output*/) {
    if (ReadinessCheck::owns(event.process)) {
        supervisor.note_spawn(true);
    } else {
        supervisor.process_started(now, event);
    }
}

void Agent::State::apply(Instant now, const ProcessNotStarted& event, AgentOutput& /*output*/) {
    if (!ReadinessCheck::owns(event.process)) {
        supervisor.process_not_started(now, event);
        return;
    }
    supervisor.note_spawn(!event.host_at_fault);
    readiness.ended(event);
}

void Agent::State::apply(Instant now, const ProcessEnded& event, AgentOutput& /*output*/) {
    if (ReadinessCheck::owns(event.process)) {
        readiness.ended(event);
    } else {
        supervisor.process_ended(now, event);
        readiness.ask_anew();
    }
}

void Agent::State::apply(Instant /*now*/, const LoadObserved& event, AgentOutput& /*output*/) {
    host.load_milli = event.load_milli - event.load_milli % load_step_milli;
}

void Agent::State::apply(Instant /*now*/, const Leave& /*event*/, AgentOutput& /*output*/) {
    leaving = true;
    readiness.shut_down();
}

void Agent::State::apply(Instant /*now*/, const ShutDown& /*event*/, AgentOutput& /*output*/) {
    shutting_down = true;
    supervisor.shut_down();
    readiness.shut_down();
}

void Agent::State::apply(Instant /*now*/, const AgentWake& /*event*/, AgentOutput& /*output*/) {}

// ---- messages ----

void Agent::State::handle(Instant now, const CoordinatorMessage& message, AgentOutput& output) {
    if (const auto raised = must_remember(message)) {
        writing = raised;
        disk_due.reset();  // This write shows it.
        output.remember = raised;
        waiting.push_front(message);
        return;
    }
    std::visit([&](const auto& content) { take(now, content, output); }, message);
}

void Agent::State::handle_waiting(Instant now, AgentOutput& output) {
    while (!writing && !waiting.empty()) {
        const CoordinatorMessage message = std::move(waiting.front());
        waiting.pop_front();
        handle(now, message, output);
    }
}

std::optional<AgentMemory> Agent::State::must_remember(const CoordinatorMessage& message) const {
    if (const auto* poll = std::get_if<Poll>(&message)) {
        return is_for_us(poll->epoch, poll->incarnation)
                   ? obedience.must_remember(*session.leader(), *poll)
                   : std::nullopt;
    }
    if (const auto* batch = std::get_if<Batch>(&message)) {
        return obedience.must_remember(*batch);
    }
    if (const auto* refused = std::get_if<Refused>(&message)) {
        return obedience.must_remember(*refused);
    }
    return std::nullopt;
}

void Agent::State::take(Instant now, const Welcome& welcome, AgentOutput& /*output*/) {
    if (welcome.incarnation != obedience.memory().incarnation) {
        session.unknown(now);
        return;
    }
    session.welcomed(now, welcome);
    told = Revision{};
}

void Agent::State::take(Instant now, const Refused& refused, AgentOutput& /*output*/) {
    const bool known_is_past = refused.known < obedience.memory().incarnation;
    if (refused.code == Errc::hello_required ||
        (refused.code == Errc::stale_incarnation && known_is_past)) {
        session.unknown(now);
    } else {
        session.refused(now, std::chrono::milliseconds{refused.retry_after_ms});
    }
}

bool Agent::State::is_for_us(Epoch epoch, Incarnation incarnation) const {
    return session.leader() && session.leader()->epoch == epoch &&
           incarnation == obedience.memory().incarnation;
}

// Another life is not answered for: who asked it hears that it is gone.
template <class Errand>
    requires requires(Errand errand) { errand.stamp; }
void Agent::State::take(Instant /*now*/, const Errand& errand, AgentOutput& output) {
    if (!is_for_us(errand.stamp.epoch, errand.stamp.incarnation) || !errands.is_new(errand.stamp)) {
        return;
    }
    const Welcome& leader = *session.leader();
    if (const auto judged = obedience.judge(leader.cluster, leader.epoch, leader.leader); !judged) {
        output.messages.emplace_back(
            ErrandFailed{errand.stamp, judged.error().code, judged.error().detail});
        return;
    }
    Errands::carry_out(errand, supervisor.instances(), output);
}

void Agent::State::take(Instant now, const Poll& poll, AgentOutput& output) {
    if (!is_for_us(poll.epoch, poll.incarnation)) {
        session.unknown(now);
        return;
    }
    const Welcome& leader = *session.leader();
    if (obedience.judge(leader.cluster, leader.epoch, leader.leader)) {
        obedience.answered(poll);
        polled = now;
        supervisor.extend_lease(now, poll.lease);
        if (poll.check) {
            readiness.ask();
        }
    }
    settle(now, output);
    report(now, poll.epoch, poll.term, poll.seen, output);
}

void Agent::State::take(Instant now, const Batch& batch, AgentOutput& output) {
    Ack ack;
    ack.epoch = obedience.memory().epoch;
    ack.incarnation = obedience.memory().incarnation;
    if (const auto judged = obedience.judge(batch); !judged) {
        for (const Stop& stop : batch.stops) {
            ack.refusals.push_back({stop.id, stop.generation, judged.error().code, {}});
        }
        for (const Start& start : batch.starts) {
            ack.refusals.push_back({start.id, start.generation, judged.error().code, {}});
        }
    } else if (obedience.obey(batch)) {
        carry_out(now, batch, ack.refusals);
    }
    ack.obeyed = obedience.obeyed(ack.epoch);
    output.messages.emplace_back(std::move(ack));
}

void Agent::State::carry_out(Instant now, const Batch& batch, std::vector<Refusal>& refusals) {
    std::map<std::string, Error> unsound;
    for (const SpecVersion& version : batch.specs) {
        if (auto learned = supervisor.learn(version); !learned) {
            unsound.insert_or_assign(version.task, std::move(learned.error()));
        }
    }
    for (const Stop& stop : batch.stops) {
        supervisor.stop(stop);
    }
    for (const Start& start : batch.starts) {
        auto started = supervisor.start(now, start);
        if (started) {
            continue;
        }
        const auto fault = unsound.find(start.id.task);
        const Error& error = fault == unsound.end() ? started.error() : fault->second;
        refusals.push_back(
            {start.id, start.generation, error.code, error.detail.substr(0, limits::detail_bytes)});
    }
}

// ---- outputs ----

void Agent::State::settle(Instant now, AgentOutput& output) {
    if (!leaving) {
        supervisor.wake(now);
    }
    write_journal(now, output);
    auto orders = supervisor.take_orders();
    std::ranges::move(orders.releases, std::back_inserter(output.releases));
    std::ranges::move(orders.ends, std::back_inserter(output.ends));
    std::ranges::move(orders.renewals, std::back_inserter(output.renewals));
    std::ranges::move(orders.spawns, std::back_inserter(output.spawns));
    const auto touched = supervisor.take_touched();
    reporter.note(touched, supervisor.instances());
    std::ranges::copy_if(touched, std::back_inserter(output.left), [&](const InstanceId& id) {
        return !supervisor.instances().contains(id);
    });
    host.spawn_failing = supervisor.spawn_failing();
    host.journal_failing = memory_failing || journal_failing;
    readiness.wake(now, host.spawn_failing);
    readiness.describe(host);
    auto checks = readiness.take_orders();
    std::ranges::move(checks.releases, std::back_inserter(output.releases));
    std::ranges::move(checks.ends, std::back_inserter(output.ends));
    std::ranges::move(checks.spawns, std::back_inserter(output.checks));
    try_disk(now, output);
    tell_soon(now, touched);
}

// Of what is being started more is known in a moment.
void Agent::State::tell_soon(Instant now, const std::set<InstanceId>& touched) {
    if (touched.empty()) {
        return;
    }
    const auto is_starting = [&](const InstanceId& id) {
        const auto found = supervisor.instances().find(id);
        return found != supervisor.instances().end() &&
               (found->second.report.state == InstanceState::pending ||
                found->second.report.state == InstanceState::starting);
    };
    const Duration delay = std::ranges::all_of(touched, is_starting) ? between_deltas : delta_delay;
    const Instant due = std::max(now + delay, delta_sent + between_deltas);
    delta_due = std::min(delta_due.value_or(due), due);
}

void Agent::State::write_journal(Instant now, AgentOutput& output) {
    if (journal_due && now < *journal_due) {
        return;
    }
    journal_due.reset();
    if (!output.journal) {
        output.journal = supervisor.take_journal();
    }
}

void Agent::State::try_disk(Instant now, AgentOutput& output) {
    if (!writing && disk_due && *disk_due <= now) {
        disk_due.reset();
        trying_disk = true;
        writing = obedience.memory();
        output.remember = writing;
    }
}

void Agent::State::report(Instant now, Epoch epoch, Term term, Revision seen, AgentOutput& output) {
    Report report = reporter.since(seen, supervisor.instances());
    report.epoch = epoch;
    report.term = term;
    report.incarnation = obedience.memory().incarnation;
    report.obeyed = obedience.obeyed(epoch);
    report.host = host;
    report.stamp = boot_ms(now);
    told = report.to;
    output.messages.emplace_back(std::move(report));
}

bool Agent::State::has_news() const {
    return session.leader() && told != Revision{} && told != reporter.revision();
}

void Agent::State::send_due(Instant now, AgentOutput& output) {
    if (delta_due && now >= *delta_due) {
        delta_due.reset();
        // Who shuts down tells what is gone once: what each delta led to would be refused.
        if (!shutting_down && has_news()) {
            delta_sent = now;
            report(now, session.leader()->epoch, Term{}, told, output);
        }
    }
    if (session.hello_due(now)) {
        session.said_hello(now);
        const AgentMemory& memory = obedience.memory();
        output.messages.emplace_back(Hello{.name = options.name,
                                           .cluster = memory.cluster,
                                           .boot = options.boot,
                                           .life = options.life,
                                           .incarnation = memory.incarnation,
                                           .epoch = memory.epoch,
                                           .leader = memory.leader,
                                           .counter = memory.counter,
                                           .version = options.version,
                                           .offer = options.offer,
                                           .limits = options.limits});
    }
}

void Agent::State::finish(Instant now, AgentOutput& output) {
    // A journal that cannot be written keeps nobody here; its processes tell the next life.
    const bool is_written = supervisor.is_journaled() || journal_failing;
    const bool is_over = (leaving || (shutting_down && supervisor.count() == 0)) && is_written;
    if (finished || !is_over || readiness.is_running()) {
        return;
    }
    finished = true;
    if (has_news()) {
        report(now, session.leader()->epoch, Term{}, told, output);
    }
    output.messages.emplace_back(
        Goodbye{.incarnation = obedience.memory().incarnation,
                .instances = static_cast<std::uint32_t>(supervisor.count())});
    output.finished = true;
}

// ---- the agent ----

Agent::Agent(Instant now, AgentOptions options, const Beginning& beginning)
    : state_{std::make_unique<State>(now, std::move(options), beginning)} {
    ensure(raw(beginning.memory.incarnation) > 0, "a life has an incarnation before it begins");
}

Agent::~Agent() = default;

AgentOutput Agent::step(Instant now, const AgentInput& input) {
    AgentOutput output;
    if (state_->finished) {
        return output;  // Who said goodbye says nothing any more.
    }
    state_->supervisor.end_lease_if_due(now);
    std::visit([&](const auto& event) { state_->apply(now, event, output); }, input);
    state_->settle(now, output);
    state_->send_due(now, output);
    state_->finish(now, output);
    return output;
}

Instant Agent::next_deadline() const {
    Instant earliest = state_->session.next_deadline();
    if (state_->delta_due) {
        earliest = std::min(earliest, *state_->delta_due);
    }
    for (const auto deadline :
         {state_->supervisor.next_deadline(), state_->readiness.next_deadline(), state_->disk_due,
          state_->journal_due}) {
        earliest = std::min(earliest, deadline.value_or(earliest));
    }
    return earliest;
}

std::vector<LocalInstance> Agent::instances() const {
    std::vector<LocalInstance> all;
    all.reserve(state_->supervisor.instances().size());
    for (const auto& [id, instance] : state_->supervisor.instances()) {
        all.push_back({instance.report, instance.identity});
    }
    return all;
}

const AgentMemory& Agent::memory() const { return state_->obedience.memory(); }

bool Agent::led(Instant now) const {
    return state_->session.leader() && state_->polled &&
           now - *state_->polled <= state_->session.patience();
}

}  // namespace muster
