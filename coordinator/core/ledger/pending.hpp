#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/base/shared.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/ledger/change.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// One Persist on its way, and what follows from it once it is durable.
struct PendingWrite {
    std::uint64_t number = 0;
    Meta meta{};  ///< As it is then.
    Change change{};
    Shared<Reply> reply{};          ///< None: nobody asked.
    Digest asked{};                 ///< Of the request that it answers.
    std::vector<Ticket> tickets{};  ///< All that wait for the reply: the first, and its retries.
    /// The change goes on in the next write. The reply is given with the last.
    bool goes_on = false;
    /// The lines of the reply that this part is about: up to, and not with, the last.
    std::size_t first_line = 0;
    std::size_t last_line = 0;
};

/// What the store has been given and has not confirmed, in the order of its numbers.
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
    /// A change that is on its way has several writes.
    [[nodiscard]] bool has_parts() const;
    /// No more requests can be taken: too many wait already.
    [[nodiscard]] bool is_full() const;

    /// The next number, for a Persist that add() will be told about.
    [[nodiscard]] std::uint64_t take_number() { return ++last_number_; }
    void add(PendingWrite write);
    /// True if this id is being made durable: the ticket gets the same answer. An error if what was
    /// asked under it before is something else.
    [[nodiscard]] Result<bool> join(const FromOperator& asked);

    /// The next one that is durable now.
    [[nodiscard]] std::optional<PendingWrite> take_durable(std::uint64_t number);
    /// All of them: none will become durable any more.
    [[nodiscard]] std::deque<PendingWrite> take_all();

private:
    friend struct CoreFields;

    Meta proposed_;
    std::deque<PendingWrite> writes_;
    std::uint64_t last_number_ = 0;
    std::size_t tickets_ = 0;
    std::size_t weight_ = 0;  // Of all their answers.
};

}  // namespace muster::coordinator
