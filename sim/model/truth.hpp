#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ensure.hpp"
#include "sim/model/event_queue.hpp"

namespace muster::sim {

/// A process that truly runs, whatever is reported about it.
struct Process {
    HostIndex host{};
    std::uint64_t shim = 0;    ///< The shim above it.
    std::uint64_t number = 0;  ///< The agent's number.
    InstanceId id;
    Generation generation{};
    bool ignores_signals = false;  ///< Only SIGKILL ends it.
    std::uint64_t token = 0;       ///< Of an exclusive process.

    friend bool operator==(const Process&, const Process&) = default;
};

/// All processes of the cluster. No agent and no coordinator sees this.
class Truth {
public:
    TrueProcess begin(Process process) {
        const TrueProcess number{++begun_};
        by_host_[process.host].push_back(number);
        const Process& begun = processes_.emplace(number, std::move(process)).first->second;
        by_task_[begun.id.task].push_back(&begun);
        return number;
    }

    void end(TrueProcess number) {
        const auto at = processes_.find(number);
        ensure(at != processes_.end(), "a process ends once");
        std::erase(by_task_[at->second.id.task], &at->second);
        std::erase(by_host_[at->second.host], number);
        processes_.erase(at);
    }

    [[nodiscard]] const Process* find(TrueProcess number) const {
        const auto at = processes_.find(number);
        return at == processes_.end() ? nullptr : &at->second;
    }
    [[nodiscard]] const std::map<TrueProcess, Process>& processes() const { return processes_; }

    [[nodiscard]] std::vector<TrueProcess> on(HostIndex host) const {
        const auto at = by_host_.find(host);
        return at == by_host_.end() ? std::vector<TrueProcess>{} : at->second;
    }
    /// The processes of one task, in the order of their start.
    [[nodiscard]] std::vector<const Process*> of(const std::string& task) const {
        const auto at = by_task_.find(task);
        return at == by_task_.end() ? std::vector<const Process*>{} : at->second;
    }
    [[nodiscard]] std::size_t running(const InstanceId& id, HostIndex host) const {
        const auto is_it = [&](const Process* process) {
            return process->id == id && process->host == host;
        };
        return static_cast<std::size_t>(std::ranges::count_if(of(id.task), is_it));
    }

private:
    std::map<TrueProcess, Process> processes_;
    std::map<std::string, std::vector<const Process*>> by_task_;  ///< In the order of their start.
    std::map<HostIndex, std::vector<TrueProcess>> by_host_;       ///< In the order of their start.
    std::uint64_t begun_ = 0;
};

}  // namespace muster::sim
