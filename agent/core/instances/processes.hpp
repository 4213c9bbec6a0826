#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "agent/core/instances/shim_watch.hpp"
#include "agent/core/io.hpp"
#include "agent/core/journal.hpp"
#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace muster::agent {

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

    /// Its shim has so long to tell what was ordered last.
    void await(ProcessId process, Duration patience) { shims_.await(process, patience); }
    void on_told(ProcessId process) { shims_.on_told(process); }
    /// Those whose shims have told nothing for too long.
    [[nodiscard]] std::vector<ProcessId> take_overdue(Instant now) {
        return shims_.take_overdue(now);
    }
    /// Has its shim tell its whole state. A leftover is killed again: the first order may be lost.
    void ask(ProcessId process);
    [[nodiscard]] std::optional<Instant> next_deadline() const { return shims_.next_deadline(); }

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
