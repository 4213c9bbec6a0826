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

/// Grants leases for exclusive instances, and holds instances that may still run unseen.
///
///     stamp   a node's boot time, with each of its answers
///     grant   stamp + length, by the host's own clock: sent with the next poll or start
///     hold    an instance on a node that was lost, removed, or began another life. It ends at
///             the moment from which the grant was counted here + length + 1 % + the grace of the
///             kill. Until then the instance is not placed again, unless that life reports that
///             the instance is gone
///
/// A lease is granted at a later instant than its stamp came, and counted from that later instant.
/// The reason: our clock is read once a turn, before the messages, and the process may have been
/// halted in between.
///
/// Leases of earlier leaders end after the same time since this leadership began. An instance that
/// a node has reported in its wanted generation in this leadership is not held for them.
class Leases {
public:
    /// `has_earlier`: other leaders may have granted leases.
    Leases(Instant now, Duration length, bool has_earlier);

    void on_stamp(Instant now, NodeIndex node, BootMs stamp);
    /// A new life of the node, perhaps on another host: older stamps do not apply.
    void begin_life(NodeIndex node);
    void forget(NodeIndex node) { at(node) = {}; }

    /// The lease to send to the node now; 0: it sent no stamp.
    [[nodiscard]] BootMs grant(Instant now, NodeIndex node);
    /// True if a start sent now carries a lease that is long enough.
    [[nodiscard]] bool may_start(Instant now, NodeIndex node) const;
    /// All leases granted to the node are over.
    [[nodiscard]] bool is_over(Instant now, NodeIndex node) const;
    /// A token above all earlier tokens of this cluster.
    [[nodiscard]] std::uint64_t next_token(Epoch epoch);

    /// The instance may still run there, in this life of the node.
    void hold(NodeIndex node, const std::string& name, LifeId life, const InstanceId& id);
    /// This life has reported all its instances.
    void release(LifeId life);
    /// Some node runs the instance, or will start it.
    void on_reported(Instant now, const InstanceId& id);
    /// Other coordinators may have led until now.
    void expect_earlier(Instant now);
    void drop_ended(Instant now);

    struct Hold {
        std::string node;  ///< Empty: the node that an earlier leader chose, which is not known.
        Instant until{};
    };
    /// The reason why the instance must not start anywhere yet.
    [[nodiscard]] std::optional<Hold> hold_of(Instant now, const InstanceId& id) const;

private:
    friend struct CoreFields;

    struct Stamp {
        BootMs boot{};
        Instant received{};
        Instant from{};  // A later instant: leases from this stamp are counted from here.
    };
    struct PerNode {
        Stamp latest;
        Stamp confirmed;              // The last stamp from an earlier instant.
        std::optional<Instant> over;  // All leases of the node are over then.
    };

    [[nodiscard]] static Stamp usable(Instant now, const PerNode& node);
    PerNode& at(NodeIndex node) { return made_at(nodes_, node); }

    Duration length_;
    Duration over_after_;                  // The time after which a lease is surely over.
    std::optional<Instant> earlier_over_;  // When leases of other leaders are over.
    std::set<InstanceId> reported_;        // Instances reported until `earlier_over_`.
    std::vector<PerNode> nodes_;
    std::map<std::pair<InstanceId, LifeId>, Hold> holds_;
    std::uint32_t tokens_ = 0;
};

}  // namespace muster::coordinator
