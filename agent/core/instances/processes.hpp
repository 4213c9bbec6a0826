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

/// The processes of which a shim has to tell something: that they run, or that they are gone.
///
/// A message of a shim may be lost, and shims do not repeat themselves. So a shim that has told
/// nothing within the patience is asked, and again every `limits::shim_patience` until it has. To
/// ask is to have it tell its state: one that is slow answers that nothing has changed yet.
///
/// Owned by Processes.
class ShimWatch {
public:
    /// From the next take_overdue() on, and in place of what was awaited before.
    void await(ProcessId process, Duration patience);
    /// Nothing more is awaited of it.
    void on_told(ProcessId process);

    /// Those that are to be asked now.
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

/// The processes of instances: which instance each is of, what is ordered of it, and what its shim
/// has to tell.
///
///     intended -> ordered -> started -> ended -> released
///
/// A process is intended until the journal knows it; only then is it ordered. At most
/// `spawns_at_once` are being made at a time, so that a large batch does not keep the shell from
/// answering polls.
///
/// A leftover is a process of an earlier life that no instance has any more: it is killed.
///
/// What is to be done is taken with take_orders(). Owned by Lifecycle.
class Processes {
public:
    static constexpr std::size_t spawns_at_once = 32;

    /// The next ones have higher numbers.
    void skip_to(ProcessId last) { last_ = std::max(last_, last); }
    /// A new one is intended.
    [[nodiscard]] ProcessId begin(const InstanceId& id);
    /// One of an earlier life.
    void adopt(ProcessId process, const InstanceId& id, bool runs);
    [[nodiscard]] bool may_begin() const { return starting_ < spawns_at_once; }
    /// It was made, or will not be.
    void end_start() { --starting_; }
    /// It is not of its instance any more. True: it was only intended, and is not made.
    bool forget(ProcessId process);

    [[nodiscard]] const InstanceId& instance_of(ProcessId process) const;
    [[nodiscard]] bool is_intended(ProcessId process) const { return intents_.contains(process); }
    /// True once, for one that was intended: it is in the journal.
    [[nodiscard]] bool take_intent(ProcessId process) { return intents_.erase(process) > 0; }

    void spawn(Spawn spawn) { orders_.spawns.push_back(std::move(spawn)); }
    void end(const End& end) { orders_.ends.push_back(end); }
    void renew(ProcessId process, Instant lease) { orders_.renewals.push_back({process, lease}); }
    void release(ProcessId process) { orders_.releases.push_back({process}); }
    [[nodiscard]] ProcessOrders take_orders() { return std::exchange(orders_, {}); }

    /// What their shims have to tell.
    [[nodiscard]] ShimWatch& shims() { return shims_; }
    [[nodiscard]] const ShimWatch& shims() const { return shims_; }
    /// Has its shim tell its whole state. A leftover is killed again: the first order may be lost.
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
