#include <cstdint>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "coordinator/core/coordinator.hpp"

// The cost of known nodes, without any task:
//
// nodes.join: operators list a new fleet in one `node apply`, in order. Measures every step of the
//     coordinator from the request to the plan that counts the nodes: the change of the list, its
//     answer and its rows for the store, the effects once they are durable, and the first round
//     after that. Includes neither the codec nor the disk.
// nodes.hello: known nodes of the store send hello, one by one, up to the plan that counts them.
// nodes.idle: a round in which every node is suspended and away, and nothing is due.
// memory.node_record: a node of which only the record is kept: what the store had at the start of a
//     leadership, without connection, tasks or history. None of these nodes is listed.
namespace muster::bench {
namespace {

std::uint32_t fleet() { return sized(100'000U, 100U); }

/// `n000042`: names sort like numbers.
std::string node_name(std::uint32_t number) {
    const std::string digits = std::to_string(number);
    return "n" + std::string(6 - digits.size(), '0') + digits;
}

/// Nodes that were lost when the previous leadership ended. As many as may join without being
/// listed stay known for any length of time.
coordinator::StoreImage image_of(std::uint32_t nodes, coordinator::Admission admission) {
    coordinator::StoreImage image;
    image.meta.cluster = {1, 1};
    image.meta.leader = {2, 2};
    image.meta.epoch = Epoch{2};
    image.nodes.reserve(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) {
        image.nodes.push_back(
            {.name = node_name(node), .incarnation = Incarnation{1}, .lost = true});
        if (admission == coordinator::Admission::listed) {
            image.intents.push_back({.name = node_name(node), .admission = admission});
        }
    }
    return image;
}

/// A coordinator, its clock and its store, which completes every write at once.
class Leader {
public:
    explicit Leader(const coordinator::StoreImage& image) : core_{now_, {}, image} { rounds(3); }

    void on_input(const coordinator::Input& input) {
        coordinator::Output output = step(input);
        while (!output.persist.empty()) {
            output = step(coordinator::Persisted{output.persist.back().number});
        }
    }
    void rounds(int count) {
        for (const Instant end = now_ + count * 1s; now_ < end;) {
            now_ = core_.next_deadline();
            on_input(coordinator::Wake{});
        }
    }
    /// The number of node events so far.
    [[nodiscard]] std::uint64_t event_count() const { return event_count_; }

private:
    coordinator::Output step(const coordinator::Input& input) {
        coordinator::Output output = core_.step(now_, input);
        for (const Event& event : output.events) {
            event_count_ += event.topic.starts_with("node.") ? 1U : 0U;
        }
        return output;
    }

    Instant now_{1h};
    coordinator::Coordinator core_;
    std::uint64_t event_count_ = 0;
};

std::vector<coordinator::Input> hellos_of(std::uint32_t nodes) {
    std::vector<coordinator::Input> hellos;
    hellos.reserve(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) {
        Hello hello;
        hello.name = node_name(node);
        hello.life = {3, 3};
        hello.incarnation = Incarnation{2};
        hello.version = "1.0.0";
        hellos.emplace_back(
            coordinator::FromAgent{coordinator::Session{node + 1}, std::move(hello)});
    }
    return hellos;
}

Figure nodes_hello() {
    const std::vector<coordinator::Input> hellos = hellos_of(fleet());
    Figure figure;
    figure.value = median_of(3, [&] {
        Leader leader{image_of(fleet(), coordinator::Admission::listed)};
        return cpu_ms_of([&] {
            for (const coordinator::Input& hello : hellos) {
                leader.on_input(hello);
            }
            leader.rounds(1);
        });
    });
    return figure;
}

/// Sends hello, then invalid messages until the node is suspended, and closes the session.
void misbehave(Leader& leader, const coordinator::Input& hello) {
    constexpr int until_suspended = 5;
    const coordinator::Session session = std::get<coordinator::FromAgent>(hello).session;
    leader.on_input(hello);
    for (int time = 0; time < until_suspended; ++time) {
        leader.on_input(coordinator::Undecodable{session});
    }
    leader.on_input(coordinator::SessionClosed{session});
}

Figure nodes_idle() {
    constexpr int rounds = 4;  // Five times as many fit into the suspension of 30 s.
    Leader leader{image_of(fleet(), coordinator::Admission::listed)};
    for (const coordinator::Input& hello : hellos_of(fleet())) {
        misbehave(leader, hello);
    }
    leader.rounds(5);
    Figure figure;
    const std::uint64_t event_count = leader.event_count();
    figure.value = median_of(5, [&] { return cpu_ms_of([&] { leader.rounds(rounds); }) / rounds; });
    ensure(leader.event_count() == event_count, "nothing happens to nodes while nothing is due");
    return figure;
}

coordinator::Input apply_of(std::uint32_t nodes) {
    NodeApplyRequest apply;
    apply.nodes.reserve(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) {
        apply.nodes.push_back({node_name(node)});
    }
    return coordinator::FromOperator{coordinator::Ticket{1},
                                     CoreRequest{{std::uint64_t{1} << 20U, 1}, std::move(apply)}};
}

Figure nodes_join() {
    const coordinator::Input apply = apply_of(fleet());
    Figure figure;
    figure.value = median_of(5, [&] {
        Leader leader{image_of(0, coordinator::Admission::open)};
        return cpu_ms_of([&] {
            leader.on_input(apply);
            leader.rounds(1);
        });
    });
    return figure;
}

Figure memory_node_record() {
    const std::uint32_t nodes = sized<std::uint32_t>(limits::joiners - 1, 100);
    const coordinator::StoreImage image = image_of(nodes, coordinator::Admission::open);
    const std::size_t before = allocated_bytes();
    const Leader leader{image};
    keep(leader);
    Figure figure;
    figure.unit = "bytes";
    figure.value = static_cast<double>(allocated_bytes() - before) / nodes;
    ensure(leader.event_count() == 0, "the records are kept");
    return figure;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
    using namespace muster::bench;
    Suite suite{argc, argv};
    suite.run("nodes.join.100000", nodes_join);
    suite.run("nodes.hello.100000", nodes_hello);
    suite.run("nodes.idle.100000", nodes_idle);
    suite.run("memory.node_record", memory_node_record);
    return 0;
}
