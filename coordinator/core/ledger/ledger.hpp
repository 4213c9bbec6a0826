#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "common/base/result.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/audit/audit.hpp"
#include "coordinator/core/ledger/change.hpp"
#include "coordinator/core/ledger/intents.hpp"
#include "coordinator/core/ledger/keys.hpp"
#include "coordinator/core/ledger/pending.hpp"
#include "coordinator/core/ledger/pools.hpp"
#include "coordinator/core/ledger/removed_tasks.hpp"
#include "coordinator/core/ledger/reply_cache.hpp"
#include "coordinator/core/ledger/secrets.hpp"
#include "coordinator/core/ledger/table.hpp"
#include "coordinator/core/ledger/task_table.hpp"
#include "coordinator/core/ledger/write_in_parts.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// The durable state, the pending writes, and the first answer to each change.
///
///     request -> deduplicate -> a handler -> submit -> Persist{n}
///     Persisted{n} -> confirm -> the owners of the rows -> acknowledge
///
/// A change is checked against the proposed state: the durable state with all pending writes. A
/// write has no effect and gets no answer before it is durable.
///
/// A large change goes to the store in parts, one part a step. The parts become durable together,
/// and take effect one by one. No other change is accepted before the last part is written.
class Ledger {
public:
    Ledger(const CoordinatorOptions& options, const StoreImage& image, const Workload& workload);

    [[nodiscard]] const Meta& meta() const { return meta_; }
    [[nodiscard]] const Meta& proposed_meta() const { return pending_.proposed(); }
    /// The schema that an operator may raise the store to.
    [[nodiscard]] std::uint32_t newest_schema() const { return newest_schema_; }
    [[nodiscard]] const TaskTable& tasks() const { return std::get<TaskTable>(tables_); }
    [[nodiscard]] const Intents& intents() const { return std::get<Intents>(tables_); }
    [[nodiscard]] const Table<StoredSetting>& settings() const {
        return std::get<Table<StoredSetting>>(tables_);
    }
    [[nodiscard]] const Table<StoredFreeze>& freeze() const {
        return std::get<Table<StoredFreeze>>(tables_);
    }
    [[nodiscard]] const Keys& keys() const { return std::get<Keys>(tables_); }
    [[nodiscard]] const Table<StoredToken>& tokens() const {
        return std::get<Table<StoredToken>>(tables_);
    }
    [[nodiscard]] const SecretTable& secrets() const { return std::get<SecretTable>(tables_); }
    [[nodiscard]] const PoolTable& pools() const { return std::get<PoolTable>(tables_); }
    [[nodiscard]] const Table<StoredPoolNode>& pool_nodes() const {
        return std::get<Table<StoredPoolNode>>(tables_);
    }
    [[nodiscard]] const Table<StoredSeason>& seasons() const {
        return std::get<Table<StoredSeason>>(tables_);
    }
    [[nodiscard]] const RemovedTasks& removed_tasks() const { return removed_tasks_; }
    /// The number of the last write that is durable and in effect, and of the last that was
    /// submitted.
    [[nodiscard]] std::uint64_t durable() const { return durable_; }
    [[nodiscard]] std::uint64_t last_number() const { return pending_.last_number(); }
    /// The first complete write that the store has not confirmed; 0: there is none.
    [[nodiscard]] std::uint64_t oldest_unconfirmed() const;

    // ---- changes by operators ----
    /// True if the request was answered here: it is a retry, or cannot be accepted now.
    [[nodiscard]] bool deduplicate(const RequestContext& context);
    /// Makes the change of a request durable and answers it then. A dry run is only answered.
    void submit(const RequestContext& context, Result<Answered> answered, bool dry_run = false);
    /// The same for a change that raises more of the Meta than the counter.
    void submit(const RequestContext& context, Answered answered, const Meta& after);

    /// A change was submitted, and not all of its parts are written yet.
    [[nodiscard]] bool is_submitting() const { return parts_.has_value(); }
    /// Writes the next part.
    void submit_more(Output& output);

    /// Submits our own decision, without a request. `audit`: who caused it, if anybody.
    void submit(Change change, Output& output, std::optional<StoredAudit> audit = {});

    /// Keeps in the audit that a request was refused, in a write of its own.
    void note_refusal(StepContext& step, const FromOperator& input, const Error& why);
    void note_refusal(StepContext& step, const Denied& input);

    // ---- once it is durable ----
    /// Every Persist up to this number is durable.
    void persisted(std::uint64_t number);
    /// Some durable write is not in effect yet.
    [[nodiscard]] bool has_durable() const {
        return !pending_.empty() && pending_.oldest() <= persisted_;
    }
    /// Some part of a change is not written, not durable, or not in effect like the other parts.
    [[nodiscard]] bool has_incomplete_change() const {
        return is_submitting() || has_durable() || pending_.has_parts();
    }
    /// Takes the next durable write. Its Meta and its rows hold from now on. The owners of the rows
    /// apply the effects.
    [[nodiscard]] std::optional<PendingWrite> confirm();
    /// The owners have applied its rows: answers all requests that wait for it.
    void acknowledge(const PendingWrite& write, Output& output);
    /// The record of the name was deleted. A decision about the name stays; a mere reason is
    /// dropped.
    void forget_node(std::string_view name);
    /// Nothing more becomes durable: all waiting requests get this error.
    void fail_all(const Error& error, Output& output);

private:
    friend struct CoreFields;

    /// Answers a change with an error. Stores the answer if a retry would get the same one.
    void refuse(const RequestContext& context, Error error, bool dry_run);
    void note_refusal(StepContext& step, StoredAudit row, const Error& why);
    /// Writes what no request waits for.
    void write_own(Change change, std::vector<Write> writes, Output& output);
    /// Makes an answer durable with its change, and gives it only then.
    void persist_answer(const RequestContext& context, PendingWrite write);
    /// Later changes are checked against the state after this write.
    void propose(const PendingWrite& write);

    const CoordinatorOptions& options_;
    std::uint32_t newest_schema_;
    Meta meta_;                    // As durable.
    std::uint64_t persisted_ = 0;  // The last that the store confirmed,
    std::uint64_t durable_ = 0;    // and the last in effect.
    std::tuple<TaskTable, Intents, Table<StoredSetting>, Table<StoredFreeze>, Keys,
               Table<StoredToken>, SecretTable, PoolTable, Table<StoredPoolNode>,
               Table<StoredSeason>>
        tables_;
    RemovedTasks removed_tasks_;
    ReplyCache answers_;
    Pending pending_;
    Audit audit_;
    std::optional<WriteInParts> parts_;  // The change that is being written, if any.
};

}  // namespace muster::coordinator
