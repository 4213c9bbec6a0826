#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "common/base/boxed.hpp"
#include "common/base/ids.hpp"
#include "common/messages/message.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// Why a start or a stop is ordered. The name is the event's and the explanation's code.
enum class Cause : std::uint8_t {
    missing,
    lost,
    surplus,
    unwanted,
    duplicate,
    rollout,
    balance,
    drain,  ///< The node is to be left by order of an operator,
    flaky,  ///< or because it suffers a penalty.
    unfit,  ///< The node is not of the task's pool any more, or does not meet its constraints.
    retry,  ///< It failed, or was refused, on other nodes.
    every_node,
};
[[nodiscard]] std::string_view to_string(Cause cause);
/// The start is that of a copy which is to take the place of one that runs elsewhere.
[[nodiscard]] constexpr bool is_move(Cause cause) {
    return cause == Cause::balance || cause == Cause::drain || cause == Cause::flaky ||
           cause == Cause::unfit;
}

/// Why a node is to be left by all that runs on it.
struct Evacuation {
    Cause cause = Cause::drain;
    bool force = false;  ///< What has no other place is stopped all the same.

    friend bool operator==(const Evacuation&, const Evacuation&) = default;
};

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

/// What became of commands, since the leadership began.
struct Outcomes {
    std::uint64_t answered = 0;    ///< A later answer of the node shows what it did.
    std::uint64_t refused = 0;     ///< The agent said that it does not do it, and why.
    std::uint64_t unanswered = 0;  ///< Its node was lost, or began a new life, before it answered.
};

/// Whose order a copy follows. One of this leadership never gives way to one that may be none.
enum class Origin : std::uint8_t {
    ordered,  ///< Of this leadership, or the copy was there when it began.
    unasked,  ///< Perhaps of an earlier leadership.
    claimed,  ///< Of nobody: its node says so, and nothing of it was ever ordered there.
};

/// What is thought of copies that a node reports and this leadership did not order there.
struct Trust {
    Origin origin = Origin::ordered;
    Generation believed{};  ///< Up to this generation they count as ordered.
};

/// A copy of an instance on a node: reported, ordered, or both.
struct Copy {
    Generation generation{};  ///< Reported; if only ordered, the ordered one.
    CivilMs started{};
    Ordinal ordinal = 0;
    NodeIndex node{};
    InstanceState state = InstanceState::pending;
    Origin origin = Origin::ordered;
    bool reported : 1 = false;
    bool starting : 1 = false;    ///< A start is in flight: it may come to be at any time.
    bool stopping : 1 = false;    ///< A stop is in flight.
    bool moving : 1 = false;      ///< The target of a move.
    bool replacing : 1 = false;   ///< A start of a higher generation went to it.
    bool taken_down : 1 = false;  ///< It ran when that start went; it has not run since.
    bool faulty : 1 = false;      ///< It ended last by a signal, or with an exit code above 0.
    bool erased : 1 = false;      ///< Not a copy any more; swept at the next reading.

    friend bool operator==(const Copy&, const Copy&) = default;
};

/// It runs, or may come to run: it has not ended for good.
[[nodiscard]] bool may_run(const Copy& copy);
/// It runs, or ran to its end.
[[nodiscard]] bool has_run(InstanceState state);

/// An instance that a node was to run, and that is not there.
struct Vanished {
    TaskIndex task{};
    Ordinal ordinal = 0;
    Generation generation{};

    friend bool operator==(const Vanished&, const Vanished&) = default;
};

/// What applying a report found.
struct Applied {
    bool sound = true;  ///< False: an instance was listed twice or out of order (GO-D15).
    bool changed = false;
    bool ended = false;  ///< Some copy stopped running or is gone: reason to plan at once.
    // What was not held so before, pointing into what was applied.
    std::vector<const InstanceReport*> instances;
    std::vector<const InstanceId*> gone;  ///< Of a delta.
    /// Of a generation that our store has not given to its task: the latest of them.
    const InstanceReport* not_ours = nullptr;
    /// Not ordered there by this leadership: the first of them, and how many there are.
    const InstanceReport* claimed = nullptr;
    std::size_t claims = 0;
    /// What ran, or was to run, and is gone: it has not ended, nor was it to be stopped.
    std::vector<Vanished> vanished;
};

