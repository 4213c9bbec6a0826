#include "bench/poll/recording.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "common/base/ensure.hpp"
#include "coordinator/recorder/recorder.hpp"
#include "tests/temporary_directory.hpp"

namespace muster::bench {
namespace {

constexpr Epoch epoch{1};
constexpr Incarnation first_life{1};

/// A core with its clock, a store that completes at once, and agents that answer at once.
class RecordedFleet {
public:
    RecordedFleet(std::uint32_t nodes, const std::string& directory)
        : recorder_{{.directory = directory}} {
        for (std::uint32_t node = 0; node < nodes; ++node) {
            Hello hello;
            hello.name = "n" + std::to_string(node);
            hello.life = {3, 3};
            hello.incarnation = first_life;
            hello.version = "1.0.0";
            on_input(coordinator::FromAgent{coordinator::Session{node + 1}, std::move(hello)},
                     false);
        }
        ensure(round(false) == nodes && round(false) == nodes, "a fleet is polled");
    }

    /// Runs a round, to the last answer. Returns the number of polls.
    std::size_t round(bool records) {
        polls_.clear();
        while (polls_.empty()) {
            now_ = core_.next_deadline();
            on_input(coordinator::Wake{}, records);
        }
        const std::vector<coordinator::PollTo> polls = std::exchange(polls_, {});
        for (const coordinator::PollTo& to : polls) {
            Report report;
            report.kind = to.poll.seen == Revision{} ? ReportKind::snapshot : ReportKind::same;
            report.epoch = to.poll.epoch;
            report.round = to.poll.round;
            report.incarnation = to.poll.incarnation;
            report.from = report.to = Revision{1};
            on_input(coordinator::FromAgent{to.session, std::move(report)}, records);
        }
        return polls.size();
    }

private:
    void on_input(const coordinator::Input& input, bool records) {
        coordinator::Output output = step(input, records);
        while (!output.persist.empty()) {
            output = step(coordinator::Persisted{output.persist.back().number}, records);
        }
    }
    coordinator::Output step(const coordinator::Input& input, bool records) {
        if (records) {
            recorder_.record_input(now_, input, core_);
        }
        coordinator::Output output = core_.step(now_, input);
        if (records) {
            recorder_.record_output(output);
        }
        polls_.insert(polls_.end(), output.polls.begin(), output.polls.end());
        return output;
    }
    static coordinator::StoreImage image() {
        coordinator::StoreImage image;
        image.meta.cluster = {1, 1};
        image.meta.leader = {2, 2};
        image.meta.epoch = epoch;
        return image;
    }

    Instant now_{1h};
    coordinator::Coordinator core_{now_, {}, image()};
    coordinator::Recorder recorder_;
    std::vector<coordinator::PollTo> polls_;
};

}  // namespace

double recording_ms(std::uint32_t nodes, int rounds) {
    const TemporaryDirectory directory;
    RecordedFleet fleet{nodes, directory.path() + "/record"};
    static_cast<void>(fleet.round(true));  // Begins the file.
    double with = std::numeric_limits<double>::max();
    double without = with;
    for (int i = 0; i < rounds; ++i) {
        with = std::min(with, cpu_ms_of([&] { keep(fleet.round(true)); }));
        without = std::min(without, cpu_ms_of([&] { keep(fleet.round(false)); }));
    }
    return with - without;
}

}  // namespace muster::bench
