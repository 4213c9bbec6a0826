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

/// Waits of operators until tasks have converged: every copy is of the wanted generation, and has
/// run for the task's min_healthy or to its end. A wait ends at once with `halted` when the
/// roll-out of one of its tasks is halted. Or a wait is for the end of every instance; its answer
/// follows once the ends are durable. Each wait has a deadline.
///
/// The tasks of a wait are chosen once, when all writes before the request are durable. A wait
/// remembers the last task that was not done and continues there, so that it does not read all
/// tasks after every report. It ends after it has read all tasks without finding such a task.
///
/// Waits and names are bounded; when there are too many, the wait that would end last is refused.
/// So many long waits cannot block short ones.
class Waits {
public:
    /// `after`: the last pending Persist; before it is durable the wait would read an old state.
    /// `by`: tasks outside of its scope are not waited for.
    [[nodiscard]] Result<void> add(Ticket ticket, const WaitRequest& request, const RequestId& id,
                                   Instant now, std::uint64_t after, const StoredKey& by);

    /// The last Persist that was submitted, and the last that is durable.
    struct Written {
        std::uint64_t last = 0;
        std::uint64_t durable = 0;
    };
    /// Answers the waits that are over.
    void answer(Instant now, const Written& written, TaskReader& view,
                std::vector<ReplyTo>& replies);
    /// The leadership ends: all get this error.
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
        std::size_t next_task = 0;  ///< Position in `tasks`.
        bool finished = false;      ///< The wait is for the end of all instances.
        /// The last Persist when all had ended: the wait is over once that is durable.
        std::optional<std::uint64_t> over_at;
        std::vector<std::string> pools;     ///< The scope of its caller,
        std::vector<std::string> of_tasks;  ///< as its key has it.
        std::optional<Error> refusal;       ///< The wait is answered with this error.

        [[nodiscard]] bool holds_a_place() const { return !refusal; }
        [[nodiscard]] bool holds_names() const { return !tasks.empty(); }
    };
    using Answer = std::optional<Result<ReplyBody>>;
    [[nodiscard]] Answer judge(Instant now, const Written& written, Wait& wait, TaskReader& view);
    /// Chooses the tasks of a wait.
    void choose(Wait& wait, TaskReader& view);
    /// Refuses the last of the waits in the way; false if none of them ends after this deadline.
    [[nodiscard]] bool make_room(Instant deadline, bool (Wait::*is_in_the_way)() const);

    std::vector<Wait> waits_;
    std::size_t names_ = 0;  // In all waits.
};

}  // namespace muster::coordinator
