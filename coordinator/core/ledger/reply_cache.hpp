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

/// Identifies a change: equal changes have equal digests. None for a request that changes nothing.
[[nodiscard]] Digest digest_of(const CoreRequestBody& change);
[[nodiscard]] Digest digest_of(const RequestBody& change);
[[nodiscard]] Digest digest_of(const FromOperator& input);

/// The error for a request whose id was used for another request.
[[nodiscard]] Error conflict();
/// The size of an answer in memory, in changes of one task or node.
[[nodiscard]] std::size_t weight_of(const Reply& reply);

/// The first answers to changes, so that a retry takes effect at most once and gets the same
/// answer.
///
/// Memory is bounded three ways: by age, by number, and by the size of the answers. Dropping an
/// answer raises the stored horizon. An id not above the horizon may have been answered before, so
/// it is refused. An id from the far future is refused too, because its answer could not be dropped
/// in its turn. Ids a little ahead of the clock may take only a small part of the cache. So a
/// dropped id is never ahead of the clock, and the horizon is never in the future.
class ReplyCache {
public:
    ReplyCache(CivilMs horizon, std::span<const StoredRequest> stored);

    /// The first answer to this id if it is durable, otherwise empty. A conflict if the id belongs
    /// to another request.
    [[nodiscard]] Shared<Reply> answer_to(const FromOperator& input) const;

    /// Nothing if a request with this id may take effect. `now` is none while the clock is not
    /// known: then the id is not compared with the clock.
    [[nodiscard]] std::optional<Error> refusal_of(const RequestId& id,
                                                  std::optional<CivilMs> now) const;

    /// The horizon for the Meta of the next change: higher than before if an answer must be
    /// dropped.
    [[nodiscard]] CivilMs next_horizon(std::optional<CivilMs> now);

    /// The answer was given to the store.
    void propose(const Reply& reply);
    /// The Persist that holds the answer and the horizon is durable.
    void remember(const Shared<Reply>& reply, const Digest& request_digest);
    void drop_up_to(CivilMs horizon);

    [[nodiscard]] std::size_t count() const { return answers_.size(); }

private:
    friend struct CoreFields;

    struct Answer {
        Shared<Reply> reply;
        Digest request_digest;
    };
    /// True if one more id after `now` keeps all ids that must be dropped at or before `now`.
    [[nodiscard]] bool has_room_after(CivilMs now) const;

    std::map<RequestId, Answer> answers_;        // By id, that is by time.
    std::map<RequestId, std::size_t> proposed_;  // Weights of answers that are not durable yet.
    std::size_t weight_ = 0;                     // Of all answers.
    CivilMs proposed_horizon_;                   // Of the last change that was given to the store.
};

}  // namespace muster::coordinator
