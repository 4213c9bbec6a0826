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
    unknown_sender,  ///< Its route never said hello.
    other_epoch,     ///< It is a report to another leadership, or of another life.
};

/// All nodes, in dense slots, by name and by session.
///
/// A slot is used again once its node was forgotten. A writer of a fact from which something is
/// derived calls touch(); the step ends by bringing store and placements up to date for those.
/// Facts of the table of transitions change by transition() alone, and each other part of a record
/// by the class that can make its key.
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
    // The list itself ensures that it holds the index.
    [[nodiscard]] const Node& operator[](NodeIndex index) const { return slots_[raw(index)]; }
    /// One part of the record, for the class that writes it.
    template <class Facts>
    [[nodiscard]] Facts& edit(NodeIndex index, WriteKey<Facts> /*key*/) {
        Node& node = at(index);
        if constexpr (std::is_base_of_v<Facts, AgentFacts>) {
            if (!node.said) {
                node.said = Boxed{AgentFacts{}};
            }
            return *node.said;
        } else {
            return node;
        }
    }
    [[nodiscard]] std::size_t count() const { return by_name_.size(); }
    /// In the order of their names.
    [[nodiscard]] const std::set<NodeIndex, ByName>& by_name() const { return by_name_; }

    /// Calls `see(index, node)` for each, in the order of slots: in memory they lie so.
    void each(auto&& see) const {
        std::uint32_t slot = 0;
        for (const Node& node : slots_) {
            if (!node.name.empty()) {
                see(NodeIndex{slot}, node);
            }
            ++slot;
        }
    }

    /// What is sent to it is numbered above all that was sent to records that are no more: its
    /// agent may be that of one of them, and obeys nothing that is not above.
    NodeIndex add(std::string_view name);
    void remove(NodeIndex index);

    /// The node is reached by this session from now on; whoever had it before is not.
    void attach(NodeIndex index, Session session);
    void detach(NodeIndex index);

    /// What is sent to it next has this number.
    [[nodiscard]] Sequence issue(NodeIndex index);
    /// It has obeyed this, in a life that we have forgotten: what we send must be above.
    void issue_above(NodeIndex index, Sequence obeyed);
    /// It has wanted work, or an operator decided something of it: its silence is news.
    void count_toward_freeze(NodeIndex index) { at(index).counts_toward_freeze = true; }

    /// The slots of all that have a route or are not lost. Rounds are about these: who is lost and
    /// has no route is asked nothing, misses nothing, and costs a round nothing.
    [[nodiscard]] const NodeSet& poll_set() const { return poll_set_; }
    /// Calls `see(index)` for each of them, which may take it out.
    void each_polled(auto&& see) const {
        for (Rank slot = poll_set_.next(0); slot != no_rank; slot = poll_set_.next(slot + 1)) {
            see(static_cast<NodeIndex>(slot));
        }
    }
    /// Its next route brings it back.
    void remove_from_poll_set(NodeIndex index);

    /// The only way by which a fact of the table of transitions changes: an event with its cause,
    /// and a count. `until`: of a suspension that begins.
    void transition(StepContext& step, NodeIndex index, NodeChange change, std::string cause,
                    std::optional<Instant> until = {});
    /// An operator listed a name that never came, before this leadership began.
    void expect(NodeIndex index);
    /// The record begins: it takes over what operators decided of its name before.
    void adopt(NodeIndex index, const StoredIntent& row);
    /// So often since the leadership began, by NodeChange.
    [[nodiscard]] const std::array<std::uint64_t, node_changes>& changes_seen() const {
        return changes_seen_;
    }

    void touch(NodeIndex index);
    /// The first that were, this many at most.
    [[nodiscard]] std::vector<NodeIndex> take_touched(std::size_t most);
    [[nodiscard]] std::size_t touched() const { return touched_.size(); }

    [[nodiscard]] Deadlines& deadlines() { return deadlines_; }
    [[nodiscard]] const Deadlines& deadlines() const { return deadlines_; }

    /// A message of an agent was of no use.
    void count_useless(Useless why) { ++useless_[static_cast<std::size_t>(why)]; }
    [[nodiscard]] std::uint64_t useless(Useless why) const {
        return useless_[static_cast<std::size_t>(why)];
    }

private:
    friend struct CoreFields;  // Which records it.

    [[nodiscard]] Node& at(NodeIndex index) { return slots_[raw(index)]; }

    std::deque<Node> slots_;  // They never move, and there is none too many.
    std::vector<NodeIndex> free_;
    std::set<NodeIndex, ByName> by_name_{ByName{&slots_}};
    std::unordered_map<Session, NodeIndex> by_session_;  // Looked up only, never iterated.
    NodeSet poll_set_;  // By index. Who has become lost leaves it when the next round opens.
    std::vector<NodeIndex> touched_;
    Deadlines deadlines_;
    std::array<std::uint64_t, node_changes> changes_seen_{};
    std::array<std::uint64_t, 2> useless_{};  // By Useless.
    Sequence forgotten_sequences_{};          // The highest issued to a record that is no more.
};

}  // namespace muster::coordinator
