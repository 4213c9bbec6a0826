#include "agent/disk.hpp"

#include <algorithm>
#include <utility>

#include "agent/host_probe.hpp"

namespace muster::agent {

void Disk::look() {
    if (!std::exchange(is_looking_, true)) {
        worker_.submit(Look{});
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
    if (std::holds_alternative<Look>(job)) {
        return look_at_disk(state_.path());
    }
    const auto written = journal_.write(std::get<JournalWrite>(job));
    return written ? AgentInput{Journaled{}} : JournalFailed{written.error().detail};
}

}  // namespace muster::agent
