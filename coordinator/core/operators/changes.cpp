#include "coordinator/core/operators/changes.hpp"

#include <algorithm>

#include "coordinator/core/ledger/ledger.hpp"

namespace muster::coordinator {

const Meta& Changes::meta() const { return ledger_.proposed_meta(); }
ProposedRows<StoredTask> Changes::tasks() const { return ProposedRows{ledger_.tasks()}; }
ProposedRows<StoredSetting> Changes::settings() const { return ProposedRows{ledger_.settings()}; }
ProposedRows<StoredKey> Changes::keys() const { return ProposedRows{ledger_.keys()}; }
ProposedRows<StoredToken> Changes::tokens() const { return ProposedRows{ledger_.tokens()}; }
ProposedRows<StoredSecret> Changes::secrets() const { return ProposedRows{ledger_.secrets()}; }
ProposedRows<StoredPool> Changes::pools() const { return ProposedRows{ledger_.pools()}; }
ProposedRows<StoredPoolNode> Changes::pool_nodes() const {
    return ProposedRows{ledger_.pool_nodes()};
}
ProposedRows<StoredSeason> Changes::seasons() const { return ProposedRows{ledger_.seasons()}; }
const RemovedTasks& Changes::removed_tasks() const { return ledger_.removed_tasks(); }
std::uint32_t Changes::newest_schema() const { return ledger_.newest_schema(); }

std::vector<std::string> Changes::task_names() const {
    std::vector<std::string> names;
    tasks().each(
        [&](std::string_view name, const ProposedTask& /*task*/) { names.emplace_back(name); });
    std::ranges::sort(names);
    return names;
}

const StoredKey* Changes::caller(const RequestContext& context) const {
    return owner_soon(ledger_.keys(), context.input.by.key);
}

std::string Changes::actor(const RequestContext& context) const {
    return audit_row(context.input, ledger_.keys()).actor;
}

bool Changes::deduplicate(const RequestContext& context) { return ledger_.deduplicate(context); }

void Changes::submit(const RequestContext& context, Result<Answered> answered, bool dry_run) {
    ledger_.submit(context, std::move(answered), dry_run);
}

void Changes::submit(const RequestContext& context, Answered answered, const Meta& after) {
    ledger_.submit(context, std::move(answered), after);
}

}  // namespace muster::coordinator
