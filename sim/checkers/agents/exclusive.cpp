#include "sim/checkers/agents/exclusive.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::sim {

// What the store before ordered may begin only now.
void Exclusive::see(Instant, const StoreReplaced&) {
    instances_.clear();
    foreign_.merge(issued_);
    issued_.clear();
}

void Exclusive::see(Instant, const BatchIssued& issued) {
    for (const Start& start : issued.batch.starts) {
        if (start.token != 0) {
            issued_.emplace(start.id, start.token);
        }
    }
}

void Exclusive::see(Instant, const HostHalted& halted) { forget(halted.host); }

void Exclusive::see(Instant, const LieHeard& lie) {
    if (liars_.insert(lie.host).second) {
        forget(lie.host);
    }
}

void Exclusive::forget(HostIndex host) {
    for (auto& [id, instance] : instances_) {
        std::erase_if(instance.processes,
                      [&](const Process& process) { return process.host == host; });
    }
}

void Exclusive::see(Instant, const ProcessBegan& began) {
    const std::pair order{began.id, began.token};
    const bool is_foreign = foreign_.contains(order) && !issued_.contains(order);
    if (!began.exclusive || is_foreign || liars_.contains(began.host)) {
        return;
    }
    Instance& instance = instances_[began.id];
    const auto what = fmt::format("{} generation {}", to_string(began.id), raw(began.generation));
    if (!instance.processes.empty()) {
        violated("S8", "{} begins on host {} while a process of it runs on host {}", what,
                 raw(began.host), raw(instance.processes.front().host));
    }
    const bool is_restart = began.token == instance.token && began.host == instance.last;
    if (began.token <= instance.token && !is_restart) {
        violated("S8", "{} begins with token {}, and {} was there before", what, began.token,
                 instance.token);
    }
    instance.token = std::max(instance.token, began.token);
    instance.last = began.host;
    instance.processes.push_back({began.host, began.process});
}

void Exclusive::see(Instant, const ProcessGone& gone) {
    if (const auto at = instances_.find(gone.id); at != instances_.end()) {
        std::erase(at->second.processes, Process{gone.host, gone.process});
    }
}

}  // namespace muster::sim
