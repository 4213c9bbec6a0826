#pragma once

#include <optional>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// How a hello is judged.
enum class HelloVerdict : std::uint8_t {
    same_life,          ///< The known agent on a new connection.
    new_life,           ///< A new start of the agent, or the first hello in this leadership.
    stale_incarnation,  ///< Another life, which must send a higher incarnation.
    too_far_ahead,      ///< The incarnation is higher than starts can explain.
    name_in_use,        ///< Another life, and the old one may still answer.
};

/// The incarnation is the agent's own counter. The store keeps the last accepted one, but not the
/// id of that life. So a new leadership treats the first life with the stored number as the old
/// one.
[[nodiscard]] HelloVerdict judge(const Node& node, const Hello& hello);

/// True if the hello names what our store cannot have sent: another cluster, a later epoch, our
/// epoch under another leader, or a later change.
[[nodiscard]] bool is_ahead(const Hello& hello, const Meta& ours);

/// The names that two lives claim. The old life is polled at once; one missed answer frees the
/// name.
class NameConflicts {
public:
    explicit NameConflicts(NodeRegistry& nodes) : nodes_{nodes} {}

    /// False: the name is contested already.
    [[nodiscard]] bool open(NodeIndex index, Instant until);
    /// The old life answered, or left by itself.
    void end(NodeIndex index);
    /// Ends overdue conflicts: the old life did not answer, so its connection is dropped.
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
    // In the order of their deadlines, because all have the same length.
    std::vector<Conflict> open_;
};

}  // namespace muster::coordinator
