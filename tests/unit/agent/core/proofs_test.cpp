// The agent keeps the proof of each start and repeats it in its reports; in virtual time.

#include <string>

#include "tests/catch.hpp"

#include "tests/unit/agent/core/agent_harness.hpp"

using namespace muster;
using namespace muster::agent;
using namespace muster::agent::testing;

namespace {

Proof proof_of(std::uint64_t number) { return {Incarnation{1}, Digest{number, 7}}; }

Batch batch_with(Node& node, std::uint64_t generation, const Proof& proof) {
    Batch batch = node.start_batch(web0, generation);
    batch.starts.front().proof = proof;
    return batch;
}

Proof reported_proof(const Node& node) {
    const auto report = node.last<Report>();
    REQUIRE(report);
    REQUIRE(report->instances.size() == 1);
    return report->instances.front().proof;
}

/// What the journal of this node has of its one instance.
JournalImage journal_of(const Node& node) {
    JournalImage image;
    for (const JournalWrite& write : node.journal) {
        if (!write.instances.empty()) {
            image.instances = write.instances;
        }
        image.specs.insert(image.specs.end(), write.specs.begin(), write.specs.end());
    }
    return image;
}

}  // namespace

TEST_CASE("an agent says that it keeps proofs", "[agent][proof]") {
    const Node node;
    CHECK(node.last<Hello>()->keeps_proofs);
}

TEST_CASE("a report repeats the proof of the start that each instance follows", "[agent][proof]") {
    Node node;
    node.join();
    node.deliver(batch_with(node, 3, proof_of(3)));
    node.poll();
    CHECK(reported_proof(node) == proof_of(3));
    CHECK(node.spawns.back().proof == proof_of(3));  // Its shim keeps it, too.
    SECTION("also after its process was replaced") {
        node.deliver(batch_with(node, 4, proof_of(4)));
        node.ended(ProcessId{1}, 0);
        node.poll();
        CHECK(node.instance(web0)->generation == Generation{4});
        CHECK(reported_proof(node) == proof_of(4));
    }
    SECTION("a start without a proof has none") {
        node.deliver(batch_with(node, 4, {}));
        node.ended(ProcessId{1}, 0);
        node.poll();
        CHECK(reported_proof(node).is_none());
    }
}

TEST_CASE("the next life repeats the proofs of the earlier one", "[agent][proof][S14]") {
    NodeOptions options;
    SECTION("by its journal") {
        Node first;
        first.join();
        first.deliver(batch_with(first, 3, proof_of(3)));
        options.recovered.journal = journal_of(first);
    }
    SECTION("without a journal, by its shims") {
        options.recovered.found = {{ProcessId{1}, web0, Generation{3}, sleeper(), proof_of(3)}};
    }
    Node second{options};
    second.join();
    second.poll();
    CHECK(reported_proof(second) == proof_of(3));
}

// Goal: an instance whose proof the coordinator does not know or not believe gets a new one by a
// new order. Method: the same generation is ordered again.
TEST_CASE("a start of what is there already renews its proof, and nothing else", "[agent][proof]") {
    Node node;
    node.join();
    node.deliver(batch_with(node, 3, proof_of(3)));
    node.poll();
    const Revision before = node.last<Report>()->to;
    SECTION("by another proof") {
        node.deliver(batch_with(node, 3, proof_of(5)));
        node.poll();
        CHECK(node.last<Report>()->to > before);
        CHECK(reported_proof(node) == proof_of(5));
        CHECK(journal_of(node).instances.front().report.proof == proof_of(5));
    }
    SECTION("not by the same one, nor by none, nor by one of an older generation") {
        node.deliver(batch_with(node, 3, proof_of(3)));
        node.deliver(batch_with(node, 3, {}));
        node.deliver(batch_with(node, 2, proof_of(2)));
        node.poll();
        CHECK(node.last<Report>()->to == before);
        CHECK(reported_proof(node) == proof_of(3));
    }
    SECTION("the one that waits for the end of the old process gets it") {
        node.deliver(batch_with(node, 4, proof_of(4)));
        node.deliver(batch_with(node, 4, proof_of(6)));
        node.ended(ProcessId{1}, 0);
        node.poll();
        CHECK(reported_proof(node) == proof_of(6));
    }
    CHECK(node.spawns.size() <= 2);
}
