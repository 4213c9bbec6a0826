// What a term costs when every agent sends a whole snapshot: decode, then compare with what is
// held. Floor: a cursor without checks that compares as it reads, with the same frames.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/bench.hpp"
#include "common/codec.hpp"
#include "common/ensure.hpp"
#include "common/random.hpp"

using namespace muster;

namespace {

constexpr std::size_t node_count = 10'000;
constexpr std::size_t instances_each = 100;
constexpr int runs = 5;

Report snapshot_of(std::size_t node, Random& random) {
    Report report{.kind = ReportKind::snapshot,
                  .epoch = Epoch{3},
                  .term = Term{90'000},
                  .incarnation = Incarnation{4},
                  .from = Revision{0},
                  .to = Revision{100},
                  .obeyed = Sequence{40}};
    for (std::size_t i = 0; i < instances_each; ++i) {
        // Names sort as their numbers do.
        report.instances.push_back(
            {.id = {"task-" + std::to_string(100'000 + i * 1000 + node % 1000),
                    static_cast<Ordinal>(node / 1000)},
             .generation = Generation{1000 + random.below(1'000'000)},
             .state = InstanceState::running,
             .started =
                 CivilMs{1'700'000'000'000 + static_cast<std::int64_t>(random.below(1U << 30U))}});
    }
    return report;
}

std::vector<std::string> make_frames() {
    Random random{1};
    std::vector<std::string> frames(node_count);
    for (std::size_t node = 0; node < node_count; ++node) {
        codec::encode(AgentMessage{snapshot_of(node, random)}, frames[node]);
    }
    return frames;
}

/// CPU of decoding every frame into one reused message.
double decode_all(const std::vector<std::string>& frames) {
    AgentMessage message;
    std::size_t instances = 0;
    const double ms = bench::cpu_ms_of([&] {
        for (const auto& frame : frames) {
            ensure(codec::decode(frame, message).has_value(), "a frame of ours decodes");
            instances += std::get<Report>(message).instances.size();
        }
    });
    ensure(instances == node_count * instances_each, "every instance was decoded");
    return ms;
}

}  // namespace

int main(int argc, char** argv) {
    bench::Suite suite{argc, argv};
    suite.run("decode.frames.10000x1000000", [] {
        const auto frames = make_frames();
        return bench::Figure{bench::median_of(runs, [&] { return decode_all(frames); })};
    });
}
