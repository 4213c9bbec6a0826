#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/result.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/intents.hpp"
#include "coordinator/core/ledger/pending.hpp"
#include "coordinator/core/ledger/proposed.hpp"
#include "coordinator/core/ledger/requests.hpp"
#include "coordinator/core/ledger/settings.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// What is durable, what is on its way to the store, and the first answer to each change.
///
///     request -> deduplicate -> a handler -> submit -> Persist{n}
///     Persisted{n} -> take_durable: the owner of the rows applies them -> acknowledge
///
/// A change is checked against what is proposed: what is durable, overlaid with all that is on its
/// way. Nothing follows from a write before it is durable, and no answer is given before.
class Ledger {
public:
    Ledger(const StoreImage& image, const Workload& workload);

    [[nodiscard]] const Meta& meta() const { return meta_; }
    [[nodiscard]] const Meta& proposed_meta() const { return pending_.proposed(); }
    [[nodiscard]] const Proposed& tasks() const { return tasks_; }
    [[nodiscard]] const Intents& intents() const { return intents_; }
    [[nodiscard]] const Settings& settings() const { return settings_; }
    /// The number of the last Persist that is durable, and of the last that was given.
    [[nodiscard]] std::uint64_t durable() const { return durable_; }
    [[nodiscard]] std::uint64_t last_number() const { return pending_.last_number(); }
    /// The first that is not confirmed; 0: there is none.
    [[nodiscard]] std::uint64_t oldest() const { return pending_.oldest(); }

    // ---- changes by operators ----
    /// True if the request needs no more: a retry, or one that cannot be taken now.
    [[nodiscard]] bool deduplicate(const RequestContext& context);
    /// What a change does becomes durable, and is answered then; a dry run is only answered.
    template <class Written>
    void submit(const RequestContext& context, Result<Written> written, bool dry_run = false);
    /// The same of the store that an operator accepts, which raises more than the counter.
    void submit_accepted(const RequestContext& context, const Meta& after, StoreAccepted accepted,
                         ReplyBody reply);

    // ---- decisions of our own ----
    void put_nodes(NodesWritten written, Output& output);
    void put_intents(IntentsWritten written, Output& output);

    // ---- once it is durable ----
    /// The next write up to this number, whose Meta holds from now on.
    [[nodiscard]] std::optional<PendingWrite> take_durable(std::uint64_t number);
    /// Answers all that wait for it.
    void acknowledge(const PendingWrite& write, Output& output);
    /// All that is durable has taken effect: the overlays show it no more.
    void forget_confirmed();
    void apply(const Shared<StoredIntent>& row) { intents_.take_effect(row); }
    void apply(const StoredSetting& row) { settings_.take_effect(row); }
    /// The record of the name ended: what was decided of it stays, a reason of the past does not.
    void forget_node(std::string_view name) { intents_.forget(name); }
    /// Nothing more becomes durable: all that wait get this error.
    void fail_all(const Error& error, Output& output);

private:
    friend struct CoreFields;  // Which records it.

    /// The answer to a change that cannot be made, kept for its id if it would be the same again.
    void refuse(const RequestContext& context, Error error, bool dry_run);
    /// Makes an answer durable, with what follows from it; it is given only then.
    void persist_answer(const RequestContext& context, PendingWrite write);
    /// Later changes are checked against the world after this one.
    void propose(const PendingWrite& write);

    Meta meta_;  // As durable.
    std::uint64_t durable_ = 0;
    Proposed tasks_;
    Intents intents_;
    Settings settings_;
    Requests answers_;
    Pending pending_;
};

}  // namespace muster::coordinator
