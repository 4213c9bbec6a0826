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

namespace muster::coordinator::testing {

/// An agent played by the test. By default it answers polls and obeys commands as an honest agent
/// does: a start runs at once, a stopped instance is gone at once.
struct FakeAgent {
    std::string name;
    Session session{};
    ClusterId cluster;
    LifeId life;
    Incarnation incarnation{1};
    Epoch epoch{};
    LeaderId leader;
    Generation counter{};

    bool answers = true;          ///< Answers polls.
    bool obeys = true;            ///< Obeys commands.
    bool reports_changes = true;  ///< Reports changes without a poll.
    bool stamps = false;          ///< Stamps reports; its host booted with the test.
    bool keeps_proofs = false;    ///< Repeats the proofs of its starts.

    Revision revision{1};
    Sequence obeyed{};
    Offer offer{};
    HostFacts host{};
    HostVitals vitals{};
    std::map<InstanceId, InstanceReport> instances;

    std::vector<Poll> polls;
    std::vector<Batch> batches;
    std::vector<Welcome> welcomes;
    std::vector<Refused> refusals;
    std::vector<ReadLog> readings;
    std::vector<SendSignal> signals;
    std::vector<Measure> measures;
    std::vector<KeyRegistered> registered;
};

/// A coordinator without a shell: the test plays its agents and its store, and sets the time.
class CoordinatorHarness {
public:
    static constexpr Instant start{1'000s};
    static constexpr ClusterId cluster{0xc1, 0xc1};
    static constexpr LeaderId leader{0x1e, 0x1e};
    static constexpr CivilMs civil_start{1'700'000'000'000};

    static constexpr std::uint32_t newest_schema = 12;

    static StoreImage empty_store();
    static StoreImage store_with(std::vector<StoredNode> nodes);
    static StoredNode stored(const std::string& name, Incarnation incarnation = Incarnation{1});

    /// The default options, but a node is silent after two missed polls and lost after three.
    static CoordinatorOptions losing_quickly();

    explicit CoordinatorHarness(const StoreImage& image = empty_store(),
                                CoordinatorOptions options = losing_quickly());
    ~CoordinatorHarness();
    CoordinatorHarness(const CoordinatorHarness&) = delete;
    CoordinatorHarness& operator=(const CoordinatorHarness&) = delete;
    CoordinatorHarness(CoordinatorHarness&&) = delete;
    CoordinatorHarness& operator=(CoordinatorHarness&&) = delete;

    /// Gives one input and handles all effects at this instant.
    Output give(const Input& input);

    /// Lets time pass and wakes the coordinator at its deadlines.
    void pass(Duration duration);

    /// An agent that has not sent a hello yet.
    FakeAgent& add(const std::string& name);
    Output send_hello(FakeAgent& fake);
    /// An agent that has joined and reported.
    FakeAgent& join(const std::string& name);
    static Hello hello_of(const FakeAgent& fake);
    FakeAgent& operator[](const std::string& name) { return fakes.at(name); }

    /// Sends a request and returns the answer if there is one yet.
    std::optional<Reply> ask(CoreRequestBody body, RequestId id = {});
    Ticket request(CoreRequestBody body, RequestId id = {});
    std::optional<Reply> reply_to(Ticket ticket) const;
    template <class T>
    T read(CoreRequestBody body) {
        return std::get<T>(ask(std::move(body)).value().result.value());
    }
    StatusReply status();
    NodeView node(const std::string& name);

    /// Applies one task with this number of instances.
    std::optional<Reply> want(const std::string& task, std::uint32_t instances,
                              const std::string& program = "/bin/sleep");
    static WantedTask wanted(const std::string& task, std::uint32_t instances,
                             const std::string& program = "/bin/sleep");
    /// A new request id with the present time.
    RequestId fresh_id() { return id_made_at(civil_start, next_number++); }
    static RequestId id_made_at(CivilMs at, std::uint64_t number);

    std::size_t running(const std::string& task) const;
    bool happened(const std::string& topic, const std::string& name) const;
    /// The store confirms everything that it was given.
    void confirm();

    Report report_of(FakeAgent& fake, const Poll& poll) const;
    /// The agent reports the present state of the instance without a poll.
    void report_change(FakeAgent& fake, const InstanceId& id);

    Instant now = start;
    Coordinator coordinator;
    bool store_works = true;  ///< It confirms at once; otherwise the test calls confirm().
    std::map<std::string, FakeAgent> fakes;
    std::map<Ticket, Reply> replies;
    std::map<Ticket, int> reply_counts;
    std::vector<Event> events;
    std::vector<Persist> persisted;
    std::vector<OutsideCall> calls;  ///< The test answers them.
    std::optional<std::string> resigned;
    std::deque<Input> queue;
    std::uint64_t given = 0;
    std::uint64_t next_number = 1;

private:
    Output on_input(const Input& input);

    FakeAgent* find(Session session);
    void deliver(Session session, const Welcome& welcome);
    void deliver(Session session, const Refused& refused);
    void deliver(Session session, const Poll& poll);
    void deliver(Session session, const Batch& batch);
    void deliver(Session session, const ReadLog& call);
    void deliver(Session session, const SendSignal& call);
    void deliver(Session session, const Measure& call);
    void deliver(Session session, const KeyRegistered& registered);
    void obey(FakeAgent& fake, const Batch& batch);
};

}  // namespace muster::coordinator::testing
