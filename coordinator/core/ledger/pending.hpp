#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/messages/operator.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// Tasks put and erased by one change of an operator.
struct TasksWritten {
    std::vector<StoredTask> put;
    std::vector<std::string> erased;
    ChangeReply changes;
};
/// Rows of nodes put and erased by our own decisions.
struct NodesWritten {
    std::vector<StoredNode> put;
    std::vector<std::string> erased;
};
/// The operator takes over what the nodes ahead of us know. Every task gets a new generation, for
/// nobody can say what the numbers of another store, or of a later one, stand for.
struct StoreAccepted {
    std::vector<StoredNode> nodes;
    std::vector<StoredTask> tasks;
};
/// What operators decided of nodes, or what follows from it: a row that says nothing is erased.
struct IntentsWritten {
    std::vector<Shared<StoredIntent>> rows;
    std::vector<std::string> removed;     ///< Their records end with it; in order.
    Occasion why{};                       ///< For these, and for those that are forgiven.
    bool drained = false;                 ///< By our own decision: nothing runs there any more.
    NodesChangeReply changes;             ///< Moved into the answer.
    std::vector<std::string> forgiven{};  ///< What counted against them is forgotten.
    std::ptrdiff_t grows_by = 0;          ///< So many names more are known with it.
};
/// Switches that operators set.
struct SettingsWritten {
    std::vector<StoredSetting> rows;
    LimitsReply changes;
};
/// An operator begins a freeze, or ends one.
struct FreezeSet {
    bool on = false;
    Occasion why{};  ///< For its end.
    std::vector<StoredSetting> rows;
    FreezeReply changes;
};
using Effect = std::variant<std::monostate, TasksWritten, NodesWritten, StoreAccepted,
                            IntentsWritten, SettingsWritten, FreezeSet>;

/// One Persist on its way, and what follows from it once it is durable.
struct PendingWrite {
    std::uint64_t number = 0;
    Meta meta;  ///< As it is then.
    Effect effect;
    Shared<Reply> reply;          ///< None: nobody asked.
    Digest asked{};               ///< Of the change that it answers.
    std::vector<Ticket> tickets;  ///< All who wait for the reply: the first, and its retries.
};

/// The write of an answer; persist_answer() gives it its number and its tickets.
[[nodiscard]] PendingWrite write_of(const Meta& after, Effect effect, Shared<Reply> reply);

/// What the store has been given and has not confirmed, in the order of its numbers.
///
/// Pure: no clock, no I/O, no thread. Owned by Coordinator.
class Pending {
public:
    explicit Pending(const Meta& durable) : proposed_{durable} {}

    /// The Meta as it will be when all this is durable.
    [[nodiscard]] const Meta& proposed() const { return proposed_; }
    [[nodiscard]] std::uint64_t last_number() const { return last_number_; }
    [[nodiscard]] bool empty() const { return writes_.empty(); }
    /// The number of the first that is not confirmed; 0: there is none.
    [[nodiscard]] std::uint64_t oldest() const {
        return writes_.empty() ? 0 : writes_.front().number;
    }
    /// No more requests can be taken: too many wait already.
    [[nodiscard]] bool is_full() const;

    /// The next number, for a Persist that add() will be told about.
    [[nodiscard]] std::uint64_t take_number() { return ++last_number_; }
    void add(PendingWrite write);
    /// True if this id is being made durable: the ticket gets the same answer. An error if what was
    /// asked under it is something else.
    [[nodiscard]] Result<bool> join(const CoreRequest& request, Ticket ticket);

    /// The next one that is durable now.
    [[nodiscard]] std::optional<PendingWrite> take_durable(std::uint64_t number);
    /// All of them: none will become durable any more.
    [[nodiscard]] std::deque<PendingWrite> take_all();

private:
    friend struct CoreFields;  // Which records it.

    Meta proposed_;
    std::deque<PendingWrite> writes_;
    std::uint64_t last_number_ = 0;
    std::size_t tickets_ = 0;
    std::size_t weight_ = 0;  // Of all their answers.
};

}  // namespace muster::coordinator
