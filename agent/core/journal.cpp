#include "agent/core/journal.hpp"

#include "common/base/ensure.hpp"

namespace muster::agent {

std::optional<JournalWrite> Journal::take() {
    if (is_writing_ || next_.instances.empty()) {
        return std::nullopt;
    }
    is_writing_ = true;
    writing_ = std::exchange(next_, {});
    JournalWrite write;
    for (const auto& [id, image] : writing_.instances) {
        if (image) {
            write.instances.push_back(*image);
        } else {
            write.gone.push_back(id);
        }
    }
    for (const auto& [key, spec] : writing_.specs) {
        write.specs.push_back({key.first, spec});
    }
    return write;
}

std::set<ProcessId> Journal::noted_in(const Changes& changes) {
    std::set<ProcessId> processes;
    for (const auto& [id, image] : changes.instances) {
        if (image && image->process != ProcessId{}) {
            processes.insert(image->process);
        }
    }
    return processes;
}

Journal::Outcome Journal::written() {
    ensure(is_writing_, "only a write that was put out ends");
    is_writing_ = false;
    Outcome outcome{noted_in(writing_), {}, {}};
    for (const auto& [id, image] : writing_.instances) {
        if (!image) {
            outcome.gone.push_back(id);
        }
    }
    for (const auto& [id, processes] : writing_.ended) {
        outcome.released.insert(outcome.released.end(), processes.begin(), processes.end());
    }
    writing_ = {};
    return outcome;
}

Journal::Outcome Journal::failed() {
    ensure(is_writing_, "only a write that was put out can fail");
    is_writing_ = false;
    Outcome outcome{noted_in(writing_), {}, {}};
    next_.instances.merge(writing_.instances);  // Newer changes win.
    next_.specs.merge(writing_.specs);
    for (auto& [id, processes] : writing_.ended) {
        auto& all = next_.ended[id];
        all.insert(all.begin(), processes.begin(), processes.end());
    }
    writing_ = {};
    return outcome;
}

}  // namespace muster::agent
