#include "coordinator/core/ledger/ledger.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

namespace {

/// Kept for its id, so that a retry gets the same answer; anything else may differ next time.
bool is_lasting(const Error& error) {
    return error.code == Errc::invalid || error.code == Errc::exists ||
           error.code == Errc::not_found || error.code == Errc::too_large ||
           error.code == Errc::refused;
}

void add_writes(const TasksWritten& written, std::vector<Write>& writes) {
    writes.insert(writes.end(), written.put.begin(), written.put.end());
    for (const std::string& name : written.erased) {
        writes.emplace_back(EraseTask{name});
    }
}

void add_writes(const NodesWritten& written, std::vector<Write>& writes) {
    for (const std::string& name : written.erased) {
        writes.emplace_back(EraseNode{name});
    }
    writes.insert(writes.end(), written.put.begin(), written.put.end());
}

void add_writes(const StoreAccepted& accepted, std::vector<Write>& writes) {
    writes.insert(writes.end(), accepted.nodes.begin(), accepted.nodes.end());
    writes.insert(writes.end(), accepted.tasks.begin(), accepted.tasks.end());
}

void add_writes(const IntentsWritten& written, std::vector<Write>& writes) {
    constexpr std::size_t that_follow = 3;  // Of the request, and the one row.
    writes.reserve(written.removed.size() + written.rows.size() + that_follow);
    for (const std::string& name : written.removed) {
        writes.emplace_back(EraseNode{name});
    }
    for (const Shared<StoredIntent>& row : written.rows) {
        if (says_nothing(*row)) {
            writes.emplace_back(EraseIntent{row->name});
        } else {
            writes.emplace_back(row);
        }
    }
}

void add_writes(const SettingsWritten& written, std::vector<Write>& writes) {
    writes.insert(writes.end(), written.rows.begin(), written.rows.end());
}

void add_writes(const FreezeSet& written, std::vector<Write>& writes) {
    writes.insert(writes.end(), written.rows.begin(), written.rows.end());
}

void add_writes(const std::monostate& /*nothing*/, std::vector<Write>& /*writes*/) {}

bool is_empty(const TasksWritten& written) { return written.put.empty() && written.erased.empty(); }
bool is_empty(const IntentsWritten& written) {
    return written.rows.empty() && written.removed.empty() && written.forgiven.empty();
}
bool is_empty(const SettingsWritten& written) { return written.rows.empty(); }
bool is_empty(const FreezeSet& written) { return written.rows.empty(); }

template <class Written>
ReplyBody answer_of(Written& written) {
    if constexpr (std::is_same_v<Written, TasksWritten>) {
        return written.changes;  // They are told as events, once they are durable.
    } else {
        return std::move(written.changes);
    }
}

}  // namespace

Ledger::Ledger(const StoreImage& image, const Workload& workload)
    : meta_{image.meta},
      tasks_{workload},
      intents_{image.intents},
      settings_{image.settings},
      answers_{image.meta.request_horizon, image.requests},
      pending_{image.meta} {}

bool Ledger::deduplicate(const RequestContext& context) {
    const RequestId& id = context.request.id;
    const auto refuse_with = [&](Error error) {
        context.reply(tl::unexpected{std::move(error)});
        return true;
    };
    if (!id.is_none()) {
        if (auto first = answers_.answer_to(context.request)) {
            context.step.output.replies.push_back({context.ticket, std::move(first)});
            return true;
        }
    }
    if (pending_.is_full()) {
        return refuse_with({Errc::busy, "too many changes wait for the store; try again"});
    }
    if (id.is_none()) {
        return false;
    }
    if (const auto joined = pending_.join(context.request, context.ticket); !joined || *joined) {
        return joined ? true : refuse_with(joined.error());
    }
    const auto known_now = context.step.clock.known_at(context.step.now);
    if (auto refusal = answers_.refusal_of(id, known_now)) {
        return refuse_with(std::move(*refusal));
    }
    return false;
}

void Ledger::refuse(const RequestContext& context, Error error, bool dry_run) {
    const RequestId& id = context.request.id;
    if (dry_run || id.is_none() || !is_lasting(error)) {
        context.reply(tl::unexpected{std::move(error)});
        return;
    }
    persist_answer(context, write_of(pending_.proposed(), {}, Reply{id, tl::unexpected{error}}));
}

template <class Written>
void Ledger::submit(const RequestContext& context, Result<Written> written, bool dry_run) {
    if (!written) {
        refuse(context, std::move(written.error()), dry_run);
        return;
    }
    const RequestId& id = context.request.id;
    const bool changes_something = !is_empty(*written);
    Meta after = pending_.proposed();
    after.counter = changes_something ? next(after.counter) : after.counter;
    written->changes.counter = after.counter;
    if constexpr (requires { written->changes.dry_run; }) {
        written->changes.dry_run = dry_run;
    }
    ReplyBody reply = answer_of(*written);
    if (dry_run || (!changes_something && id.is_none() && pending_.empty())) {
        context.reply(std::move(reply));
        return;
    }
    Effect effect;
    if (changes_something) {
        effect = std::move(*written);
    }
    persist_answer(context, write_of(after, std::move(effect), Reply{id, std::move(reply)}));
}