/// Who runs what, as reported, and what is in flight; indexed both ways.
///
/// Level-triggered: a report overwrites what we believed. An order in flight counts as a copy that
/// may exist, until the node's next answered poll settles it (a link is FIFO: what an answer shows
/// as not done never will be), a report shows it done, or the node is lost.
///
/// By node lies what was reported, whole and in the order of reports, so that an unchanged snapshot
/// costs one compare an instance. By task lie the copies that count: 32 bytes each, sorted lazily.
///
/// Pure: no clock, no I/O, no thread. Owned by Coordinator.
class Placements {
public:
    explicit Placements(Workload& workload) : workload_{workload} {}
    /// A copy, of another workload that has the same indices. All of it is new to its planner.
    Placements(const Placements& other, Workload& workload);

    /// A new node is not serving and not commandable, but counted. Names are unique.
    void add_node(NodeIndex index, std::string_view name);
    /// Forgets a node and its copies.
    void remove_node(NodeIndex index);
    /// Only a serving node gets starts. It may get stops if `commandable`.
    void set_serving(NodeIndex node, bool serving);
    /// Not commandable (ahead, no session, not recorded yet): no order goes there at all.
    void set_commandable(NodeIndex node, bool commandable);
    /// What runs on the node is to run elsewhere; with nothing, it may stay. Such a node does not
    /// serve.
    void set_evacuating(NodeIndex index, std::optional<Evacuation> why);
    /// A lost node's copies count as gone, and what was in flight there is forgotten. When it
    /// answers they count again as held: first apply what it answered, then count it.
    void set_counted(NodeIndex index, bool counted);

    /// A snapshot replaces what is held of the node; instances are sorted by id. Of one listed
    /// twice the first counts. What is new and was not ordered is as trusted.
    Applied replace(NodeIndex node, std::span<const InstanceReport> instances, Trust trust = {});
    /// A delta changes what is held.
    Applied change(NodeIndex index, std::span<const InstanceReport> changed,
                   std::span<const InstanceId> gone, Trust trust = {});

    /// The order left in the batch of this sequence. Sequences of a node do not decrease.
    void launched(const Order& order, Sequence sequence);
    /// The node answered a poll that said `issued`: what was ordered up to it is as reported. Apply
    /// the report first. For another life of the agent, `everything`.
    void settle(NodeIndex index, Sequence issued);
    /// The same answer, before it settles anything: starts up to `issued` that the agent obeyed,
    /// and that left nothing. `obeyed` is the last batch that it obeyed.
    [[nodiscard]] std::vector<Vanished> obeyed_in_vain(NodeIndex index, Sequence issued,
                                                       Sequence obeyed) const;
    /// Before that, too: what the agent was to stop, says to have stopped, and reports as ever, is
    /// claimed from now on. Gives the first of them.
    std::optional<Vanished> disown(NodeIndex index, Sequence issued, Sequence obeyed);
    static constexpr Sequence everything{~std::uint64_t{0}};
    /// The agent obeyed this batch. Of those before nobody knows: they may have been lost.
    void obeyed(NodeIndex index, Sequence sequence);
    /// The agent, which has obeyed up to this sequence, refused the order of this instance: it is
    /// not in flight any more. A later order is, whatever a late double of the refusal says. True:
    /// it was a start.
    bool refused(NodeIndex index, const InstanceId& id, Generation generation, Sequence obeyed);
    [[nodiscard]] bool is_ordered(NodeIndex index, const InstanceId& id,
                                  Generation generation) const;

