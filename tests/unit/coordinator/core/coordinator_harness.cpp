#include "tests/unit/coordinator/core/coordinator_harness.hpp"

#include <algorithm>

namespace muster::coordinator::testing {

StoreImage CoordinatorHarness::empty_store() {
    StoreImage image;
    image.meta = Meta{cluster, Epoch{3}, leader, Generation{10}, CivilMs{}};
    return image;
}

StoreImage CoordinatorHarness::store_with(std::vector<StoredNode> nodes) {
    StoreImage image = empty_store();
    image.nodes = std::move(nodes);
    return image;
}

StoredNode CoordinatorHarness::stored(const std::string& name, Incarnation incarnation) {
    return StoredNode{.name = name, .incarnation = incarnation};
}

CoordinatorOptions CoordinatorHarness::losing_quickly() {
    CoordinatorOptions options;
    options.loss.silent_after = 2;
    options.loss.after = 3;
    options.recovery_grace = usual_recovery_grace(options);
    return options;
}

CoordinatorHarness::CoordinatorHarness(const StoreImage& image, CoordinatorOptions options)
    : coordinator{start, std::move(options), image} {
    give(CivilTime{civil_start});
    give(Wake{});
}

CoordinatorHarness::~CoordinatorHarness() = default;

Output CoordinatorHarness::give(const Input& input) {
    Output first = take(input);
    while (!queue.empty()) {
        const Input following = std::move(queue.front());
        queue.pop_front();
        take(following);
    }
    return first;
}

void CoordinatorHarness::pass(Duration duration) {
    const Instant end = now + duration;
    while (coordinator.next_deadline() <= end) {
        now = std::max(now, coordinator.next_deadline());
        give(Wake{});
    }
    now = end;
}

FakeAgent& CoordinatorHarness::add(const std::string& name) {
    FakeAgent& puppet = puppets[name];
    puppet.name = name;
    puppet.life = LifeId{0x11fe, next_number++};
    puppet.session = Session{next_number++};
    return puppet;
}

FakeAgent& CoordinatorHarness::join(const std::string& name) {
    FakeAgent& puppet = add(name);
    say_hello(puppet);
    return puppet;
}

Output CoordinatorHarness::say_hello(FakeAgent& puppet) {
    return give(FromAgent{puppet.session, hello_of(puppet)});
}

Hello CoordinatorHarness::hello_of(const FakeAgent& puppet) {
    return Hello{puppet.name,  puppet.cluster, BootId{1, 1},   puppet.life, puppet.incarnation,
                 puppet.epoch, puppet.leader,  puppet.counter, "1.0"};
}

std::optional<Reply> CoordinatorHarness::ask(CoreRequestBody body, RequestId id) {
    const Ticket ticket = request(std::move(body), id);
    return reply_to(ticket);
}

Ticket CoordinatorHarness::request(CoreRequestBody body, RequestId id) {
    const Ticket ticket{next_number++};
    give(FromOperator{ticket, CoreRequest{id, std::move(body)}});
    return ticket;
}

std::optional<Reply> CoordinatorHarness::reply_to(Ticket ticket) const {
    const auto found = replies.find(ticket);
    return found == replies.end() ? std::nullopt : std::optional{found->second};
}

StatusReply CoordinatorHarness::status() { return read<StatusReply>(StatusRequest{}); }

NodeView CoordinatorHarness::node(const std::string& name) {
    return read<NodeShowReply>(NodeShowRequest{name}).node;
}

std::optional<Reply> CoordinatorHarness::want(const std::string& task, std::uint32_t instances,
                                              const std::string& program) {
    return ask(ApplyRequest{.tasks = {wanted(task, instances, program)}}, fresh_id());
}

WantedTask CoordinatorHarness::wanted(const std::string& task, std::uint32_t instances,
                                      const std::string& program) {
    WantedTask result;
    result.name = task;
    result.instances = instances;
    result.spec.argv = {program, "60"};
    result.spec.update.min_healthy = {};  // Most tests do not test roll-outs.
    return result;
}

RequestId CoordinatorHarness::id_made_at(CivilMs at, std::uint64_t number) {
    return RequestId{static_cast<std::uint64_t>(at) << 16U, number};
}

std::size_t CoordinatorHarness::running(const std::string& task) const {
    std::size_t count = 0;
    for (const auto& [name, puppet] : puppets) {
        for (const auto& [id, instance] : puppet.instances) {
            count += id.task == task && instance.state == InstanceState::running ? 1U : 0U;
        }
    }
    return count;
}

bool CoordinatorHarness::happened(const std::string& topic, const std::string& name) const {
    return std::ranges::any_of(
        events, [&](const Event& event) { return event.topic == topic && event.name == name; });
}

void CoordinatorHarness::confirm() {
    if (given > 0) {
        give(Persisted{given});
    }
}

Report CoordinatorHarness::report_of(FakeAgent& puppet, const Poll& poll) const {
    Report report;
    report.kind = poll.seen == puppet.revision ? ReportKind::same : ReportKind::snapshot;
    report.epoch = poll.epoch;
    report.round = poll.round;
    report.incarnation = puppet.incarnation;
    report.from = puppet.revision;
    report.to = puppet.revision;
    report.obeyed = puppet.obeyed;
    report.host = puppet.host;
    report.vitals = puppet.vitals;
    report.stamp = puppet.stamps ? boot_ms(now) : BootMs{};
    if (report.kind == ReportKind::snapshot) {
        for (const auto& [id, instance] : puppet.instances) {
            report.instances.push_back(instance);
        }
    }
    return report;
}

Output CoordinatorHarness::take(const Input& input) {
    Output output = coordinator.step(now, input);
    for (const Persist& persist : output.persist) {
        given = persist.number;
        persisted.push_back(persist);
        if (store_works && !goes_on(persist)) {
            queue.emplace_back(Persisted{persist.number});
        }
    }
    for (const ToAgent& message : output.messages) {
        std::visit([&](const auto& body) { hear(message.session, body); }, message.message);
    }
    for (const PollTo& poll : output.polls) {
        hear(poll.session, poll.poll);
    }
    for (const ReplyTo& reply : output.replies) {
        replies.insert_or_assign(reply.ticket, *reply.reply);
        ++reply_counts[reply.ticket];
    }
    events.insert(events.end(), output.events.begin(), output.events.end());
    if (output.resign) {
        resigned = output.resign;
    }
    return output;
}

FakeAgent* CoordinatorHarness::find(Session session) {
    for (auto& [name, puppet] : puppets) {
        if (puppet.session == session) {
            return &puppet;
        }
    }
    return nullptr;
}

void CoordinatorHarness::hear(Session session, const Welcome& welcome) {
    if (FakeAgent* puppet = find(session)) {
        puppet->welcomes.push_back(welcome);
    }
}

void CoordinatorHarness::hear(Session session, const Refused& refused) {
    if (FakeAgent* puppet = find(session)) {
        puppet->refusals.push_back(refused);
    }
}

// The test answers errands itself.
void CoordinatorHarness::hear(Session session, const ReadLog& errand) {
    if (FakeAgent* puppet = find(session)) {
        puppet->readings.push_back(errand);
    }
}

void CoordinatorHarness::hear(Session session, const SendSignal& errand) {
    if (FakeAgent* puppet = find(session)) {
        puppet->signals.push_back(errand);
    }
}

void CoordinatorHarness::hear(Session session, const Measure& errand) {
    if (FakeAgent* puppet = find(session)) {
        puppet->measures.push_back(errand);
    }
}

void CoordinatorHarness::hear(Session session, const Poll& poll) {
    FakeAgent* puppet = find(session);
    if (puppet == nullptr) {
        return;
    }
    puppet->polls.push_back(poll);
    if (puppet->answers) {
        queue.emplace_back(FromAgent{session, report_of(*puppet, poll)});
    }
}

void CoordinatorHarness::hear(Session session, const Batch& batch) {
    FakeAgent* puppet = find(session);
    if (puppet == nullptr) {
        return;
    }
    puppet->batches.push_back(batch);
    if (puppet->obeys) {
        obey(*puppet, batch);
    }
}

void CoordinatorHarness::obey(FakeAgent& puppet, const Batch& batch) {
    Report report{.kind = ReportKind::delta,
                  .epoch = batch.epoch,
                  .round = {},
                  .incarnation = puppet.incarnation,
                  .from = puppet.revision,
                  .to = next(puppet.revision),
                  .obeyed = batch.sequence,
                  .host = {},
                  .instances = {},
                  .gone = {}};
    for (const Stop& stop : batch.stops) {
        if (puppet.instances.erase(stop.id) > 0) {
            report.gone.push_back(stop.id);
        }
    }
    for (const Start& started : batch.starts) {
        InstanceReport& instance = puppet.instances[started.id];
        instance = InstanceReport{};
        instance.id = started.id;
        instance.generation = started.generation;
        instance.state = InstanceState::running;
        report.instances.push_back(instance);
    }
    puppet.obeyed = batch.sequence;
    puppet.revision = report.to;
    if (puppet.tells) {
        queue.emplace_back(FromAgent{puppet.session, std::move(report)});
    }
}

}  // namespace muster::coordinator::testing
