#include "agent/disk.hpp"

namespace muster {

AgentInput Disk::carry_out(const Job& job) {
    if (const auto* memory = std::get_if<AgentMemory>(&job)) {
        const auto written = state_.write_memory(*memory);
        return written ? AgentInput{Remembered{}} : RememberFailed{written.error().detail};
    }
    const auto written = journal_.write(std::get<JournalWrite>(job));
    return written ? AgentInput{Journaled{}} : JournalFailed{written.error().detail};
}

}  // namespace muster
