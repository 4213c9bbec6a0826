// The cost of a round in which every agent sends a full snapshot without changes: decode, then
// compare with the held state. The floor reads the same frames without checks and compares while
// reading.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/bench.hpp"
#include "common/base/ensure.hpp"
#include "common/base/random.hpp"
#include "common/codec/codec.hpp"
#include "coordinator/core/workload/placements.hpp"
#include "coordinator/core/workload/workload.hpp"

using namespace muster;

namespace {

std::size_t node_count() { return bench::sized<std::size_t>(10'000, 10); }
constexpr std::size_t instances_each = 100;
constexpr int runs = 7;

/// Each task has ten instances on ten nodes. Names sort like their numbers.
std::vector<InstanceReport> instances_of(std::size_t node, Random& random) {
    std::vector<InstanceReport> instances(instances_each);
    for (std::size_t i = 0; i < instances_each; ++i) {
        auto& instance = instances[i];
        instance.id.task = "task-" + std::to_string(100'000 + i * 1000 + node % 1000);
        instance.id.ordinal = static_cast<Ordinal>(node / 1000);
        instance.generation = Generation{1000 + random.below(1'000'000)};
        instance.state = InstanceState::running;
        instance.started =
            CivilMs{1'700'000'000'000 + static_cast<std::int64_t>(random.below(1U << 30U))};
    }
    return instances;
}

struct Fleet {
    std::vector<std::string> frames;
    std::vector<std::vector<InstanceReport>> held;  ///< The floor compares with these.
    coordinator::Workload workload{Generation{2'000'000}};
    coordinator::Placements placements{workload};
};

void fill(Fleet& fleet) {
    Random random{1};
    for (std::size_t number = 0; number < node_count(); ++number) {
        Report report;
        report.kind = ReportKind::snapshot;
        report.epoch = Epoch{3};
        report.round = Round{90'000};
        report.incarnation = Incarnation{4};
        report.to = Revision{100};
        report.instances = instances_of(number, random);
        codec::encode(AgentMessage{report}, fleet.frames.emplace_back());
        const auto node = static_cast<NodeIndex>(number);
        fleet.placements.add_node(node, "n" + std::to_string(number));
        (void)fleet.placements.replace(node, report.instances);
        fleet.held.push_back(std::move(report.instances));
    }
}

double decode_and_compare(Fleet& fleet) {
    AgentMessage message;
    bool changed = false;
    const double ms = bench::cpu_ms_of([&] {
        for (std::size_t number = 0; number < node_count(); ++number) {
            ensure(codec::decode(fleet.frames[number], message).has_value(), "our frame decodes");
            const auto& report = std::get<Report>(message);
            changed |=
                fleet.placements.replace(static_cast<NodeIndex>(number), report.instances).changed;
        }
    });
    ensure(!changed, "every snapshot matches the held state");
    return ms;
}

/// Trusts every byte: the cost of a reader without any check.
class BareCursor {
public:
    explicit BareCursor(const std::string& frame) : at_{frame.data()} {}

    void pass(std::size_t bytes) { at_ += bytes; }

    /// Begins an array of at most 15 elements.
    int few_items() { return static_cast<std::uint8_t>(*at_++) & 0xf; }

    std::uint64_t number() {
        const auto head = static_cast<std::uint8_t>(*at_++);
        switch (head) {
            case 0xcc: return *at_++ & 0xff;
            case 0xcd: return __builtin_bswap16(load<std::uint16_t>());
            case 0xce: return __builtin_bswap32(load<std::uint32_t>());
            case 0xcf: return __builtin_bswap64(load<std::uint64_t>());
            default: return head;
        }
    }
    std::string_view text() {
        const std::size_t size = static_cast<std::uint8_t>(*at_++) & 0x1fU;
        at_ += size;
        return {at_ - size, size};
    }

private:
    template <class N>
    N load() {
        N value;
        std::memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
        return value;
    }

    const char* at_;
};

bool is_same(BareCursor& cursor, const InstanceReport& held) {
    cursor.pass(1);
    bool same = cursor.text() == held.id.task;
    same &= cursor.number() == held.id.ordinal;
    same &= cursor.number() == raw(held.generation);
    same &= cursor.number() == raw(held.state);
    same &= cursor.number() == held.restarts;
    cursor.pass(2);  // The codes: one byte each, because nothing ended.
    same &= cursor.number() == static_cast<std::uint64_t>(raw(held.started));
    same &= cursor.text() == held.detail;
    return same;
}

double bare_decode_and_compare(const Fleet& fleet) {
    bool same = true;
    const double ms = bench::cpu_ms_of([&] {
        for (std::size_t node = 0; node < node_count(); ++node) {
            BareCursor cursor{fleet.frames[node]};
            cursor.pass(3);  // The array of the report, its number and its kind.
            for (int field = 0; field < 6; ++field) {
                (void)cursor.number();
            }
            for (int facts = cursor.few_items(); facts > 0; --facts) {
                (void)cursor.number();  // Facts about the host: a boolean has one byte.
            }
            cursor.pass(3);  // The array of the instances.
            for (const auto& held : fleet.held[node]) {
                same &= is_same(cursor, held);
            }
        }
    });
    ensure(same, "the bare cursor reads what was written");
    return ms;
}

}  // namespace

int main(int argc, char** argv) {
    bench::Suite suite{argc, argv};
    suite.run("decode.snapshot.10000x1000000", [] {
        Fleet fleet;
        fill(fleet);
        std::vector<double> ours;
        std::vector<double> bare;
        for (int i = 0; i < bench::sized(runs, 1); ++i) {
            ours.push_back(decode_and_compare(fleet));
            bare.push_back(bare_decode_and_compare(fleet));
        }
        return bench::Figure{bench::median(ours), "ms", bench::median(bare), "<= 60 ms"};
    });
}
