#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/change.hpp"
#include "coordinator/core/ledger/intents.hpp"
#include "coordinator/core/ledger/keys.hpp"
#include "coordinator/core/ledger/pools.hpp"
#include "coordinator/core/ledger/removed_tasks.hpp"
#include "coordinator/core/ledger/secrets.hpp"
#include "coordinator/core/ledger/table.hpp"
#include "coordinator/core/ledger/task_table.hpp"
#include "coordinator/core/operators/intent_checks.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

class Ledger;

/// The rows of one kind as they will be, with all pending writes.
template <class Row>
class ProposedRows {
public:
    using View = typename Table<Row>::View;

    explicit ProposedRows(const Table<Row>& table) : table_{&table} {}

    /// A default row if there is none.
    [[nodiscard]] Row row(std::string_view name = {}) const { return table_->proposed(name); }
    /// Null: there is none.
    [[nodiscard]] View find(std::string_view name) const { return table_->find(name); }
    /// Calls `visit(name, row)` for each, in no order that a caller may rely on.
    void each(auto&& visit) const { table_->each(visit); }
    [[nodiscard]] const RowCount<Row>& count() const { return table_->count_soon(); }

private:
    const Table<Row>* table_;
};

/// The ledger as the handlers of changes see it. What is durable is out of their reach: a handler
/// that looked there would miss the change before its own.
class Changes {
public:
    explicit Changes(Ledger& ledger) : ledger_{ledger} {}

    [[nodiscard]] const Meta& meta() const;
    [[nodiscard]] ProposedRows<StoredTask> tasks() const;
    /// The names of all tasks, in order.
    [[nodiscard]] std::vector<std::string> task_names() const;
    [[nodiscard]] ProposedRows<StoredSetting> settings() const;
    [[nodiscard]] ProposedRows<StoredKey> keys() const;
    [[nodiscard]] ProposedRows<StoredToken> tokens() const;
    [[nodiscard]] ProposedRows<StoredSecret> secrets() const;
    [[nodiscard]] ProposedRows<StoredPool> pools() const;
    [[nodiscard]] ProposedRows<StoredPoolNode> pool_nodes() const;
    [[nodiscard]] ProposedRows<StoredSeason> seasons() const;
    [[nodiscard]] const RemovedTasks& removed_tasks() const;
    /// The schema that an operator may raise the store to.
    [[nodiscard]] std::uint32_t newest_schema() const;

    /// Whose request it is; null: of the local socket, or of a host that asks for a key.
    [[nodiscard]] const StoredKey* caller(const RequestContext& context) const;
    /// How the audit calls whoever sent the request.
    [[nodiscard]] std::string actor(const RequestContext& context) const;

    /// True if the request was answered here: it is a retry, or cannot be accepted now.
    [[nodiscard]] bool deduplicate(const RequestContext& context);
    /// Makes the change of a request durable and answers it then. A dry run is only answered.
    void submit(const RequestContext& context, Result<Answered> answered, bool dry_run = false);
    /// The same for a change that raises more of the Meta than the counter.
    void submit(const RequestContext& context, Answered answered, const Meta& after);

    /// All of the above for a request with a reason: `make()` returns Result<Answered>.
    void change(const RequestContext& context, const auto& request, auto&& make) {
        if (deduplicate(context)) {
            return;
        }
        auto answered = check(request.why).and_then(make);
        if (answered) {
            answered->change.why = request.why;
        }
        submit(context, std::move(answered));
    }

private:
    Ledger& ledger_;
};

}  // namespace muster::coordinator
