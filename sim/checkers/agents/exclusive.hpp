#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// S8: two processes of an exclusive instance never run at the same time, on any host. Each new
/// process has a higher token than all before, or the token of the last one on the same host if it
/// is a restart. So a storage that keeps the highest token refuses only leftover processes.
///
/// Processes on a host that was paused as a whole do not count: when the host continues, only the
/// storage separates them from new ones. The same holds for a byzantine host. Orders of an
/// exchanged store, and processes that run while their task is not exclusive, are not judged.
class Exclusive : public Checker {
public:
    // Starts of the previous store may take effect only now.
    void on(Instant, const StoreReplaced&) {
        instances_.clear();
        foreign_.merge(issued_);
        issued_.clear();
    }

    void on(Instant, const BatchIssued& issued) {
        for (const Start& start : issued.batch.starts) {
            if (start.token != 0) {
                issued_.emplace(start.id, start.token);
            }
        }
    }

    void on(Instant, const HostHalted& halted) { forget(halted.host); }

    void on(Instant, const ByzantineReport& report) {
        if (byzantine_agents_.insert(report.host).second) {
            forget(report.host);
        }
    }

    void on(Instant, const ProcessBegan& began) {
        const std::pair order{began.id, began.token};
        const bool is_foreign = foreign_.contains(order) && !issued_.contains(order);
        if (!began.exclusive || is_foreign || byzantine_agents_.contains(began.host)) {
            return;
        }
        Instance& instance = instances_[began.id];
        const auto what =
            fmt::format("{} generation {}", to_string(began.id), raw(began.generation));
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

    void on(Instant, const ProcessGone& gone) {
        if (const auto at = instances_.find(gone.id); at != instances_.end()) {
            std::erase(at->second.processes, Process{gone.host, gone.process});
        }
    }

private:
    void forget(HostIndex host) {
        for (auto& [id, instance] : instances_) {
            std::erase_if(instance.processes,
                          [&](const Process& process) { return process.host == host; });
        }
    }

    struct Process {
        HostIndex host{};
        std::uint64_t number = 0;

        friend bool operator==(const Process&, const Process&) = default;
    };
    struct Instance {
        std::vector<Process> processes;
        std::uint64_t token = 0;
        HostIndex last{};  ///< The host of that token.
    };

    std::set<HostIndex> byzantine_agents_;
    std::map<InstanceId, Instance> instances_;
    using Orders = std::set<std::pair<InstanceId, std::uint64_t>>;  ///< Starts with their tokens.
    Orders issued_;
    Orders foreign_;  ///< From exchanged stores.
};

}  // namespace muster::sim
