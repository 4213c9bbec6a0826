#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/time.hpp"
#include "coordinator/core/workload/by_index.hpp"

namespace muster::coordinator {

/// Until when nodes may run exclusive instances, as far as we have let them, and which instances
/// may therefore still run where nobody can see it.
///
///     stamp   a node's boot time, with each of its answers
///     grant   stamp + length: what its next poll or start says. It ends there, on its host's clock
///     hold    an instance on a node that was lost, removed, or began another life: it is over by
///             the moment from which the grant was counted here + length + 1 % + the grace of the
///             kill. Only then, or when that life says that it is not there, is it placed again
///
/// A stamp is granted from in a later instant than it came in, and counted from that: our clock is
/// read once a turn, before what came meanwhile is read, however long we were halted in between.
///
/// What an earlier leader granted is over when as much has passed since we began; an instance that
/// a node has reported in this leadership is no secret of theirs.
class Leases {
public:
    /// `has_earlier`: other leaders may have granted leases.
    Leases(Instant now, Duration length, bool has_earlier);

    void on_stamp(Instant now, NodeIndex node, BootMs stamp);
    /// Another life of the node, perhaps of another host: stamps of the last say nothing of it.
    void begin_life(NodeIndex node);
    void forget(NodeIndex node) { at(node) = {}; }

    /// What to say to the node now; 0: it gave no stamp.
    [[nodiscard]] BootMs grant(Instant now, NodeIndex node);
    /// A start that goes there now brings a lease that is worth it.
    [[nodiscard]] bool may_start(Instant now, NodeIndex node) const;
    /// Whatever was granted there is over, and nothing exclusive runs there by it.
    [[nodiscard]] bool is_over(Instant now, NodeIndex node) const;
    /// Above every earlier one of this cluster.
    [[nodiscard]] std::uint64_t next_token(Epoch epoch);

    /// It may still run there, in this life of the node.
    void hold(NodeIndex node, const std::string& name, LifeId life, const InstanceId& id);
    /// This life has said all that it runs.
    void release(LifeId life);
    /// Some node runs it, or is about to.
    void on_reported(Instant now, const InstanceId& id);
    /// Others have led up to now.
    void expect_earlier(Instant now);
    void drop_ended(Instant now);

    struct Hold {
        std::string node;  ///< Empty: whichever an earlier leader had it run on.
        Instant until{};
    };
    /// Why it may not be started anywhere yet.
    [[nodiscard]] std::optional<Hold> hold_of(Instant now, const InstanceId& id) const;

private:
    friend struct CoreFields;

    struct Stamp {
        BootMs boot{};
        Instant came{};
        Instant from{};  // Later: a lease of it is counted from here.
    };
    struct PerNode {
        Stamp latest;
        Stamp settled;                // The last that came in an earlier instant.
        std::optional<Instant> over;  // All that was granted is over by then.
    };

    [[nodiscard]] static Stamp usable(Instant now, const PerNode& node);
    PerNode& at(NodeIndex node) { return made_at(nodes_, node); }

    Duration length_;
    Duration over_after_;                  // From the moment from which a lease is counted.
    std::optional<Instant> earlier_over_;  // What other leaders granted.
    std::set<InstanceId> reported_;        // Until then.
    std::vector<PerNode> nodes_;
    std::map<std::pair<InstanceId, LifeId>, Hold> holds_;
    std::uint32_t tokens_ = 0;
};

}  // namespace muster::coordinator