    /// The copies that count (of lost nodes none), by ordinal, then node.
    [[nodiscard]] std::span<const Copy> copies(TaskIndex task) const;
    /// How many instances the node reported.
    [[nodiscard]] std::size_t held(NodeIndex node) const;
    /// It reported something that runs or may run again, or orders are on their way to it.
    [[nodiscard]] bool is_busy(NodeIndex index) const;
    /// All that is known of what the node reported, by id; and what is ordered there.
    [[nodiscard]] std::vector<InstanceView> instances_on(NodeIndex index) const;
    /// One copy for people. `node` of the view is filled in.
    [[nodiscard]] InstanceView view(TaskIndex task, const Copy& copy) const;
    /// Of no generation of this store: listed and left alone (conformance (i)).
    [[nodiscard]] bool is_foreign(const Copy& copy) const {
        return copy.reported && is_foreign(copy.generation);
    }
    /// Nothing this store ever ordered there.
    [[nodiscard]] bool is_stray(const Copy& copy) const {
        return is_foreign(copy) || (copy.reported && copy.origin == Origin::claimed);
    }
    /// Orders in flight, of all nodes and of one.
    [[nodiscard]] std::size_t in_flight() const { return in_flight_; }
    [[nodiscard]] const Outcomes& outcomes() const { return outcomes_; }
    [[nodiscard]] std::size_t in_flight(NodeIndex node) const;

    /// What the node offers; until it is said, it offers what any node does.
    void set_offer(NodeIndex node, const Offer& offer);

    // For the planner.
    [[nodiscard]] const Offer& offer(NodeIndex node) const;
    /// Nodes that came or went, or whose offer changed, since the last call.
    [[nodiscard]] std::vector<NodeIndex> take_offered() { return std::exchange(offered_, {}); }
    [[nodiscard]] std::string_view node_name(NodeIndex node) const;
    /// Serving, and commandable: it gets starts.
    [[nodiscard]] bool is_serving(NodeIndex node) const;
    [[nodiscard]] bool is_commandable(NodeIndex node) const;
    [[nodiscard]] std::optional<Evacuation> evacuation(NodeIndex node) const;
    /// How many nodes are to be left.
    [[nodiscard]] std::size_t evacuating() const { return evacuating_; }
    [[nodiscard]] bool is_known(NodeIndex node) const {
        return raw(node) < nodes_.size() && nodes_[raw(node)].present;
    }
    /// False for a lost node, and for one that was removed.
    [[nodiscard]] bool is_counted(NodeIndex node) const;
    /// All known nodes in the order of their names.
    [[nodiscard]] std::span<const NodeIndex> by_name() const;
    /// Grows whenever a node came or went.
    [[nodiscard]] std::uint64_t names_version() const { return names_version_; }
    /// Nodes that came to serve or ceased to since the last call; some may be gone by now.
    [[nodiscard]] std::vector<NodeIndex> take_flipped();
    /// Tasks whose copies changed since the last call, each once.
    [[nodiscard]] std::vector<TaskIndex> take_touched();
    /// No node holds and no order names the task.
    [[nodiscard]] bool is_unused(TaskIndex task) const;
    /// A move is over: its target is a copy like any other.
    void arrived(TaskIndex task, Ordinal ordinal, NodeIndex node);
    /// What the node reported, by name of task, then ordinal; then what is on its way there.
    struct Instance {
        TaskIndex task{};
        Ordinal ordinal = 0;
    };
    [[nodiscard]] std::vector<Instance> all_on(NodeIndex index) const;
    /// Something that is wanted, reported or in flight.
    [[nodiscard]] bool bears_wanted(NodeIndex index) const;

private:
    friend struct CoreFields;  // Which records it.

    /// An instance as reported; compared with the next report.
    struct Held {
        Generation generation{};
        CivilMs started{};
        TaskIndex task{};
        Ordinal ordinal = 0;
        std::uint32_t restarts = 0;
        std::int32_t exit_code = -1;
        std::int16_t exit_signal = 0;
        InstanceState state{};
        Origin origin{};
        bool detailed = false;  ///< Its sentence is in details_.

        friend bool operator==(const Held&, const Held&) = default;
    };
    struct InFlight {
        Sequence sequence{};
        Generation generation{};
        TaskIndex task{};
        Ordinal ordinal = 0;
        Order::Action action{};
        bool obeyed = false;  ///< By the ack of its batch.
    };
    /// A start that is not in flight any more, and of which nothing was reported. A node that was
    /// out of sight meanwhile may have obeyed it.
    struct Lapsed {
        Generation generation{};
        Ordinal ordinal = 0;

