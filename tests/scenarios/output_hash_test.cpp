#include "sim/model/output_hash.hpp"

#include <functional>
#include <set>
#include <vector>

#include "tests/scenarios/support.hpp"

namespace muster::sim {
namespace {

template <class Given>
using Changes = std::vector<std::function<void(Given&)>>;

const Changes<coordinator::Output> of_coordinator{
    [](auto& o) {
        o.persist.emplace_back().writes = {coordinator::Erase<coordinator::StoredTask>{"web"}};
    },
    [](auto& o) {
        o.persist.emplace_back().writes = {coordinator::Erase<coordinator::StoredTask>{"db"}};
    },
    [](auto& o) {
        o.messages.push_back({coordinator::Session{1}, Welcome{}});
    },
    [](auto& o) {
        o.messages.push_back({coordinator::Session{2}, Welcome{}});
    },
    [](auto& o) {
        o.messages.push_back({coordinator::Session{1}, Batch{}});
    },
    [](auto& o) { o.polls.emplace_back().session = coordinator::Session{1}; },
    [](auto& o) { o.polls.emplace_back().poll.round = Round{2}; },
    [](auto& o) {
        o.replies.push_back({coordinator::Ticket{1}, Reply{{}, StatusReply{}}});
    },
    [](auto& o) {
        o.replies.push_back({coordinator::Ticket{2}, Reply{{}, StatusReply{}}});
    },
    [](auto& o) { o.events.emplace_back().name = "n1"; },
    [](auto& o) { o.events.emplace_back().name = "n2"; },
    [](auto& o) { o.resign = "the store failed"; },
    [](auto& o) { o.closed_round = true; },
};

const Changes<agent::AgentOutput> of_agent{
    [](auto& o) { o.remember.emplace(); },
    [](auto& o) { o.remember.emplace().epoch = Epoch{1}; },
    [](auto& o) { o.journal.emplace(); },
    [](auto& o) { o.journal.emplace().instances.emplace_back(); },
    [](auto& o) { o.journal.emplace().instances.emplace_back().leaving = true; },
    [](auto& o) {
        o.journal.emplace().instances.emplace_back().report.proof.incarnation = Incarnation{1};
    },
    [](auto& o) {
        o.journal.emplace().gone.push_back({"web", 0});
    },
    [](auto& o) { o.journal.emplace().specs.emplace_back().task = "web"; },
    [](auto& o) { o.journal.emplace().specs.emplace_back().spec.nice = 1; },
    [](auto& o) { o.processes.releases.push_back({agent::ProcessId{1}}); },
    [](auto& o) {
        o.processes.ends.push_back({agent::ProcessId{1}, 15, 10s});
    },
    [](auto& o) {
        o.processes.ends.push_back({agent::ProcessId{1}, 15, 9s});
    },
    [](auto& o) {
        o.processes.renewals.push_back({agent::ProcessId{1}, origin});
    },
    [](auto& o) {
        o.signals.push_back({agent::ProcessId{1}, 1});
    },
    [](auto& o) {
        o.left.push_back({"web", 0});
    },
    [](auto& o) { o.processes.spawns.emplace_back(); },
    [](auto& o) { o.processes.spawns.emplace_back().token = 7; },
    [](auto& o) { o.processes.spawns.emplace_back().spec.argv = {"sleep"}; },
    [](auto& o) { o.checks.emplace_back(); },
    [](auto& o) { o.readings.push_back(ReadLog{}); },
    [](auto& o) { o.readings.push_back(agent::MeasureProcesses{}); },
    [](auto& o) { o.messages.push_back(Departure{}); },
    [](auto& o) { o.messages.push_back(Departure{.instances = 1}); },
    [](auto& o) { o.finished = true; },
};

std::uint64_t hash_of(const auto&... of_step) {
    OutputHash hash;
    hash.add(of_step...);
    return hash.value();
}

// Goal: the hash covers each part of an output. Method: change each part alone.
TEST_CASE("the hash of outputs covers each part of them, their time and their core", "[trace]") {
    std::set<std::uint64_t> hashes{
        OutputHash{}.value(),
        hash_of(origin, coordinator::Output{}),
        hash_of(origin + 1ms, coordinator::Output{}),
        hash_of(origin, HostIndex{0}, agent::AgentOutput{}),
        hash_of(origin, HostIndex{1}, agent::AgentOutput{}),
    };
    for (const auto& change : of_coordinator) {
        coordinator::Output output;
        change(output);
        hashes.insert(hash_of(origin, output));
    }
    for (const auto& change : of_agent) {
        agent::AgentOutput output;
        change(output);
        hashes.insert(hash_of(origin, HostIndex{0}, output));
    }
    CHECK(hashes.size() == 5 + of_coordinator.size() + of_agent.size());
}

}  // namespace
}  // namespace muster::sim
