#include "agent/core/agent.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "agent/core/agent_state.hpp"
#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

namespace muster::agent {

namespace {

// Changes that come together are told together; the coordinator plans at once when told.
constexpr Duration delta_delay = 2ms;
constexpr Duration between_deltas = 20ms;

}  // namespace

// ---- messages ----

void State::handle(Instant now, const CoordinatorMessage& message, AgentOutput& output) {
    if (const auto raised = must_remember(message)) {
        writing = raised;
        memory_writes.begun(now);
        output.remember = raised;
        waiting.push_front(message);
        return;
    }
    std::visit([&](const auto& content) { take(now, content, output); }, message);
}

void State::handle_waiting(Instant now, AgentOutput& output) {
    while (!writing && !waiting.empty()) {
        const CoordinatorMessage message = std::move(waiting.front());
        waiting.pop_front();
        handle(now, message, output);
    }
}

std::optional<AgentMemory> State::must_remember(const CoordinatorMessage& message) const {
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

void State::take(Instant now, const Welcome& welcome, AgentOutput& /*output*/) {
    if (welcome.incarnation != obedience.memory().incarnation) {
        session.unknown(now);
        return;
    }
    session.welcomed(now, welcome);
    told = Revision{};
}

void State::take(Instant now, const Refused& refused, AgentOutput& /*output*/) {
    const bool known_is_past = refused.known < obedience.memory().incarnation;
    if (refused.code == Errc::hello_required ||
        (refused.code == Errc::stale_incarnation && known_is_past)) {
        session.unknown(now);
    } else {
        session.refused(now, std::chrono::milliseconds{refused.retry_after_ms});
    }
}

bool State::is_for_us(Epoch epoch, Incarnation incarnation) const {
    return session.leader() && session.leader()->epoch == epoch &&
           incarnation == obedience.memory().incarnation;
}

// Another life is not answered for: who asked it hears that it is gone.
template <class Errand>
    requires requires(Errand errand) { errand.stamp; }
void State::take(Instant /*now*/, const Errand& errand, AgentOutput& output) {
    if (!is_for_us(errand.stamp.epoch, errand.stamp.incarnation) || !errands.is_new(errand.stamp)) {
        return;
    }
    const Welcome& leader = *session.leader();
    if (const auto judged = obedience.judge(leader.cluster, leader.epoch, leader.leader); !judged) {
        output.messages.emplace_back(
            ErrandFailed{errand.stamp, judged.error().code, judged.error().detail});
        return;
    }
    AgentErrands::carry_out(errand, supervisor.instances(), output);
}

void State::take(Instant now, const Poll& poll, AgentOutput& output) {
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
    report(now, poll.epoch, poll.term, poll.seen, output, watch.tell(now, poll.seen == Revision{}));
}

void State::take(Instant now, const Batch& batch, AgentOutput& output) {
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

void State::carry_out(Instant now, const Batch& batch, std::vector<Refusal>& refusals) {
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

void State::settle(Instant now, AgentOutput& output) {
    if (!leaving) {
        supervisor.wake(now);
    }
    write_journal(now, output);
    auto orders = supervisor.take_orders();
    std::ranges::move(orders.releases, std::back_inserter(output.releases));
    std::ranges::move(orders.asks, std::back_inserter(output.asks));
    std::ranges::move(orders.ends, std::back_inserter(output.ends));
    std::ranges::move(orders.renewals, std::back_inserter(output.renewals));
    std::ranges::move(orders.spawns, std::back_inserter(output.spawns));
    const auto touched = supervisor.take_touched();
    reporter.note(touched, supervisor.instances());
    std::ranges::copy_if(touched, std::back_inserter(output.left), [&](const InstanceId& id) {
        return !supervisor.instances().contains(id);
    });
    look_at_host(now);
    readiness.wake(now, host.spawn_failing);
    readiness.describe(host);
    auto checks = readiness.take_orders();
    std::ranges::move(checks.releases, std::back_inserter(output.releases));
    std::ranges::move(checks.asks, std::back_inserter(output.asks));
    std::ranges::move(checks.ends, std::back_inserter(output.ends));
    std::ranges::move(checks.spawns, std::back_inserter(output.checks));
    try_disk(now, output);
    tell_soon(now, touched);
}

void State::look_at_host(Instant now) {
    host.spawn_failing = supervisor.spawn_failing();
    host.journal_failing = memory_writes.is_failing(now) || journal_writes.is_failing(now);
    watch.judge();
    host.unable = !watch.unable().empty();
}

// Of what is being started more is known in a moment.
void State::tell_soon(Instant now, const std::set<InstanceId>& touched) {
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

void State::write_journal(Instant now, AgentOutput& output) {
    if (now < journal_writes.retry().value_or(now)) {
        return;
    }
    journal_writes.tried();
    if (!output.journal) {
        output.journal = supervisor.take_journal();
    }
    if (output.journal) {
        journal_writes.begun(now);
    }
}

void State::try_disk(Instant now, AgentOutput& output) {
    if (!writing && now >= memory_writes.retry().value_or(Instant::max())) {
        trying_disk = true;
        writing = obedience.memory();
        memory_writes.begun(now);
        output.remember = writing;
    }
}

void State::report(Instant now, Epoch epoch, Term term, Revision seen, AgentOutput& output,
                   HostVitals vitals) {
    Report report = reporter.since(seen, supervisor.instances());
    report.epoch = epoch;
    report.term = term;
    report.incarnation = obedience.memory().incarnation;
    report.obeyed = obedience.obeyed(epoch);
    report.host = host;
    report.stamp = boot_ms(now);
    report.vitals = std::move(vitals);
    told = report.to;
    output.messages.emplace_back(std::move(report));
}

bool State::has_news() const {
    return session.leader() && told != Revision{} && told != reporter.revision();
}

void State::send_due(Instant now, AgentOutput& output) {
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
                                           .limits = options.limits,
                                           .capacity_from = options.capacity_from});
    }
}

void State::finish(Instant now, AgentOutput& output) {
    // A journal that cannot be written keeps nobody here; its processes tell the next life.
    const bool is_written = supervisor.is_journaled() || journal_writes.has_failed();
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
    // Who leaves starts nothing again, however long its disk keeps it here.
    const auto& supervisor = state_->supervisor;
    for (const auto deadline :
         {state_->leaving ? supervisor.lease_until() : supervisor.next_deadline(),
          state_->readiness.next_deadline(), state_->memory_writes.retry(),
          state_->journal_writes.retry()}) {
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

const std::string& Agent::unable() const { return state_->watch.unable(); }

bool Agent::led(Instant now) const {
    return state_->session.leader() && state_->polled &&
           now - *state_->polled <= state_->session.patience();
}

}  // namespace muster::agent
