#pragma once

#include <optional>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// How a hello is answered.
enum class HelloVerdict : std::uint8_t {
    same_life,          ///< The agent we know: only its route moved.
    new_life,           ///< A new start of the agent, or one this leadership has not met.
    stale_incarnation,  ///< Another life that must first say a higher incarnation.
    too_far_ahead,      ///< Says an incarnation that no count of starts reaches.
    name_in_use,        ///< Another life, while the old one may still answer.
};

/// The incarnation is the agent's own counter. The store keeps the last one welcomed but not whose
/// life it was, so a new leadership takes the first life that says the stored number for the old.
[[nodiscard]] HelloVerdict judge(const Node& node, const Hello& hello);

/// True if the claim is above what our store can have said: another cluster, a later epoch, our
/// epoch under another leader, or a later change.
[[nodiscard]] bool is_ahead(const Hello& hello, const Meta& ours);

/// The names that two lives want. The old one is asked at once; one missed answer frees the name.
class NameConflicts {
public:
    explicit NameConflicts(NodeRegistry& nodes) : nodes_{nodes} {}

    /// False: the name is contested already.
    [[nodiscard]] bool open(NodeIndex index, Instant until);
    /// The old life answered, or left by itself.
    void end(NodeIndex index);
    /// Ends those whose time is over: the old life did not answer, its route is dropped.
    void close_overdue(Instant now);
    [[nodiscard]] std::optional<Instant> next_deadline() const;
    [[nodiscard]] std::size_t count() const { return open_.size(); }

private:
    friend struct CoreFields;

    struct Conflict {
        NodeIndex node{};
        Instant until{};
    };
    NodeRegistry& nodes_;
    std::vector<Conflict> open_;  // In the order of their deadlines: all run equally long.
};

}  // namespace muster::coordinator