        friend bool operator==(const Lapsed&, const Lapsed&) = default;
    };
    struct Node {
        std::string name;
        bool present = false;
        bool serving = false;
        bool commandable = false;
        bool counted = true;
        bool flipped = false;  // In the list of take_flipped().
        std::optional<Evacuation> evacuation;
        Boxed<Offer> offer;  // If it is not like any other's.
        [[nodiscard]] bool takes_starts() const { return serving && commandable && counted; }
        std::vector<Held> held;           // By name of task, then ordinal.
        std::vector<InFlight> in_flight;  // By sequence.
        std::vector<Lapsed> lapsed;       // As they lapsed, and no more than it can run.
    };
    struct TaskEntry {
        std::vector<Copy> copies;  // Sorted up to `sorted`; then a few new ones.
        std::uint32_t sorted = 0;
        std::uint32_t references = 0;  // Entries held, of lost nodes too.
        bool holed = false;            // Has erased copies.
        bool touched = false;
    };

    void sort_names() const;
    Node& at(NodeIndex node);
    const Node& at(NodeIndex node) const;
    void set(NodeIndex index, bool Node::*fact, bool value);
    TaskEntry& entry(TaskIndex task);
    static void tidy(TaskEntry& entry);
    static Copy* find(TaskEntry& entry, Ordinal ordinal, NodeIndex node);
    [[nodiscard]] const Copy* find(TaskIndex task, Ordinal ordinal, NodeIndex node) const;
    Copy& insert(TaskIndex task, Ordinal ordinal, NodeIndex node);
    void erase(TaskIndex task, Copy& copy);
    void touch(TaskIndex task);

    [[nodiscard]] bool is_same(NodeIndex node, const Held& held,
                               const InstanceReport& report) const;
    [[nodiscard]] bool is_foreign(Generation generation) const {
        return generation == Generation{} || generation > workload_.counter();
    }
    /// Of what is reported now. `before` is how it was held, if it was.
    [[nodiscard]] Origin origin_of(NodeIndex index, TaskIndex task, const Held* before,
                                   const InstanceReport& report, const Trust& trust) const;
    Held make_held(NodeIndex node, TaskIndex task, const InstanceReport& report, Origin origin);
    void note(const Held& held, const InstanceReport& report, Applied& applied) const;
    Applied merge(NodeIndex index, std::size_t same,
                  const std::vector<const InstanceReport*>& reports, const Trust& trust);
    /// The held entry is new or changed: so is the copy that counts.
    void count(NodeIndex index, const Held& held, bool fresh);
    void count_gone(NodeIndex index, const Held& held);
    void note_gone(NodeIndex index, const Held& held, Applied& applied) const;
    void drop(NodeIndex node, const Held& held);
    void close(NodeIndex index, const InFlight& order);
    void note_lapsed(NodeIndex index, const InFlight& order);
    /// Something else was ordered of the same copy, and not before.
    [[nodiscard]] bool is_followed(NodeIndex index, const InFlight& order) const;
    void set_origin(NodeIndex index, TaskIndex task, Copy& copy, Origin origin);
    [[nodiscard]] std::vector<InFlight>::const_iterator find_ordered(NodeIndex index,
                                                                     const InstanceId& id,
                                                                     Generation generation) const;
    [[nodiscard]] std::size_t position_of(const Node& node, const InstanceId& id) const;
    [[nodiscard]] InstanceView view(NodeIndex index, const Held& held) const;
    [[nodiscard]] InstanceView ordered_view(TaskIndex task, Ordinal ordinal, NodeIndex node,
                                            Generation generation) const;

    Workload& workload_;
    std::deque<Node> nodes_;  // There is none too many.
    // Sorted when read: many come or go together.
    mutable std::vector<NodeIndex> by_name_;
    mutable std::size_t names_sorted_ = 0;  // Up to here; then new ones, in no order.
    mutable bool names_gone_ = false;       // Some are of slots that are free.
    mutable std::vector<TaskEntry> tasks_;  // Sorted when read.
    std::map<std::tuple<NodeIndex, TaskIndex, Ordinal>, std::string> details_;  // Rare.
    std::vector<TaskIndex> touched_;
    std::size_t evacuating_ = 0;  // How many nodes are.
    std::vector<NodeIndex> flipped_;
    std::vector<NodeIndex> offered_;
    std::uint64_t names_version_ = 0;
    std::size_t in_flight_ = 0;
    Outcomes outcomes_;
};

}  // namespace muster::coordinator
