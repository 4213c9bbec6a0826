#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// When a request id was made: a UUIDv7 has it in its first 48 bits.
[[nodiscard]] CivilMs time_of(const RequestId& id);

/// Identifies a change: equal ones have equal digests. None for what is no change.
[[nodiscard]] Digest digest_of(const CoreRequestBody& change);
[[nodiscard]] Digest digest_of(const RequestBody& change);
[[nodiscard]] Digest digest_of(const FromOperator& asked);

/// What is said to a request whose id was used for another one.
[[nodiscard]] Error conflict();
/// What an answer costs to keep: the change of one task or node is the unit.
[[nodiscard]] std::size_t weight_of(const Reply& reply);

/// The first answers to changes, so that a retry takes effect at most once and gets the same
/// answer.
///
/// Memory is bounded three ways: by age, by number, and by the size of the answers. What is dropped
/// raises the horizon, which is stored; an id not above it may have been answered once, so it is
/// refused. An id from the far future is refused too: it could not be dropped in its turn. Those a
/// little ahead of the clock are a small part of all, so what has to go is never ahead of it, and
/// nobody's horizon is in the future.
class ReplyCache {
public:
    ReplyCache(CivilMs horizon, std::span<const StoredRequest> stored);

    /// The first answer to this id, if it is durable, else empty: a conflict if something else was
    /// asked.
    [[nodiscard]] Shared<Reply> answer_to(const FromOperator& asked) const;

    /// Nothing if the id may take effect. `now` none: the clock is not known yet, and not judged.
    [[nodiscard]] std::optional<Error> refusal_of(const RequestId& id,
                                                  std::optional<CivilMs> now) const;

    /// The horizon for the Meta of the next change: higher than before if something has to go.
    [[nodiscard]] CivilMs next_horizon(std::optional<CivilMs> now);

    /// The answer is handed to the store.
    void propose(const Reply& reply);
    /// The Persist that holds the answer and the horizon is durable.
    void remember(const Shared<Reply>& reply, const Digest& asked);
    void drop_up_to(CivilMs horizon);

    [[nodiscard]] std::size_t count() const { return answers_.size(); }

private:
    friend struct CoreFields;

    struct Answer {
        Shared<Reply> reply;
        Digest asked;
    };
    /// One more id from after `now` leaves what has to go at or before it.
    [[nodiscard]] bool has_room_after(CivilMs now) const;

    std::map<RequestId, Answer> answers_;        // By id, that is by time.
    std::map<RequestId, std::size_t> proposed_;  // Weights of what is not durable yet.
    std::size_t weight_ = 0;                     // Of all answers.
    CivilMs proposed_horizon_;                   // Of the last change that was handed to the store.
};

}  // namespace muster::coordinator
