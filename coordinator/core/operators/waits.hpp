#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/queries/task_reader.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// Operators who wait until tasks are as wanted, each with a deadline: every copy is of the
/// wanted generation, and has run for the task's min_healthy or to its end. A wait ends at once
/// with `halted` when the roll-out of one of its tasks is halted. Or they wait until every instance
/// has ended, well or for good; what ended well is durable before they are told.
///
/// Which tasks are meant is decided once, when all that was on its way at the request is durable. A
/// wait stands before the task that held it up last and goes on from there, so that it does not
/// look at all tasks after every report; it ends after a whole round without finding one that is
/// not as wanted.
///
/// Places and names are bounded; when there are too many, who would end last gives way. So whoever
/// asks for a second at a time is served, however many hold on for an hour.
class Waits {
public:
    /// `after`: the last Persist on its way; before it is durable the wait sees too old a world.
    [[nodiscard]] Result<void> add(Ticket ticket, const WaitRequest& request, const RequestId& id,
                                   Instant now, std::uint64_t after);

    /// The last Persist that was given to the store, and the last that is durable.
    struct Written {
        std::uint64_t last = 0;
        std::uint64_t durable = 0;
    };
    /// Answers those that are over.
    void answer(Instant now, const Written& written, TaskReader& view,
                std::vector<ReplyTo>& replies);
    /// Leadership ends: all get this error.
    void answer_all(const Error& error, std::vector<ReplyTo>& replies);

    [[nodiscard]] bool empty() const { return waits_.empty(); }
    [[nodiscard]] std::optional<Instant> next_deadline() const;

private:
    friend struct CoreFields;

    struct Wait {
        Ticket ticket{};
        RequestId id;
        std::string pattern;
        Instant deadline{};
        std::uint64_t after = 0;
        bool chosen = false;
        std::vector<std::string> tasks;
        std::size_t standing_before = 0;  ///< Position in `tasks`.
        bool finished = false;            ///< It is for the end of all instances.
        /// All had ended when this Persist was the last: it is over once that is durable.
        std::optional<std::uint64_t> over_at;
        std::optional<Error> refusal;  ///< It is to be answered with this.

        [[nodiscard]] bool holds_a_place() const { return !refusal; }
        [[nodiscard]] bool holds_names() const { return !tasks.empty(); }
    };
    using Answer = std::optional<Result<ReplyBody>>;
    [[nodiscard]] Answer judge(Instant now, const Written& written, Wait& wait, TaskReader& view);
    /// Decides which tasks are meant.
    void choose(Wait& wait, TaskReader& view);
    /// Refuses the one that ends last of those in the way; false if none ends after this deadline.
    [[nodiscard]] bool make_room(Instant deadline, bool (Wait::*is_in_the_way)() const);

    std::vector<Wait> waits_;
    std::size_t names_ = 0;  // In all waits.
};

}  // namespace muster::coordinator
