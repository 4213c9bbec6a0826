#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "common/base/result.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/change.hpp"
#include "coordinator/core/ledger/intents.hpp"
#include "coordinator/core/ledger/pending.hpp"
#include "coordinator/core/ledger/removed_tasks.hpp"
#include "coordinator/core/ledger/reply_cache.hpp"
#include "coordinator/core/ledger/table.hpp"
#include "coordinator/core/ledger/task_table.hpp"
#include "coordinator/core/ledger/write_in_parts.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// What is durable, what is on its way to the store, and the first answer to each change.
///
///     request -> deduplicate -> a handler -> submit -> Persist{n}
///     Persisted{n} -> confirm -> the owners of the rows -> acknowledge
///
/// A change is checked against what is proposed: what is durable, overlaid with all that is on its
/// way. Nothing follows from a write before it is durable, and no answer is given before.
///
/// A large change is given to the store in parts, one a step. They become durable together, and are
/// taken over one by one. Until the last is given, no other change may be asked for.
class Ledger {
public:
    Ledger(const CoordinatorOptions& options, const StoreImage& image, const Workload& workload);

    [[nodiscard]] const Meta& meta() const { return meta_; }
    [[nodiscard]] const Meta& proposed_meta() const { return pending_.proposed(); }
    [[nodiscard]] const TaskTable& tasks() const { return std::get<TaskTable>(tables_); }
    [[nodiscard]] const Intents& intents() const { return std::get<Intents>(tables_); }
    [[nodiscard]] const Table<StoredSetting>& settings() const {
        return std::get<Table<StoredSetting>>(tables_);
    }
    [[nodiscard]] const Table<StoredFreeze>& freeze() const {
        return std::get<Table<StoredFreeze>>(tables_);
    }
    [[nodiscard]] const RemovedTasks& removed_tasks() const { return removed_tasks_; }
    /// The number of the last write that is durable and taken over, and of the last that was given.
    [[nodiscard]] std::uint64_t durable() const { return durable_; }
    [[nodiscard]] std::uint64_t last_number() const { return pending_.last_number(); }
    /// The first that the store has whole and has not confirmed; 0: there is none.
    [[nodiscard]] std::uint64_t owed() const;

    // ---- changes by operators ----
    /// True if the request needs no more: a retry, or one that cannot be taken now.
    [[nodiscard]] bool deduplicate(const RequestContext& context);
    /// What a request changes becomes durable, and is answered then; a dry run is only answered.
    void submit(const RequestContext& context, Result<Answered> answered, bool dry_run = false);
    /// The same of a change that raises more of the Meta than the counter.
    void submit(const RequestContext& context, Answered answered, const Meta& after);

    /// A change was submitted, and not all of its parts are given to the store.
    [[nodiscard]] bool is_submitting() const { return parts_.has_value(); }
    /// Gives it the next part.
    void submit_more(Output& output);

    /// A decision of our own, of which nobody asked.
    void submit(Change change, Output& output);

    // ---- once it is durable ----
    /// Every Persist up to this number is.
    void persisted(std::uint64_t number);
    /// Something is durable and not taken over.
    [[nodiscard]] bool has_durable() const {
        return !pending_.empty() && pending_.oldest() <= persisted_;
    }
    /// Something of a change is not given to the store, durable or taken over with the rest of it.
    [[nodiscard]] bool is_amid_change() const {
        return is_submitting() || has_durable() || pending_.has_parts();
    }
    /// The next write that is durable. Its Meta and its rows hold from now on; what follows from
    /// them is their owners'.
    [[nodiscard]] std::optional<PendingWrite> confirm();
    /// The owners have taken over its rows: answers all that wait for it.
    void acknowledge(const PendingWrite& write, Output& output);
    /// The record of the name ended: what was decided of it stays, a reason of the past does not.
    void forget_node(std::string_view name);
    /// Nothing more becomes durable: all that wait get this error.
    void fail_all(const Error& error, Output& output);

private:
    friend struct CoreFields;

    /// The answer to a change that cannot be made, kept for its id if it would be the same again.
    void refuse(const RequestContext& context, Error error, bool dry_run);
    /// Makes an answer durable, with what follows from it; it is given only then.
    void persist_answer(const RequestContext& context, PendingWrite write);
    /// Later changes are checked against the world after this one.
    void propose(const PendingWrite& write);

    const CoordinatorOptions& options_;
    Meta meta_;                    // As durable.
    std::uint64_t persisted_ = 0;  // By the store,
    std::uint64_t durable_ = 0;    // and taken over.
    std::tuple<TaskTable, Intents, Table<StoredSetting>, Table<StoredFreeze>> tables_;
    RemovedTasks removed_tasks_;
    ReplyCache answers_;
    Pending pending_;
    std::optional<WriteInParts> parts_;  // Of a change, while it is given to the store.
};

}  // namespace muster::coordinator
