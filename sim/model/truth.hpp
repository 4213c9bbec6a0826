#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "sim/model/event_queue.hpp"

namespace muster::sim {

/// A process that truly runs, whatever anybody says of it.
struct Process {
    HostIndex host{};
    std::uint64_t shim = 0;    ///< That stands over it.
    std::uint64_t number = 0;  ///< The agent's.
    InstanceId id;
    Generation generation{};
    bool ignores_signals = false;  ///< Only a kill ends it.
    std::uint64_t token = 0;       ///< Of an exclusive one.

    friend bool operator==(const Process&, const Process&) = default;
};

/// All processes of the cluster, as no agent and no coordinator sees them.
class Truth {
public:
    TrueProcess begin(Process process);
    void end(TrueProcess number);

    [[nodiscard]] const Process* find(TrueProcess number) const;
    [[nodiscard]] const std::map<TrueProcess, Process>& processes() const { return processes_; }
    [[nodiscard]] std::vector<TrueProcess> on(HostIndex host) const;
    /// Of one task, in the order of their beginning.
    [[nodiscard]] std::vector<TrueProcess> of(const std::string& task) const;
    [[nodiscard]] std::size_t running(const std::string& task) const { return of(task).size(); }
    [[nodiscard]] std::size_t running(const InstanceId& id, HostIndex host) const;

private:
    std::map<TrueProcess, Process> processes_;
    std::map<std::string, std::vector<TrueProcess>> by_task_;  ///< Likewise.
    std::map<HostIndex, std::vector<TrueProcess>> by_host_;    ///< In the order of their beginning.
    std::uint64_t begun_ = 0;
};

}  // namespace muster::sim
