#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "common/base/boxed.hpp"
#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/nodes/deadlines.hpp"
#include "coordinator/core/nodes/lifecycle.hpp"
#include "coordinator/core/nodes/node.hpp"
#include "coordinator/core/nodes/node_set.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// Why a message of an agent changed nothing.
enum class Useless : std::uint8_t {
    unknown_sender,  ///< Its connection sent no hello.
    other_epoch,     ///< A report to another leadership, or of another life.
};

/// All nodes, in dense slots, by name and by session.
///
/// A slot is used again once its node was forgotten. A class that writes a fact calls touch() if
/// other state is derived from the fact. At its end the step updates the store and the placements
/// for the touched nodes. Only transition() changes the facts of the table of transitions. Each
/// other part of a record is changed by the class that can make its key.
class NodeRegistry {
    struct ByName {
        using is_transparent = void;
        const std::deque<Node>* slots;

        [[nodiscard]] std::string_view name(NodeIndex index) const {
            return (*slots)[raw(index)].name;
        }
        [[nodiscard]] static std::string_view name(std::string_view name) { return name; }
        [[nodiscard]] bool operator()(const auto& left, const auto& right) const {
            return name(left) < name(right);
        }
    };

public:
    explicit NodeRegistry(std::span<const StoredNode> stored);
    NodeRegistry(const NodeRegistry&) = delete;
    NodeRegistry& operator=(const NodeRegistry&) = delete;
    ~NodeRegistry() = default;

    [[nodiscard]] std::optional<NodeIndex> find(std::string_view name) const;
    [[nodiscard]] std::optional<NodeIndex> find(Session session) const;
    // The container checks the index itself.
    [[nodiscard]] const Node& operator[](NodeIndex index) const { return slots_[raw(index)]; }
    /// One part of the record, for the class that writes it.
    template <class Facts>
    [[nodiscard]] Facts& edit(NodeIndex index, WriteKey<Facts> /*key*/) {
        Node& node = at(index);
        if constexpr (std::is_base_of_v<Facts, AgentFacts>) {
            if (!node.agent_facts) {
                node.agent_facts = Boxed{AgentFacts{}};
            }
            return *node.agent_facts;
        } else {
            return node;
        }
    }
    [[nodiscard]] std::size_t count() const { return by_name_.size(); }
    /// In the order of their names.
    [[nodiscard]] const std::set<NodeIndex, ByName>& by_name() const { return by_name_; }

    /// Calls `visit(index, node)` for each node, in the order of slots, which is that in memory.
    void each(auto&& visit) const {
        std::uint32_t slot = 0;
        for (const Node& node : slots_) {
            if (!node.name.empty()) {
                visit(NodeIndex{slot}, node);
            }
            ++slot;
        }
    }

    /// The sequence numbers of the new record start above those of all removed records. Its agent
    /// may be that of a removed record, and refuses lower numbers.
    NodeIndex add(std::string_view name);
    void remove(NodeIndex index);

    /// The node has this session from now on. A node that had this session before loses it.
    void attach(NodeIndex index, Session session, const PublicKey& key = {});
    void detach(NodeIndex index);

    /// The sequence number of the next batch to the node.
    [[nodiscard]] Sequence issue(NodeIndex index);
    /// The agent obeyed this number before, and we no longer know that: later numbers must be above
    /// it.
    void issue_above(NodeIndex index, Sequence obeyed);
    /// It has wanted work, or an operator named it: its silence counts.
    void count_toward_freeze(NodeIndex index) { at(index).counts_toward_freeze = true; }

    /// The slots of all nodes that are connected or not lost. A lost node without a connection is
    /// not polled, misses no poll, and costs a round nothing.
    [[nodiscard]] const NodeSet& poll_set() const { return poll_set_; }
    /// Calls `visit(index)` for each of these nodes. `visit` may remove the node from the set.
    void each_polled(auto&& visit) const {
        for (Rank slot = poll_set_.next(0); slot != no_rank; slot = poll_set_.next(slot + 1)) {
            visit(static_cast<NodeIndex>(slot));
        }
    }
    /// The next connection of the node adds it again.
    void remove_from_poll_set(NodeIndex index);

    /// Changes facts of the table of transitions, emits an event with its cause, and counts it.
    /// Nothing else changes these facts. `until`: the end of a suspension that begins.
    void transition(StepContext& step, NodeIndex index, NodeChange change, std::string cause,
                    std::optional<Instant> until = {});
    /// An operator listed this name before this leadership, and it never joined.
    void expect(NodeIndex index);
    /// The record begins: it takes over what operators decided about this name before.
    void adopt(NodeIndex index, const StoredIntent& row);
    /// How often each NodeChange happened since the leadership began.
    [[nodiscard]] const std::array<std::uint64_t, node_changes>& changes_seen() const {
        return changes_seen_;
    }

    void touch(NodeIndex index);
    /// Takes the first touched nodes, at most this many.
    [[nodiscard]] std::vector<NodeIndex> take_touched(std::size_t most);
    [[nodiscard]] std::size_t touched() const { return touched_.size(); }

    [[nodiscard]] Deadlines& deadlines() { return deadlines_; }
    [[nodiscard]] const Deadlines& deadlines() const { return deadlines_; }

    /// A message of an agent changed nothing.
    void count_useless(Useless why) { ++useless_[static_cast<std::size_t>(why)]; }
    [[nodiscard]] std::uint64_t useless(Useless why) const {
        return useless_[static_cast<std::size_t>(why)];
    }

private:
    friend struct CoreFields;

    [[nodiscard]] Node& at(NodeIndex index) { return slots_[raw(index)]; }

    std::deque<Node> slots_;  // A deque: nodes never move, and there is no spare capacity.
    std::vector<NodeIndex> free_;
    std::set<NodeIndex, ByName> by_name_{ByName{&slots_}};
    std::unordered_map<Session, NodeIndex> by_session_;  // Looked up only, never iterated.
    // By index. A node that became lost leaves the set when the next round opens.
    NodeSet poll_set_;
    std::vector<NodeIndex> touched_;
    Deadlines deadlines_;
    std::array<std::uint64_t, node_changes> changes_seen_{};
    std::array<std::uint64_t, 2> useless_{};  // By Useless.
    Sequence forgotten_sequences_{};          // The highest number issued to a removed record.
};

}  // namespace muster::coordinator
