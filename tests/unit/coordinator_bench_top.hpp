#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "coordinator/core/coordinator.hpp"

namespace muster::testing {

/// An agent played by the test: it answers polls and obeys commands as honest ones do, unless told
/// otherwise. A start runs at once, a stop is gone at once.
struct Puppet {
    std::string name;
    Session session{};
    ClusterId cluster;
    LifeId life;
    Incarnation incarnation{1};
    Epoch epoch{};
    LeaderId leader;
    Generation counter{};

    bool answers = true;  ///< Polls.
    bool obeys = true;    ///< Commands.
    bool tells = true;    ///< Changes, unasked.

    Revision revision{1};
    Sequence obeyed{};
    HostFacts host{};
    std::map<InstanceId, InstanceReport> instances;

    std::vector<Poll> polls;
    std::vector<Batch> batches;
    std::vector<Welcome> welcomes;
    std::vector<Refused> refusals;
};

/// A coordinator alone on a bench: agents are puppets, the store is a switch, time is a number.
class BenchTop {
public:
    static constexpr Instant start{1'000s};
    static constexpr ClusterId cluster{0xc1, 0xc1};
    static constexpr LeaderId leader{0x1e, 0x1e};
    static constexpr CivilMs civil_start{1'700'000'000'000};

    static StoreImage empty_store() {
        StoreImage image;
        image.meta = Meta{cluster, Epoch{3}, leader, Generation{10}, CivilMs{}};
        return image;
    }

    static StoreImage store_with(std::vector<StoredNode> nodes) {
        StoreImage image = empty_store();
        image.nodes = std::move(nodes);
        return image;
    }
    static StoredNode stored(const std::string& name, Incarnation incarnation = Incarnation{1}) {
        return StoredNode{.name = name, .incarnation = incarnation};
    }

    explicit BenchTop(const StoreImage& image = empty_store(), CoordinatorOptions options = {})
        : coordinator{start, std::move(options), image} {
        give(CivilTime{civil_start});
        give(Wake{});
    }

    /// One input, and all that follows from it at this instant.
    Output give(const Input& input) {
        Output first = take(input);
        while (!queue.empty()) {
            const Input following = std::move(queue.front());
            queue.pop_front();
            take(following);
        }
        return first;
    }

    /// Lets time pass, waking the coordinator whenever it wants to be.
    void pass(Duration duration) {
        const Instant end = now + duration;
        while (coordinator.next_deadline() <= end) {
            now = std::max(now, coordinator.next_deadline());
            give(Wake{});
        }
        now = end;
    }

    /// A puppet that has not said hello yet.
    Puppet& add(const std::string& name) {
        Puppet& puppet = puppets[name];
        puppet.name = name;
        puppet.life = LifeId{0x11fe, next_number++};
        puppet.session = Session{next_number++};
        return puppet;
    }
    Output say_hello(Puppet& puppet) { return give(FromAgent{puppet.session, hello_of(puppet)}); }
    /// A puppet that has joined and reported.
    Puppet& join(const std::string& name) {
        Puppet& puppet = add(name);
        say_hello(puppet);
        return puppet;
    }
    static Hello hello_of(const Puppet& puppet) {
        return Hello{puppet.name,  puppet.cluster, BootId{1, 1},   puppet.life, puppet.incarnation,
                     puppet.epoch, puppet.leader,  puppet.counter, "1.0"};
    }
    Puppet& operator[](const std::string& name) { return puppets.at(name); }

    /// Asks, and gives the answer if there is one yet.
    std::optional<Reply> ask(RequestBody body, RequestId id = {}) {
        const Ticket ticket = request(std::move(body), id);
        return reply_to(ticket);
    }
    Ticket request(RequestBody body, RequestId id = {}) {
        const Ticket ticket{next_number++};
        give(FromOperator{ticket, Request{id, std::move(body)}});
        return ticket;
    }
    std::optional<Reply> reply_to(Ticket ticket) const {
        const auto found = replies.find(ticket);
        return found == replies.end() ? std::nullopt : std::optional{found->second};
    }
    template <class T>
    T read(RequestBody body) {
        return std::get<T>(ask(std::move(body)).value().result.value());
    }
    StatusReply status() { return read<StatusReply>(StatusRequest{}); }
    NodeView node(const std::string& name) {
        return read<NodeShowReply>(NodeShowRequest{name}).node;
    }

    /// Applies one task of that many instances.
    std::optional<Reply> want(const std::string& task, std::uint32_t instances,
                              const std::string& program = "/bin/sleep") {
        return ask(ApplyRequest{.tasks = {wanted(task, instances, program)}}, fresh_id());
    }
    static WantedTask wanted(const std::string& task, std::uint32_t instances,
                             const std::string& program = "/bin/sleep") {
        WantedTask result;
        result.name = task;
        result.instances = instances;
        result.spec.argv = {program, "60"};
        return result;
    }
    /// A request id made now.
    RequestId fresh_id() { return id_made_at(civil_start, next_number++); }
    static RequestId id_made_at(CivilMs at, std::uint64_t number) {
        return RequestId{static_cast<std::uint64_t>(at) << 16U, number};
    }

    std::size_t running(const std::string& task) const {
        std::size_t count = 0;
        for (const auto& [name, puppet] : puppets) {
            for (const auto& [id, instance] : puppet.instances) {
                count += id.task == task && instance.state == InstanceState::running ? 1U : 0U;
            }
        }
        return count;
    }
    bool happened(const std::string& topic, const std::string& name) const {
        return std::ranges::any_of(
            events, [&](const Event& event) { return event.topic == topic && event.name == name; });
    }
    /// The store says that all it was given is durable.
    void confirm() {
        if (given > 0) {
            give(Persisted{given});
        }
    }

    Report report_of(Puppet& puppet, const Poll& poll) const {
        Report report;
        report.kind = poll.seen == puppet.revision ? ReportKind::same : ReportKind::snapshot;
        report.epoch = poll.epoch;
        report.term = poll.term;
        report.incarnation = puppet.incarnation;
        report.from = puppet.revision;
        report.to = puppet.revision;
        report.obeyed = puppet.obeyed;
        report.host = puppet.host;
        if (report.kind == ReportKind::snapshot) {
            for (const auto& [id, instance] : puppet.instances) {
                report.instances.push_back(instance);
            }
        }
        return report;
    }

    Instant now = start;
    Coordinator coordinator;
    bool store_works = true;  ///< It confirms at once; otherwise confirm() does.
    std::map<std::string, Puppet> puppets;
    std::map<Ticket, Reply> replies;
    std::map<Ticket, int> reply_counts;
    std::vector<Event> events;
    std::vector<Persist> persisted;
    std::optional<std::string> resigned;
    std::deque<Input> queue;
    std::uint64_t given = 0;
    std::uint64_t next_number = 1;

private:
    Output take(const Input& input) {
        Output output = coordinator.step(now, input);
        for (const Persist& persist : output.persist) {
            given = persist.number;
            persisted.push_back(persist);
            if (store_works) {
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
            replies.insert_or_assign(reply.ticket, reply.reply);
            ++reply_counts[reply.ticket];
        }
        events.insert(events.end(), output.events.begin(), output.events.end());
        if (output.resign) {
            resigned = output.resign;
        }
        return output;
    }

    Puppet* find(Session session) {
        for (auto& [name, puppet] : puppets) {
            if (puppet.session == session) {
                return &puppet;
            }
        }
        return nullptr;
    }
    void hear(Session session, const Welcome& welcome) {
        if (Puppet* puppet = find(session)) {
            puppet->welcomes.push_back(welcome);
        }
    }
    void hear(Session session, const Refused& refused) {
        if (Puppet* puppet = find(session)) {
            puppet->refusals.push_back(refused);
        }
    }
    void hear(Session session, const Poll& poll) {
        Puppet* puppet = find(session);
        if (puppet == nullptr) {
            return;
        }
        puppet->polls.push_back(poll);
        if (puppet->answers) {
            queue.emplace_back(FromAgent{session, report_of(*puppet, poll)});
        }
    }
    void hear(Session session, const Batch& batch) {
        Puppet* puppet = find(session);
        if (puppet == nullptr) {
            return;
        }
        puppet->batches.push_back(batch);
        if (puppet->obeys) {
            obey(*puppet, batch);
        }
    }
    void obey(Puppet& puppet, const Batch& batch) {
        Report report{.kind = ReportKind::delta,
                      .epoch = batch.epoch,
                      .term = {},
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
};

}  // namespace muster::testing
