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

/// One Persist that is not durable yet, and its effects once it is.
struct PendingWrite {
    std::uint64_t number = 0;
    Meta meta{};  ///< The Meta after this write.
    Change change{};
    Shared<Reply> reply{};    ///< None: no request caused the write.
    Digest request_digest{};  ///< Of the request that the reply answers.
    /// The requests that wait for the reply: the first, and its retries.
    std::vector<Ticket> tickets{};
    /// The change continues in the next write. The last write gives the reply.
    bool continues = false;
    /// The lines of the reply that belong to this part. The last is exclusive.
    std::size_t first_line = 0;
    std::size_t last_line = 0;
    /// The row of the audit, until the last part is written.
    std::optional<StoredAudit> audit{};
};

/// The writes that the store has not confirmed, in the order of their numbers.
class Pending {
public:
    explicit Pending(const Meta& durable) : proposed_{durable} {}

    /// The Meta after all these writes.
    [[nodiscard]] const Meta& proposed() const { return proposed_; }
    [[nodiscard]] std::uint64_t last_number() const { return last_number_; }
    [[nodiscard]] bool empty() const { return writes_.empty(); }
    /// The number of the first unconfirmed write; 0: there is none.
    [[nodiscard]] std::uint64_t oldest() const {
        return writes_.empty() ? 0 : writes_.front().number;
    }
    /// Some pending change has several writes.
    [[nodiscard]] bool has_parts() const;
    /// No more requests are accepted: too many wait already.
    [[nodiscard]] bool is_full() const;

    /// The next number, for a Persist that the caller passes to add().
    [[nodiscard]] std::uint64_t take_number() { return ++last_number_; }
    void add(PendingWrite write);
    /// True if a change with this id is pending: the ticket gets the same answer. An error if the
    /// id belongs to another request.
    [[nodiscard]] Result<bool> join(const FromOperator& input);

    /// Takes the next write that is durable now.
    [[nodiscard]] std::optional<PendingWrite> take_durable(std::uint64_t number);
    /// Takes all writes: none becomes durable any more.
    [[nodiscard]] std::deque<PendingWrite> take_all();

private:
    friend struct CoreFields;

    Meta proposed_;
    std::deque<PendingWrite> writes_;
    std::uint64_t last_number_ = 0;
    std::size_t tickets_ = 0;
    std::size_t weight_ = 0;  // Of the answers of all pending writes.
};

}  // namespace muster::coordinator
