#include "agent/worker.hpp"

#include <algorithm>
#include <chrono>

#include "agent/exec/cgroups/usage.hpp"
#include "agent/host_probe.hpp"
#include "agent/joined.hpp"
#include "common/base/limits.hpp"
#include "common/net/host/clock.hpp"

namespace muster::agent {

void Disk::observe() {
    if (!std::exchange(is_looking_, true)) {
        worker_.submit(ObserveDisk{});
    }
}

std::vector<AgentInput> Disk::collect() {
    std::vector<AgentInput> done = worker_.collect();
    is_looking_ = is_looking_ && std::ranges::none_of(done, [](const AgentInput& input) {
                      return std::holds_alternative<DiskObserved>(input);
                  });
    return done;
}

AgentInput Disk::carry_out(const Job& job) {
    if (const auto* memory = std::get_if<AgentMemory>(&job)) {
        const auto written = state_.write_memory(*memory);
        return written ? AgentInput{Remembered{}} : RememberFailed{written.error().detail};
    }
    if (const auto* pair = std::get_if<KeyPair>(&job)) {
        const auto written = agent::write_new_key(state_.path(), *pair);
        return written ? AgentInput{KeyMade{to_string(pair->open)}}
                       : KeyNotWritten{written.error().detail};
    }
    if (std::holds_alternative<KeepKey>(job)) {
        const auto kept = agent::keep_new_key(state_.path());
        return kept ? AgentInput{KeyKept{}} : KeyNotWritten{kept.error().detail};
    }
    if (std::holds_alternative<ObserveDisk>(job)) {
        return observe_disk(state_.path());
    }
    const auto written = journal_.write(std::get<JournalWrite>(job));
    return written ? AgentInput{Journaled{}} : JournalFailed{written.error().detail};
}

std::vector<AgentMessage> Readings::submit(Reading reading) {
    if (worker_.open() >= limits::calls_per_agent) {
        const auto stamp = std::visit([](const auto& one) { return one.stamp; }, reading);
        return {AgentCallFailed{stamp, Errc::busy,
                                std::to_string(limits::calls_per_agent) +
                                    " readings wait for this host already; ask again"}};
    }
    worker_.submit(std::move(reading));
    return {};
}

AgentMessage Readings::read(const Reading& job) const {
    if (const auto* log = std::get_if<ReadLog>(&job)) {
        auto piece = logs_.read(*log, net::civil_now());
        return piece ? AgentMessage{*std::move(piece)}
                     : AgentCallFailed{log->stamp, piece.error().code, piece.error().detail};
    }
    const auto& measure = std::get<MeasureProcesses>(job);
    const auto now = net::boottime_now().time_since_epoch();
    return Measured{.stamp = measure.stamp,
                    .at_us = static_cast<std::uint64_t>(
                        std::chrono::duration_cast<std::chrono::microseconds>(now).count()),
                    .instances = usage_of(measure.processes)};
}

}  // namespace muster::agent
