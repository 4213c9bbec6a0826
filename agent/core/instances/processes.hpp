#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "agent/core/io.hpp"
#include "agent/core/journal.hpp"
#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace muster::agent {

/// The processes whose shim still has to report that they run, or that they are gone.
///
/// A message of a shim may be lost, and shims do not repeat messages. The agent therefore asks a
/// shim that has reported nothing within the patience, and again every `limits::shim_patience`. A
/// shim that is asked sends its whole state; if nothing has changed yet, the answer says so.
///
/// Owned by Processes.
class ShimWatch {
public:
    /// Awaits a report, counted from the next take_overdue(). Replaces an earlier wait for this
    /// process.
    void await(ProcessId process, Duration patience);
    /// Ends the wait for this process.
    void on_report(ProcessId process);

    /// The processes whose shims must be asked now.
    [[nodiscard]] std::vector<ProcessId> take_overdue(Instant now);
    [[nodiscard]] std::optional<Instant> next_deadline() const {
        return due_.empty() ? std::nullopt : std::optional{due_.begin()->first};
    }

private:
    void await_until(ProcessId process, Instant due);

    std::map<ProcessId, Duration> begun_;
    std::map<ProcessId, Instant> awaited_;
    std::set<std::pair<Instant, ProcessId>> due_;
};

/// The processes of instances: the instance of each, the orders for it, and the reports that its
/// shim has not sent yet.
///
///     intended -> ordered -> started -> ended -> released
///
/// A process is intended until the journal knows it. Only then it is ordered. At most
/// `spawns_at_once` processes start at a time, so that a large batch does not keep the shell from
/// answering polls.
///
/// A leftover is a process of an earlier life that belongs to no instance. It is killed.
///
/// take_orders() returns the orders. Owned by Lifecycle.
class Processes {
public:
    static constexpr std::size_t spawns_at_once = 32;

    /// The next processes have higher numbers.
    void skip_to(ProcessId last) { last_ = std::max(last_, last); }
    /// Adds a new, intended process.
    [[nodiscard]] ProcessId begin(const InstanceId& id);
    /// Adds a process of an earlier life.
    void adopt(ProcessId process, const InstanceId& id, bool runs);
    [[nodiscard]] bool may_begin() const { return starting_ < spawns_at_once; }
    /// The process was created, or will not be.
    void end_start() { --starting_; }
    /// Detaches the process from its instance. True: it was only intended, and is not created.
    bool forget(ProcessId process);

    [[nodiscard]] const InstanceId& instance_of(ProcessId process) const;
    [[nodiscard]] bool is_intended(ProcessId process) const { return intents_.contains(process); }
    /// True once for an intended process: the journal has it.
    [[nodiscard]] bool take_intent(ProcessId process) { return intents_.erase(process) > 0; }

    void spawn(Spawn spawn) { orders_.spawns.push_back(std::move(spawn)); }
    void end(const End& end) { orders_.ends.push_back(end); }
    void renew(ProcessId process, Instant lease) { orders_.renewals.push_back({process, lease}); }
    void release(ProcessId process) { orders_.releases.push_back({process}); }
    [[nodiscard]] ProcessOrders take_orders() { return std::exchange(orders_, {}); }

    /// The reports that shims still owe.
    [[nodiscard]] ShimWatch& shims() { return shims_; }
    [[nodiscard]] const ShimWatch& shims() const { return shims_; }
    /// Makes the shim send its whole state. Kills a leftover again, because the first order may be
    /// lost.
    void ask(ProcessId process);

    void kill_leftover(ProcessId process);
    [[nodiscard]] bool is_leftover(ProcessId process) const { return leftovers_.contains(process); }
    void release_leftover(ProcessId process);

private:
    std::map<ProcessId, InstanceId> instances_;
    std::set<ProcessId> intents_;
    std::set<ProcessId> leftovers_;
    std::size_t starting_ = 0;  // Not yet confirmed.
    ProcessId last_{};
    ShimWatch shims_;
    ProcessOrders orders_;
};

}  // namespace muster::agent
