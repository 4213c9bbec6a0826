#include <type_traits>
#include <utility>

#include "coordinator/core/state/state.hpp"

/// What is given to the store: once for each request id, and whole or not at all.
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

bool State::settle_by_id(const Asked& asked) {
    const RequestId& id = asked.request.id;
    const auto refuse_with = [&](Error error) {
        answer(asked, tl::unexpected{std::move(error)});
        return true;
    };
    if (!id.is_none()) {
        if (auto first = requests.answer_to(asked.request)) {
            asked.output.replies.push_back({asked.ticket, std::move(first)});
            return true;
        }
    }
    if (pending.is_full()) {
        return refuse_with({Errc::busy, "too many changes wait for the store; try again"});
    }
    if (id.is_none()) {
        return false;
    }
    if (const auto joined = pending.join(asked.request, asked.ticket); !joined || *joined) {
        return joined ? true : refuse_with(joined.error());
    }
    const auto known_now = civil_time ? std::optional{civil(asked.now)} : std::nullopt;
    if (auto refusal = requests.refusal_of(id, known_now)) {
        return refuse_with(std::move(*refusal));
    }
    return false;
}

void State::refuse_change(const Asked& asked, Error error, bool dry_run) {
    const RequestId& id = asked.request.id;
    if (dry_run || id.is_none() || !is_lasting(error)) {
        answer(asked, tl::unexpected{std::move(error)});
        return;
    }
    persist_answer(asked, write_of(pending.proposed(), {}, Reply{id, tl::unexpected{error}}));
}

template <class Written>
void State::settle_change(const Asked& asked, Result<Written> written, bool dry_run) {
    if (!written) {
        refuse_change(asked, std::move(written.error()), dry_run);
        return;
    }
    const RequestId& id = asked.request.id;
    const bool changes_something = !is_empty(*written);
    Meta after = pending.proposed();
    after.counter = changes_something ? next(after.counter) : after.counter;
    written->changes.counter = after.counter;
    if constexpr (requires { written->changes.dry_run; }) {
        written->changes.dry_run = dry_run;
    }
    ReplyBody reply = answer_of(*written);
    if (dry_run || (!changes_something && id.is_none() && pending.empty())) {
        answer(asked, std::move(reply));
        return;
    }
    Effect effect;
    if (changes_something) {
        effect = std::move(*written);
    }
    persist_answer(asked, write_of(after, std::move(effect), Reply{id, std::move(reply)}));
}

template void State::settle_change(const Asked&, Result<TasksWritten>, bool);
template void State::settle_change(const Asked&, Result<IntentsWritten>, bool);
template void State::settle_change(const Asked&, Result<SettingsWritten>, bool);
template void State::settle_change(const Asked&, Result<FreezeSet>, bool);

void State::persist_answer(const Asked& asked, PendingWrite write) {
    std::vector<Write> writes;
    std::visit([&](const auto& effect) { add_writes(effect, writes); }, write.effect);
    if (const RequestId& id = write.reply->id; !id.is_none()) {
        const auto known_now = civil_time ? std::optional{civil(asked.now)} : std::nullopt;
        write.meta.request_horizon = requests.next_horizon(known_now);
        requests.propose(*write.reply);
        if (write.meta.request_horizon != pending.proposed().request_horizon) {
            writes.emplace_back(EraseOldRequests{write.meta.request_horizon});
        }
        write.asked = digest_of(asked.request.body);
        writes.emplace_back(StoredRequest{id, write.reply, write.asked});
    }
    if (write.meta != pending.proposed()) {
        writes.emplace_back(write.meta);
    }
    // Nothing to write, but something before it is not durable yet: it waits for that.
    write.number = writes.empty() ? pending.last_number() : pending.take_number();
    write.tickets = {asked.ticket};
    propose(write);
    if (!writes.empty()) {
        asked.output.persist.push_back({write.number, std::move(writes)});
    }
    pending.add(std::move(write));
}

void State::propose(const PendingWrite& write) {
    if (const auto* written = std::get_if<TasksWritten>(&write.effect)) {
        for (const StoredTask& task : written->put) {
            proposed.put(write.number, task);
        }
        for (const std::string& name : written->erased) {
            proposed.erase(write.number, name, write.meta.counter);
        }
    } else if (const auto* accepted = std::get_if<StoreAccepted>(&write.effect)) {
        for (const StoredTask& task : accepted->tasks) {
            proposed.put(write.number, task);
        }
    } else if (const auto* decided = std::get_if<IntentsWritten>(&write.effect)) {
        for (const Shared<StoredIntent>& row : decided->rows) {
            intents.propose(write.number, row);
        }
        for (const std::string& name : decided->removed) {
            intents.propose_removal(write.number, name);
        }
    } else if (const auto* set = std::get_if<SettingsWritten>(&write.effect)) {
        for (const StoredSetting& row : set->rows) {
            settings.propose(row);
        }
    } else if (const auto* frozen = std::get_if<FreezeSet>(&write.effect)) {
        for (const StoredSetting& row : frozen->rows) {
            settings.propose(row);
        }
    }
}

void State::persist_nodes(NodesWritten written, Output& output) {
    Persist persist{.number = pending.take_number(), .writes = {}};
    add_writes(written, persist.writes);
    for (const std::string& name : written.erased) {
        const StoredIntent row = intents.proposed(name);
        if (decides_nothing(row) && !says_nothing(row)) {
            persist.writes.emplace_back(EraseIntent{name});
        }
    }
    output.persist.push_back(std::move(persist));
    pending.add({.number = pending.last_number(),
                 .meta = pending.proposed(),
                 .effect = std::move(written),
                 .reply = {},
                 .asked = {},
                 .tickets = {}});
}

void State::persist_intents(IntentsWritten written, Output& output) {
    Persist persist{.number = pending.take_number(), .writes = {}};
    add_writes(written, persist.writes);
    output.persist.push_back(std::move(persist));
    PendingWrite write{.number = pending.last_number(),
                       .meta = pending.proposed(),
                       .effect = std::move(written),
                       .reply = {},
                       .asked = {},
                       .tickets = {}};
    propose(write);
    pending.add(std::move(write));
}

}  // namespace muster::coordinator
