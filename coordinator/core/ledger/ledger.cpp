#include "coordinator/core/ledger/ledger.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/ensure.hpp"
#include "coordinator/core/ledger/scope.hpp"

namespace muster::coordinator {

namespace {

/// Stored, so that a retry gets the same answer. Other errors may differ next time.
bool is_lasting(const Error& error) {
    return error.code == Errc::invalid || error.code == Errc::exists ||
           error.code == Errc::not_found || error.code == Errc::too_large ||
           error.code == Errc::refused;
}

template <class Row>
void add_erase(std::string_view name, std::vector<Write>& writes) {
    if constexpr (std::is_constructible_v<Write, Erase<Row>>) {
        writes.emplace_back(Erase<Row>{std::string{name}});
    } else {
        ensure(false, "rows of this kind are never erased");
    }
}

template <class Row>
void add_writes(const Rows<Row>& rows, std::vector<Write>& writes) {
    for (const Shared<Row>& row : rows.put) {
        if (is_default(*row)) {
            add_erase<Row>(key_of(*row), writes);
        } else if constexpr (std::is_constructible_v<Write, Shared<Row>>) {
            writes.emplace_back(row);
        } else {
            writes.emplace_back(*row);
        }
    }
    for (const std::string& name : rows.erased) {
        add_erase<Row>(name, writes);
    }
}

std::vector<Write> writes_of(const Change& change) {
    constexpr std::size_t that_follow = 6;  // The writes for the request itself.
    std::vector<Write> writes;
    std::apply(
        [&](const auto&... of_kind) {
            writes.reserve((of_kind.put.size() + ...) + (of_kind.erased.size() + ...) +
                           that_follow);
            (add_writes(of_kind, writes), ...);
        },
        change.rows);
    return writes;
}

/// Ended instances belong to one generation: a new generation erases the rows of the one before.
/// `before`: the tasks before this change.
void erase_ends(const TaskTable& before, const Rows<StoredTask>& tasks,
                std::vector<Write>& writes) {
    const auto erase = [&](std::string_view name, Generation after) {
        const auto task = before.find(name);
        if (task && task->generation != after &&
            task->spec->restart.policy != RestartPolicy::always) {
            add_erase<StoredEnds>(name, writes);
        }
    };
    for (const Shared<StoredTask>& row : tasks.put) {
        erase(row->wanted.name, row->generation);
    }
    for (const std::string& name : tasks.erased) {
        erase(name, Generation{});
    }
}

/// Sets the number of the change, and whether it was a dry run, in its answer.
void set_number(ReplyBody& reply, Generation counter, bool dry_run) {
    const auto fill_in = [&](auto& body) {
        if constexpr (requires { body.counter = counter; }) {
            body.counter = counter;
        }
        if constexpr (requires { body.dry_run = dry_run; }) {
            body.dry_run = dry_run;
        }
    };
    std::visit(fill_in, reply);
}

void each_table(auto& tables, auto&& visit) {
    std::apply([&](auto&... table) { (visit(table), ...); }, tables);
}

/// What no handler may write, whatever it was asked for: a store could not be read again.
void ensure_sound(const Change& change) {
    for (const Shared<StoredKey>& row : change.of<StoredKey>().put) {
        ensure(
            !row->name.empty() && !row->keys.empty() && row->keys.size() <= StoredKey::keys_at_most,
            "a stored name has one key or two");
    }
    for (const Shared<StoredToken>& row : change.of<StoredToken>().put) {
        ensure(!row->name.empty() && row->uses > 0, "a stored token can be used");
    }
    for (const Shared<StoredTask>& row : change.of<StoredTask>().put) {
        ensure(!row->wanted.name.empty() && row->generation != Generation{} &&
                   row->created <= row->generation,
               "a stored task has a generation, not before that of its creation");
    }
}

}  // namespace

Ledger::Ledger(const CoordinatorOptions& options, const StoreImage& image, const Workload& workload)
    : options_{options},
      newest_schema_{image.newest_schema},
      meta_{image.meta},
      tables_{TaskTable{DurableRows<StoredTask>{workload}},
              Intents{DurableRows<StoredIntent>{image.intents}},
              Table<StoredSetting>{DurableRows<StoredSetting>{image.settings}},
              Table<StoredFreeze>{DurableRows<StoredFreeze>{image.freeze}},
              Keys{DurableRows<StoredKey>{image.keys}},
              Table<StoredToken>{DurableRows<StoredToken>{image.tokens}},
              SecretTable{DurableRows<StoredSecret>{image.secrets}},
              PoolTable{DurableRows<StoredPool>{image.pools}},
              Table<StoredPoolNode>{DurableRows<StoredPoolNode>{image.pool_nodes}},
              Table<StoredSeason>{DurableRows<StoredSeason>{image.seasons}}},
      answers_{image.meta.request_horizon, image.requests},
      pending_{image.meta},
      audit_{options.order_key, image.audit} {}

bool Ledger::deduplicate(const RequestContext& context) {
    const RequestId& id = context.request().id;
    const auto refuse_with = [&](Error error) {
        context.reply(tl::unexpected{std::move(error)});
        return true;
    };
    if (!id.is_none()) {
        if (auto first = answers_.answer_to(context.input)) {
            context.step.output.replies.push_back({context.ticket(), std::move(first)});
            return true;
        }
    }
    if (pending_.is_full()) {
        return refuse_with({Errc::busy, "too many changes wait for the store; try again"});
    }
    if (id.is_none()) {
        return false;
    }
    if (const auto joined = pending_.join(context.input); !joined || *joined) {
        return joined ? true : refuse_with(joined.error());
    }
    const auto known_now = context.step.clock.known_at(context.step.now);
    if (auto refusal = answers_.refusal_of(id, known_now)) {
        return refuse_with(std::move(*refusal));
    }
    return false;
}

void Ledger::refuse(const RequestContext& context, Error error, bool dry_run) {
    const RequestId& id = context.request().id;
    if (!dry_run && !id.is_none() && !is_lasting(error)) {  // The shell gives each change an id.
        note_refusal(context.step, context.input, error);
    }
    if (dry_run || id.is_none() || !is_lasting(error)) {
        context.reply(tl::unexpected{std::move(error)});
        return;
    }
    persist_answer(context,
                   {.meta = pending_.proposed(), .reply = Reply{id, tl::unexpected{error}}});
}

void Ledger::submit(const RequestContext& context, Result<Answered> answered, bool dry_run) {
    const StoredKey* const by = owner_soon(keys(), context.input.by.key);
    if (answered && by != nullptr) {
        if (auto may = check_tasks(*by, answered->change, tasks()); !may) {
            answered = tl::unexpected{std::move(may.error())};
        }
    }
    if (!answered) {
        refuse(context, std::move(answered.error()), dry_run);
        return;
    }
    const bool changes_something = !answered->change.empty();
    Meta after = pending_.proposed();
    after.counter = changes_something ? next(after.counter) : after.counter;
    set_number(answered->reply, after.counter, dry_run);
    if (dry_run || (!changes_something && context.request().id.is_none() && pending_.empty())) {
        context.reply(std::move(answered->reply));
        return;
    }
    submit(context, *std::move(answered), after);
}

void Ledger::submit(const RequestContext& context, Answered answered, const Meta& after) {
    persist_answer(context, {.meta = after,
                             .change = std::move(answered.change),
                             .reply = Reply{context.request().id, std::move(answered.reply)}});
}

void Ledger::persist_answer(const RequestContext& context, PendingWrite write) {
    ensure(!parts_, "one change after the other is submitted");
    if (!write.reply->id.is_none()) {
        write.meta.request_horizon =
            answers_.next_horizon(context.step.clock.known_at(context.step.now));
        answers_.propose(*write.reply);
        write.request_digest = digest_of(context.input);
    }
    // Otherwise hosts that wait to be accepted would fill the audit.
    const bool is_repeated = write.change.empty() && write.reply->result &&
                             std::holds_alternative<EnrolRequest>(context.request().body);
    if (!is_repeated && (write.reply->result || audit_.admits_refusal(context.step.civil()))) {
        write.audit = audit_row(context.input, keys());
        write.audit->at = context.step.civil();
        set_result(*write.audit, write.reply->result);
    }
    write.tickets = {context.ticket()};
    parts_.emplace(std::move(write), options_.rows_of_step, pending_.last_number());
    submit_more(context.step.output);
}

void Ledger::submit_more(Output& output) {
    PendingWrite part = parts_->take();
    const bool is_whole = part.first_line == 0 && !part.continues;
    std::vector<Write> writes = writes_of(part.change);
    erase_ends(tasks(), part.change.of<StoredTask>(), writes);
    if (part.meta.request_horizon != pending_.proposed().request_horizon) {
        writes.emplace_back(EraseOldRequests{part.meta.request_horizon});
    }
    if (const RequestId& id = part.reply->id; !id.is_none() && !part.continues) {
        writes.emplace_back(StoredRequest{id, part.reply, part.request_digest});
    }
    if (part.meta != pending_.proposed()) {
        writes.emplace_back(part.meta);
    }
    if (part.continues) {
        writes.emplace_back(Continues{});
    }
    // Nothing to write, but an earlier write is not durable yet: the answer waits for that write.
    const bool waits_only = writes.empty() && is_whole;
    if (auto row = std::exchange(part.audit, {}); row && !waits_only) {
        row->epoch = part.meta.epoch;
        row->counter = part.meta.counter;
        audit_.add(std::move(*row), writes);
    }
    part.number = waits_only ? pending_.last_number() : pending_.take_number();
    propose(part);
    if (!waits_only) {
        output.persist.push_back({part.number, std::move(writes)});
    }
    pending_.add(std::move(part));
    if (parts_->is_over()) {
        parts_.reset();
    }
}

void Ledger::propose(const PendingWrite& write) {
    const Change& change = write.change;
    ensure_sound(change);
    each_table(tables_, [&]<class Row>(Table<Row>& table) {
        table.propose(write.number, change.of<Row>());
    });
    for (const Shared<StoredTask>& row : change.of<StoredTask>().put) {
        removed_tasks_.forget(row->wanted.name);
    }
    for (const std::string& name : change.of<StoredTask>().erased) {
        removed_tasks_.add(name, write.meta.counter);
    }
    if (change.origin != ChangeOrigin::records) {
        for (const std::string& name : change.of<StoredNode>().erased) {
            std::get<Intents>(tables_).propose_end(write.number, name);
        }
    }
}

void Ledger::submit(Change change, Output& output, std::optional<StoredAudit> audit) {
    std::vector<Write> writes = writes_of(change);
    if (change.origin == ChangeOrigin::records) {
        for (const std::string& name : change.of<StoredNode>().erased) {
            const StoredIntent row = intents().proposed(name);
            if (has_no_decision(row) && !is_default(row)) {
                add_erase<StoredIntent>(name, writes);
            }
        }
    }
    if (audit) {
        audit->epoch = pending_.proposed().epoch;
        audit->counter = pending_.proposed().counter;
        audit_.add(std::move(*audit), writes);
    }
    write_own(std::move(change), std::move(writes), output);
}

void Ledger::note_refusal(StepContext& step, const FromOperator& input, const Error& why) {
    note_refusal(step, audit_row(input, keys()), why);
}

void Ledger::note_refusal(StepContext& step, const Denied& input) {
    note_refusal(step, audit_row(input, keys()), input.why);
}

void Ledger::note_refusal(StepContext& step, StoredAudit row, const Error& why) {
    if (!audit_.admits_refusal(step.civil())) {
        return;
    }
    row.at = step.civil();
    row.epoch = pending_.proposed().epoch;
    row.counter = pending_.proposed().counter;
    set_result(row, tl::unexpected{why});
    std::vector<Write> writes;
    audit_.add(std::move(row), writes);
    write_own({}, std::move(writes), step.output);
}

void Ledger::write_own(Change change, std::vector<Write> writes, Output& output) {
    PendingWrite write{
        .number = pending_.take_number(), .meta = pending_.proposed(), .change = std::move(change)};
    Persist persist{.number = write.number, .writes = std::move(writes)};
    if (parts_) {  // This write is between two parts of a change.
        persist.writes.emplace_back(Continues{});
    }
    output.persist.push_back(std::move(persist));
    propose(write);
    pending_.add(std::move(write));
}

void Ledger::persisted(std::uint64_t number) {
    ensure(number <= pending_.last_number(), "the store confirms only what it was given");
    persisted_ = std::max(persisted_, number);
}

std::uint64_t Ledger::oldest_unconfirmed() const {
    const std::uint64_t last_whole = parts_ ? parts_->before() : pending_.last_number();
    return persisted_ < last_whole ? persisted_ + 1 : 0;
}

std::optional<PendingWrite> Ledger::confirm() {
    auto write = pending_.take_durable(persisted_);
    if (write) {
        durable_ = write->number;
        const CivilMs horizon_before = std::exchange(meta_, write->meta).request_horizon;
        if (meta_.request_horizon != horizon_before) {
            answers_.drop_up_to(meta_.request_horizon);
        }
        each_table(tables_, [&]<class Row>(Table<Row>& table) {
            if constexpr (requires { table.apply(Rows<Row>{}); }) {
                table.apply(write->change.of<Row>());
            }
        });
    }
    return write;
}

void Ledger::acknowledge(const PendingWrite& write, Output& output) {
    each_table(tables_, [&](auto& table) { table.confirm(write.number); });
    if (write.continues) {
        return;
    }
    for (const Ticket ticket : write.tickets) {
        output.replies.push_back({ticket, write.reply});
    }
    if (write.reply && !write.reply->id.is_none()) {
        answers_.remember(write.reply, write.request_digest);
    }
}

void Ledger::forget_node(std::string_view name) {
    if (has_no_decision(intents().durable(name))) {
        std::get<Intents>(tables_).erase(name);
    }
}

void Ledger::fail_all(const Error& error, Output& output) {
    auto writes = pending_.take_all();
    if (parts_) {
        writes.push_back(parts_->take_rest());
        parts_.reset();
    }
    for (const PendingWrite& write : writes) {
        for (const Ticket ticket : write.tickets) {
            output.replies.push_back({ticket, Reply{write.reply->id, tl::unexpected{error}}});
        }
    }
}

}  // namespace muster::coordinator
