#include "tests/unit/coordinator/core/coordinator_harness.hpp"

#include <algorithm>

namespace muster::coordinator::testing {

StoreImage CoordinatorHarness::empty_store() {
    StoreImage image;
    image.meta = Meta{cluster, Epoch{3}, leader, Generation{10}, CivilMs{}, newest_schema};
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
    Output first = on_input(input);
    while (!queue.empty()) {
        const Input following = std::move(queue.front());
        queue.pop_front();
        on_input(following);
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
    FakeAgent& fake = fakes[name];
    fake.name = name;
    fake.life = LifeId{0x11fe, next_number++};
    fake.session = Session{next_number++};
    return fake;
}

FakeAgent& CoordinatorHarness::join(const std::string& name) {
    FakeAgent& fake = add(name);
    send_hello(fake);
    return fake;
}

Output CoordinatorHarness::send_hello(FakeAgent& fake) {
    return give(FromAgent{fake.session, hello_of(fake)});
}

Hello CoordinatorHarness::hello_of(const FakeAgent& fake) {
    return Hello{.name = fake.name,
                 .cluster = fake.cluster,
                 .boot = BootId{1, 1},
                 .life = fake.life,
                 .incarnation = fake.incarnation,
                 .epoch = fake.epoch,
                 .leader = fake.leader,
                 .counter = fake.counter,
                 .version = "1.0",
                 .offer = fake.offer,
                 .keeps_proofs = fake.keeps_proofs};
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
    for (const auto& [name, fake] : fakes) {
        for (const auto& [id, instance] : fake.instances) {
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

Report CoordinatorHarness::report_of(FakeAgent& fake, const Poll& poll) const {
    Report report;
    report.kind = poll.seen == fake.revision ? ReportKind::same : ReportKind::snapshot;
    report.epoch = poll.epoch;
    report.round = poll.round;
    report.incarnation = fake.incarnation;
    report.from = fake.revision;
    report.to = fake.revision;
    report.obeyed = fake.obeyed;
    report.host = fake.host;
    report.vitals = fake.vitals;
    report.stamp = fake.stamps ? boot_ms(now) : BootMs{};
    if (report.kind == ReportKind::snapshot) {
        for (const auto& [id, instance] : fake.instances) {
            report.instances.push_back(instance);
        }
    }
    return report;
}

Output CoordinatorHarness::on_input(const Input& input) {
    Output output = coordinator.step(now, input);
    for (const Persist& persist : output.persist) {
        given = persist.number;
        persisted.push_back(persist);
        if (store_works && !continues(persist)) {
            queue.emplace_back(Persisted{persist.number});
        }
    }
    for (const ToAgent& message : output.messages) {
        std::visit([&](const auto& body) { deliver(message.session, body); }, message.message);
    }
    for (const PollTo& poll : output.polls) {
        deliver(poll.session, poll.poll);
    }
    for (const ReplyTo& reply : output.replies) {
        replies.insert_or_assign(reply.ticket, *reply.reply);
        ++reply_counts[reply.ticket];
    }
    events.insert(events.end(), output.events.begin(), output.events.end());
    calls.insert(calls.end(), output.calls.begin(), output.calls.end());
    if (output.resign) {
        resigned = output.resign;
    }
    return output;
}

FakeAgent* CoordinatorHarness::find(Session session) {
    for (auto& [name, fake] : fakes) {
        if (fake.session == session) {
            return &fake;
        }
    }
    return nullptr;
}

void CoordinatorHarness::deliver(Session session, const Welcome& welcome) {
    if (FakeAgent* fake = find(session)) {
        fake->welcomes.push_back(welcome);
    }
}

void CoordinatorHarness::deliver(Session session, const Refused& refused) {
    if (FakeAgent* fake = find(session)) {
        fake->refusals.push_back(refused);
    }
}

// The test answers agent calls itself.
void CoordinatorHarness::deliver(Session session, const ReadLog& call) {
    if (FakeAgent* fake = find(session)) {
        fake->readings.push_back(call);
    }
}

void CoordinatorHarness::deliver(Session session, const SendSignal& call) {
    if (FakeAgent* fake = find(session)) {
        fake->signals.push_back(call);
    }
}

void CoordinatorHarness::deliver(Session session, const Measure& call) {
    if (FakeAgent* fake = find(session)) {
        fake->measures.push_back(call);
    }
}

void CoordinatorHarness::deliver(Session session, const KeyRegistered& registered) {
    if (FakeAgent* fake = find(session)) {
        fake->registered.push_back(registered);
    }
}

void CoordinatorHarness::deliver(Session session, const Poll& poll) {
    FakeAgent* fake = find(session);
    if (fake == nullptr) {
        return;
    }
    fake->polls.push_back(poll);
    if (fake->answers) {
        queue.emplace_back(FromAgent{session, report_of(*fake, poll)});
    }
}

void CoordinatorHarness::deliver(Session session, const Batch& batch) {
    FakeAgent* fake = find(session);
    if (fake == nullptr) {
        return;
    }
    fake->batches.push_back(batch);
    if (fake->obeys) {
        obey(*fake, batch);
    }
}

void CoordinatorHarness::report_change(FakeAgent& fake, const InstanceId& id) {
    Report report{.kind = ReportKind::delta,
                  .epoch = empty_store().meta.epoch,
                  .round = {},
                  .incarnation = fake.incarnation,
                  .from = fake.revision,
                  .to = next(fake.revision),
                  .obeyed = fake.obeyed,
                  .host = {},
                  .instances = {fake.instances.at(id)},
                  .gone = {}};
    fake.revision = report.to;
    give(FromAgent{fake.session, std::move(report)});
}

void CoordinatorHarness::obey(FakeAgent& fake, const Batch& batch) {
    Report report{.kind = ReportKind::delta,
                  .epoch = batch.epoch,
                  .round = {},
                  .incarnation = fake.incarnation,
                  .from = fake.revision,
                  .to = next(fake.revision),
                  .obeyed = batch.sequence,
                  .host = {},
                  .instances = {},
                  .gone = {}};
    for (const Stop& stop : batch.stops) {
        if (fake.instances.erase(stop.id) > 0) {
            report.gone.push_back(stop.id);
        }
    }
    for (const Start& started : batch.starts) {
        InstanceReport& instance = fake.instances[started.id];
        instance = InstanceReport{};
        instance.id = started.id;
        instance.generation = started.generation;
        instance.state = InstanceState::running;
        instance.proof = fake.keeps_proofs ? started.proof : Proof{};
        report.instances.push_back(instance);
    }
    fake.obeyed = batch.sequence;
    fake.revision = report.to;
    if (fake.reports_changes) {
        queue.emplace_back(FromAgent{fake.session, std::move(report)});
    }
}

}  // namespace muster::coordinator::testing
