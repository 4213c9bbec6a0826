#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/ids.hpp"
#include "common/message.hpp"
#include "coordinator/core/workload.hpp"

namespace muster {

/// Why a start or a stop is ordered. The name is the event's and the explanation's code.
enum class Cause : std::uint8_t { missing, lost, surplus, unwanted, duplicate, rollout, balance };

/// One start or stop at one node.
struct Order {
    enum class Action : std::uint8_t { start, stop };
    Action action{};
    Cause cause{};
    TaskIndex task{};
    Ordinal ordinal = 0;
    NodeIndex node{};
    Generation generation{};  ///< start: the wanted one; stop: that of the copy.

    friend bool operator==(const Order&, const Order&) = default;
};

/// A copy of an instance on a node: reported, ordered, or both.
struct Copy {
    Ordinal ordinal = 0;
    NodeIndex node{};
    Generation generation{};  ///< Reported; if only ordered, the ordered one.
    CivilMs started{};
    InstanceState state{};
    bool reported = false;
    bool starting = false;  ///< A start is in flight: the copy may come to be at any time.
    bool stopping = false;  ///< A stop is in flight.
};

/// Who runs what, as reported, and what is in flight; indexed both ways.
///
/// Level-triggered: a report overwrites what we believed. An order in flight counts as a copy that
/// may exist, until the node's next answered poll settles it (a link is FIFO: what an answer shows
/// as not done never will be) or the node is lost.
///
/// Pure: no clock, no I/O, no thread. Owned by Coordinator.
class Placements {
public:
    explicit Placements(Workload& workload);

    void add_node(NodeIndex node, std::string_view name);
    /// Forgets a node and its copies.
    void remove_node(NodeIndex node);
    /// Only a serving node gets starts. It may get stops if `commandable`.
    void set_serving(NodeIndex node, bool serving);
    /// Not commandable (ahead, no session, not recorded yet): no order goes there at all.
    void set_commandable(NodeIndex node, bool commandable);
    /// A lost node's copies count as gone; they count again, as held, when it answers.
    void set_counted(NodeIndex node, bool counted);

    /// A snapshot replaces what is held of the node; instances are sorted by id. False: one was
    /// listed twice or out of order (it counts once; the report is faulty).
    bool replace(NodeIndex node, std::span<const InstanceReport> instances);
    /// A delta changes what is held.
    bool change(NodeIndex node, std::span<const InstanceReport> changed,
                std::span<const InstanceId> gone);

    /// The order left in the batch of this sequence.
    void launched(const Order& order, Sequence sequence);
    /// The node answered a poll that said `issued`: what was ordered up to it is as reported.
    void settle(NodeIndex node, Sequence issued);
    /// The agent refused the order of this instance: not in flight any more.
    void refused(NodeIndex node, const InstanceId& id, Generation generation);

    [[nodiscard]] std::span<const Copy> copies(TaskIndex task) const;  ///< By ordinal, then node.
    [[nodiscard]] std::span<const std::string> details(NodeIndex node) const;
};

}  // namespace muster