template void Ledger::submit(const RequestContext&, Result<TasksWritten>, bool);
template void Ledger::submit(const RequestContext&, Result<IntentsWritten>, bool);
template void Ledger::submit(const RequestContext&, Result<SettingsWritten>, bool);
template void Ledger::submit(const RequestContext&, Result<FreezeSet>, bool);

void Ledger::persist_answer(const RequestContext& context, PendingWrite write) {
    std::vector<Write> writes;
    std::visit([&](const auto& effect) { add_writes(effect, writes); }, write.effect);
    if (const RequestId& id = write.reply->id; !id.is_none()) {
        const auto known_now = context.step.clock.known_at(context.step.now);
        write.meta.request_horizon = answers_.next_horizon(known_now);
        answers_.propose(*write.reply);
        if (write.meta.request_horizon != pending_.proposed().request_horizon) {
            writes.emplace_back(EraseOldRequests{write.meta.request_horizon});
        }
        write.asked = digest_of(context.request.body);
        writes.emplace_back(StoredRequest{id, write.reply, write.asked});
    }
    if (write.meta != pending_.proposed()) {
        writes.emplace_back(write.meta);
    }
    // Nothing to write, but something before it is not durable yet: it waits for that.
    write.number = writes.empty() ? pending_.last_number() : pending_.take_number();
    write.tickets = {context.ticket};
    propose(write);
    if (!writes.empty()) {
        context.step.output.persist.push_back({write.number, std::move(writes)});
    }
    pending_.add(std::move(write));
}

void Ledger::propose(const PendingWrite& write) {
    if (const auto* written = std::get_if<TasksWritten>(&write.effect)) {
        for (const StoredTask& task : written->put) {
            tasks_.put(write.number, task);
        }
        for (const std::string& name : written->erased) {
            tasks_.erase(write.number, name, write.meta.counter);
        }
    } else if (const auto* accepted = std::get_if<StoreAccepted>(&write.effect)) {
        for (const StoredTask& task : accepted->tasks) {
            tasks_.put(write.number, task);
        }
    } else if (const auto* decided = std::get_if<IntentsWritten>(&write.effect)) {
        for (const Shared<StoredIntent>& row : decided->rows) {
            intents_.propose(write.number, row);
        }
        for (const std::string& name : decided->removed) {
            intents_.propose_removal(write.number, name);
        }
    } else if (const auto* set = std::get_if<SettingsWritten>(&write.effect)) {
        for (const StoredSetting& row : set->rows) {
            settings_.propose(row);
        }
    } else if (const auto* frozen = std::get_if<FreezeSet>(&write.effect)) {
        for (const StoredSetting& row : frozen->rows) {
            settings_.propose(row);
        }
    }
}

void Ledger::put_nodes(NodesWritten written, Output& output) {
    Persist persist{.number = pending_.take_number(), .writes = {}};
    add_writes(written, persist.writes);
    for (const std::string& name : written.erased) {
        const StoredIntent row = intents_.proposed(name);
        if (decides_nothing(row) && !says_nothing(row)) {
            persist.writes.emplace_back(EraseIntent{name});
        }
    }
    output.persist.push_back(std::move(persist));
    pending_.add({.number = pending_.last_number(),
                  .meta = pending_.proposed(),
                  .effect = std::move(written),
                  .reply = {},
                  .asked = {},
                  .tickets = {}});
}

void Ledger::put_intents(IntentsWritten written, Output& output) {
    Persist persist{.number = pending_.take_number(), .writes = {}};
    add_writes(written, persist.writes);
    output.persist.push_back(std::move(persist));
    PendingWrite write{.number = pending_.last_number(),
                       .meta = pending_.proposed(),
                       .effect = std::move(written),
                       .reply = {},
                       .asked = {},
                       .tickets = {}};
    propose(write);
    pending_.add(std::move(write));
}

void Ledger::submit_accepted(const RequestContext& context, const Meta& after,
                             StoreAccepted accepted, ReplyBody reply) {
    persist_answer(
        context, write_of(after, std::move(accepted), Reply{context.request.id, std::move(reply)}));
}

std::optional<PendingWrite> Ledger::take_durable(std::uint64_t number) {
    ensure(number <= pending_.last_number(), "the store confirms only what it was given");
    durable_ = std::max(durable_, number);
    auto write = pending_.take_durable(durable_);
    if (write) {
        const CivilMs horizon_before = std::exchange(meta_, write->meta).request_horizon;
        if (meta_.request_horizon != horizon_before) {
            answers_.drop_up_to(meta_.request_horizon);
        }
    }
    return write;
}

void Ledger::acknowledge(const PendingWrite& write, Output& output) {
    for (const Ticket ticket : write.tickets) {
        output.replies.push_back({ticket, write.reply});
    }
    if (write.reply && !write.reply->id.is_none()) {
        answers_.remember(write.reply, write.asked);
    }
}

void Ledger::forget_confirmed() {
    tasks_.durable(durable_);
    intents_.confirm(durable_);
}

void Ledger::fail_all(const Error& error, Output& output) {
    for (const PendingWrite& write : pending_.take_all()) {
        for (const Ticket ticket : write.tickets) {
            output.replies.push_back({ticket, Reply{write.reply->id, tl::unexpected{error}}});
        }
    }
}

}  // namespace muster::coordinator
