#include <string>
#include <utility>
#include <vector>

#include "tests/scenarios/support.hpp"

// Which commands an agent obeys: each test command is correct except for one flaw.
namespace muster::sim {
namespace {

struct Forgery {
    std::string what;
    Batch batch;
};

/// Batches that stop what runs and start something else, each with one flaw.
std::vector<Forgery> forgeries(const Cluster& cluster, const agent::AgentMemory& disk) {
    Batch sound;
    sound.cluster = disk.cluster;
    sound.epoch = disk.epoch;
    sound.leader = disk.leader;
    sound.incarnation = disk.incarnation;
    sound.sequence = Sequence{1'000};
    sound.counter = disk.counter;
    sound.specs.push_back({"other", Generation{1}, serving()});
    sound.starts.push_back({{"other", 0}, Generation{1}, digest_of(serving())});
    for (const auto& [number, process] : cluster.truth().processes()) {
        sound.stops.push_back({process.id, process.generation});
    }
    std::vector<Forgery> all;
    const auto add = [&](std::string what, auto spoil) {
        Batch batch = sound;
        spoil(batch);
        all.push_back({std::move(what), std::move(batch)});
    };
    add("of another cluster", [](Batch& batch) { batch.cluster = ClusterId{9, 9}; });
    add("of another cluster and a later epoch", [](Batch& batch) {
        batch.cluster = ClusterId{9, 9};
        batch.epoch = Epoch{99};
    });
    add("of an epoch that is over", [](Batch& batch) { batch.epoch = Epoch{1}; });
    add("of another leader of this epoch", [](Batch& batch) { batch.leader = LeaderId{9, 9}; });
    add("for an earlier life", [](Batch& batch) { batch.incarnation = Incarnation{}; });
    add("for a later life", [](Batch& batch) { batch.incarnation = Incarnation{9}; });
    add("with a number that was used", [](Batch& batch) { batch.sequence = Sequence{1}; });
    return all;
}

// Goal: only a current command of the current leader is obeyed. Method: in the second leadership,
// with work that it ordered, send each flawed batch.
TEST_CASE("an agent obeys no command with a flaw", "[scenario][S5][S6]") {
    Cluster cluster{{.nodes = 1}};
    cluster.run(1s);
    cluster.crash_coordinator();
    cluster.restart_coordinator();
    cluster.run(5s);
    cluster.want("web", 1);
    cluster.run(3s);
    const auto before = cluster.truth().processes();
    REQUIRE(before.size() == 1);
    for (const Forgery& forgery : forgeries(cluster, cluster.host("n0").disk())) {
        CAPTURE(forgery.what);
        cluster.forge("n0", forgery.batch);
        cluster.run(2s);
        CHECK(cluster.truth().processes() == before);
        require_no_violations(cluster);
    }
}

}  // namespace
}  // namespace muster::sim
