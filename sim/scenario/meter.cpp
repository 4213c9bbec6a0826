#include "sim/scenario/meter.hpp"

#include <algorithm>

#include "sim/checkers/fleet/leaving.hpp"
#include "sim/hosts/agent_host.hpp"

namespace muster::sim {

bool Meter::counts_for(const std::string& task) const {
    const coordinator::StoredTask* stored = task_of(world_.store.durable(), task);
    return stored == nullptr || stays(stored->wanted.spec);
}

bool Meter::is_cut_off(HostIndex host) const { return world_.network.is_cut(host); }

// ---- what happens ----

void Meter::see(Instant now, const Committed& committed) {
    std::map<std::string, std::uint64_t> wanted;
    for (const coordinator::StoredTask& task : committed.after.tasks) {
        if (stays(task.wanted.spec)) {
            wanted[task.wanted.name] = task.wanted.place.every_node ? 0 : task.wanted.instances;
        }
    }
    const bool is_same = std::ranges::equal(wanted, tasks_, [](const auto& one, const auto& other) {
        return one.first == other.first && one.second == other.second.wanted;
    });
    if (!is_same) {
        look(now);
    }
}

void Meter::see(Instant now, const BatchIssued& issued) {
    const bool orders = !issued.batch.starts.empty() || !issued.batch.stops.empty();
    if (orders && planned_ != now) {
        planned_ = now;
        ++counts_.plans;
    }
}

void Meter::see(Instant, const EventPublished& published) {
    counts_.was_frozen = counts_.was_frozen || published.event.topic == "freeze.began";
}

void Meter::see(Instant, const AgentBegan& began) { shutting_down_.erase(began.host); }

void Meter::see(Instant, const ShutDownOrdered& ordered) { shutting_down_.insert(ordered.host); }

void Meter::see(Instant, const EndOrdered& ordered) {
    ordered_.emplace(ordered.host, ordered.process);
}

void Meter::see(Instant now, const ProcessBegan& began) {
    if (counts_for(began.id.task)) {
        counted_.emplace(began.host, began.process, began.id, began.generation);
        ++counts_.made.starts;
        change(now, began.host, began.id, true);
    }
}

void Meter::see(Instant now, const ProcessGone& gone) {
    const Key key{gone.host, gone.process, gone.id, gone.generation};
    const bool did_count = counted_.erase(key) > 0;
    const bool was_told = ordered_.erase({gone.host, gone.process}) > 0;
    if (!was_told || gone.with_host || shutting_down_.contains(gone.host)) {
        lost_.insert(key);
    } else if (did_count) {
        ++counts_.made.stops;
    }
    change(now, gone.host, gone.id, false);
}

// ---- who is short of copies ----

std::uint64_t Meter::short_of(const Task& task) {
    return task.wanted - std::min<std::uint64_t>(task.wanted, task.serving.size());
}

void Meter::account(Instant now) {
    if (short_ > 0 && now > since_) {
        counts_.short_most = std::max(counts_.short_most, short_);
        counts_.short_for += now - since_;
    }
    since_ = now;
}

void Meter::change(Instant now, HostIndex host, const InstanceId& id, bool begins) {
    const auto task = tasks_.find(id.task);
    if (task == tasks_.end() || is_cut_off(host)) {
        return;
    }
    account(now);
    short_ -= short_of(task->second);
    auto& serving = task->second.serving;
    if (begins) {
        ++serving[id.ordinal];
    } else if (const auto copies = serving.find(id.ordinal);
               copies != serving.end() && --copies->second == 0) {
        serving.erase(copies);
    }
    short_ += short_of(task->second);
}

void Meter::look(Instant now) {
    account(now);
    tasks_.clear();
    for (const coordinator::StoredTask& task : world_.store.durable().tasks) {
        if (stays(task.wanted.spec)) {
            tasks_[task.wanted.name].wanted =
                task.wanted.place.every_node ? 0 : task.wanted.instances;
        }
    }
    for (const auto& [number, process] : world_.truth.processes()) {
        const auto task = tasks_.find(process.id.task);
        if (task != tasks_.end() && !is_cut_off(process.host)) {
            ++task->second.serving[process.id.ordinal];
        }
    }
    short_ = 0;
    for (const auto& [name, task] : tasks_) {
        short_ += short_of(task);
    }
}

// ---- a step ----

void Meter::begin(Instant now) {
    account(now);
    counts_ = {.was_frozen = world_.frozen};
    lost_.clear();
    before_ = world_.truth.processes();
    std::erase_if(before_, [&](const auto& entry) { return !counts(entry.second); });
}

Meter::Counts Meter::counts(Instant now) const {
    Counts counts = counts_;
    if (short_ > 0 && now > since_) {
        counts.short_most = std::max(counts.short_most, short_);
        counts.short_for += now - since_;
    }
    return counts;
}

bool Meter::counts(const Process& process) const {
    return counted_.contains({process.host, process.number, process.id, process.generation});
}

std::map<TrueProcess, Process> Meter::spared() const {
    auto spared = before_;
    std::erase_if(spared, [&](const auto& entry) {
        const Process& process = entry.second;
        return lost_.contains({process.host, process.number, process.id, process.generation});
    });
    return spared;
}

}  // namespace muster::sim
