#include "agent/readings.hpp"

#include <chrono>
#include <utility>
#include <variant>

#include "agent/exec/cgroups/usage.hpp"
#include "common/base/limits.hpp"
#include "common/net/host/clock.hpp"

namespace muster::agent {

std::vector<AgentMessage> Readings::submit(Reading reading) {
    if (worker_.open() >= limits::errands_of_agent) {
        const auto stamp = std::visit([](const auto& one) { return one.stamp; }, reading);
        return {ErrandFailed{stamp, Errc::busy,
                             std::to_string(limits::errands_of_agent) +
                                 " readings wait for this host already; ask again"}};
    }
    worker_.submit(std::move(reading));
    return {};
}

AgentMessage Readings::read(const Reading& job) const {
    if (const auto* log = std::get_if<ReadLog>(&job)) {
        auto piece = logs_.read(*log, net::civil_now());
        return piece ? AgentMessage{*std::move(piece)}
                     : ErrandFailed{log->stamp, piece.error().code, piece.error().detail};
    }
    const auto& measure = std::get<MeasureProcesses>(job);
    const auto now = net::boottime_now().time_since_epoch();
    return Measured{.stamp = measure.stamp,
                    .at_us = static_cast<std::uint64_t>(
                        std::chrono::duration_cast<std::chrono::microseconds>(now).count()),
                    .instances = usage_of(measure.processes)};
}

}  // namespace muster::agent
