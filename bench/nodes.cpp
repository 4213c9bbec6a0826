#include <cstdint>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "common/ensure.hpp"
#include "coordinator/core/coordinator.hpp"

// What a fleet costs by being known, with no task on it:
//
// nodes.idle: a term in which every node is away and nothing is due.
// nodes.hello: nodes that the store knows say hello, one by one, up to the plan that counts them.
// memory.node_record: a node of which only the record is kept.
namespace muster::bench {
namespace {

constexpr std::uint32_t fleet = 100'000;

/// `n000042`: names sort as numbers.
std::string node_name(std::uint32_t number) {
    const std::string digits = std::to_string(number);
    return "n" + std::string(6 - digits.size(), '0') + digits;
}

StoreImage image_of(std::uint32_t nodes) {
    StoreImage image;
    image.meta.cluster = {1, 1};
    image.meta.leader = {2, 2};
    image.meta.epoch = Epoch{2};
    image.nodes.reserve(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) {
        image.nodes.push_back(
            {.name = node_name(node), .incarnation = Incarnation{1}, .lost = true});
    }
    return image;
}

/// A coordinator, its clock and its store, which is done with everything at once.
class Leader {
public:
    explicit Leader(const StoreImage& image) : core_{now_, {}, image} { terms(3); }

    void take(const Input& input) {
        Output output = core_.step(now_, input);
        while (!output.persist.empty()) {
            const std::uint64_t number = output.persist.back().number;
            output = core_.step(now_, Persisted{number});
        }
    }
    void terms(int count) {
        for (const Instant end = now_ + count * 1s; now_ < end;) {
            now_ = core_.next_deadline();
            take(Wake{});
        }
    }

private:
    Instant now_{1h};
    Coordinator core_;
};

Figure nodes_idle() {
    constexpr int terms = 100;
    Leader leader{image_of(fleet)};
    Figure figure;
    figure.value = median_of(5, [&] { return cpu_ms_of([&] { leader.terms(terms); }) / terms; });
    return figure;
}

std::vector<Input> hellos_of(std::uint32_t nodes) {
    std::vector<Input> hellos;
    hellos.reserve(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) {
        Hello hello;
        hello.name = node_name(node);
        hello.life = {3, 3};
        hello.incarnation = Incarnation{2};
        hello.version = "1.0.0";
        hellos.emplace_back(FromAgent{Session{node + 1}, std::move(hello)});
    }
    return hellos;
}

Figure nodes_hello() {
    const std::vector<Input> hellos = hellos_of(fleet);
    Figure figure;
    figure.value = median_of(3, [&] {
        Leader leader{image_of(fleet)};
        return cpu_ms_of([&] {
            for (const Input& hello : hellos) {
                leader.take(hello);
            }
            leader.terms(1);
        });
    });
    return figure;
}

Figure memory_node_record() {
    const StoreImage image = image_of(fleet);
    const std::size_t before = allocated_bytes();
    const Leader leader{image};
    keep(leader);
    Figure figure;
    figure.unit = "bytes";
    figure.value = static_cast<double>(allocated_bytes() - before) / fleet;
    return figure;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
    using namespace muster::bench;
    Suite suite{argc, argv};
    suite.run("nodes.idle.100000", nodes_idle);
    suite.run("nodes.hello.100000", nodes_hello);
    suite.run("memory.node_record", memory_node_record);
    return 0;
}
