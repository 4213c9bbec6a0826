#include <algorithm>
#include <type_traits>
#include <utility>

#include "coordinator/core/changes.hpp"
#include "coordinator/core/state.hpp"

/// What operators ask: reads are answered at once, changes when they are durable.
namespace muster {

namespace {

template <class... Cases>
struct Overload : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

/// Kept for its id, so that a retry gets the same answer; anything else may differ next time.
bool is_lasting(const Error& error) {
    return error.code == Errc::invalid || error.code == Errc::exists ||
           error.code == Errc::not_found || error.code == Errc::too_large;
}

PendingWrite write_of(const Meta& after, Effect effect, Reply reply) {
    return PendingWrite{.number = 0,
                        .meta = after,
                        .effect = std::move(effect),
                        .reply = std::move(reply),
                        .asked = {},
                        .tickets = {}};
}

/// More than a store falls behind in its life, however long it was away. Without this bound a liar
/// would push our numbers to where nothing is above them.
bool is_beyond_belief(const AheadNode& node, const Meta& ours) {
    constexpr std::uint64_t believed = std::uint64_t{1} << 32U;
    const auto is_beyond = [](auto theirs, auto our) {
        return theirs > our && raw(theirs) - raw(our) > believed;
    };
    return is_beyond(node.epoch, ours.epoch) || is_beyond(node.counter, ours.counter);
}

Result<ReplyBody> as_reply(Result<void> done, ReplyBody body) {
    if (!done) {
        return tl::unexpected{done.error()};
    }
    return body;
}

}  // namespace

void Coordinator::State::apply(Instant now, const FromOperator& input, Output& output) {
    const RequestId& id = input.request.id;
    const auto answer = [&](Result<ReplyBody> result) {
        output.replies.push_back({input.ticket, Reply{id, std::move(result)}});
    };
    const auto change = [&](const auto& request) {
        if (!settle_by_id(now, input, output)) {
            const Generation following = next(pending.proposed().counter);
            change_tasks(now, input, change_of(request, proposed, following), false, output);
        }
    };
    const Overload cases{
        [&](const PingRequest&) {
            answer(ReplyBody{PingReply{options.version, meta.cluster, meta.epoch}});
        },
        [&](const StatusRequest&) { answer(ReplyBody{status()}); },
        [&](const NodeListRequest& request) { answer(list_nodes(request.pattern)); },
        [&](const NodeShowRequest& request) { answer(show_node(request.name)); },
        [&](const TaskListRequest& request) { answer(list_tasks(request.pattern)); },
        [&](const TaskShowRequest& request) { answer(show_task(request.name)); },
        [&](const EventsRequest& request) {
            answer(ReplyBody{events.since(request.since, request.limit)});
        },
        [&](const WaitRequest& request) {
            news = true;
            if (auto taken = waits.add(input.ticket, request, id, now, pending.last_number());
                !taken) {
                answer(tl::unexpected{taken.error()});
            }
        },
        [&](const TermNowRequest&) {
            terms.cut_short(now, nodes);
            answer(ReplyBody{TermReply{next(terms.current())}});
        },
        [&](const ApplyRequest& request) {
            if (request.dry_run) {
                const Generation following = next(pending.proposed().counter);
                change_tasks(now, input, change_of(request, proposed, following), true, output);
            } else {
                change(request);
            }
        },
        [&](const StoreAcceptRequest& request) {
            if (request.dry_run || !settle_by_id(now, input, output)) {
                accept_store(now, input, request.dry_run, output);
            }
        },
        [&](const HelpRequest&) { answer(fail(Errc::refused, "the daemon answers this itself")); },
        [&](const LogLevelRequest&) {
            answer(fail(Errc::refused, "the daemon answers this itself"));
        },
        change,
    };
    std::visit(cases, input.request.body);
}

void Coordinator::State::turn_away(const Input& input, Output& output) {
    if (const auto* asked = std::get_if<FromOperator>(&input)) {
        output.replies.push_back(
            {asked->ticket,
             Reply{asked->request.id,
                   fail(Errc::not_leader, "this coordinator does not lead any more")}});
    }
}

bool Coordinator::State::settle_by_id(Instant now, const FromOperator& input, Output& output) {
    const RequestId& id = input.request.id;
    const auto refuse_with = [&](Error error) {
        output.replies.push_back({input.ticket, Reply{id, tl::unexpected{std::move(error)}}});
        return true;
    };
    if (!id.is_none()) {
        if (auto first = requests.answer_to(input.request)) {
            output.replies.push_back({input.ticket, std::move(*first)});
            return true;
        }
    }
    if (pending.is_full()) {
        return refuse_with({Errc::busy, "too many changes wait for the store; try again"});
    }
    if (id.is_none()) {
        return false;
    }
    if (const auto joined = pending.join(input.request, input.ticket); !joined || *joined) {
        return joined ? true : refuse_with(joined.error());
    }
    const auto known_now = civil_time ? std::optional{civil(now)} : std::nullopt;
    if (auto refusal = requests.refusal_of(id, known_now)) {
        return refuse_with(std::move(*refusal));
    }
    return false;
}

void Coordinator::State::change_tasks(Instant now, const FromOperator& input,
                                      Result<TasksWritten> written, bool dry_run, Output& output) {
    const RequestId& id = input.request.id;
    if (!written) {
        Reply reply{id, tl::unexpected{written.error()}};
        if (dry_run || id.is_none() || !is_lasting(written.error())) {
            output.replies.push_back({input.ticket, std::move(reply)});
            return;
        }
        persist_answer(now, input, write_of(pending.proposed(), {}, std::move(reply)), output);
        return;
    }
    const bool changes_something = !written->put.empty() || !written->erased.empty();
    Meta after = pending.proposed();
    after.counter = changes_something ? next(after.counter) : after.counter;
    written->changes.counter = after.counter;
    written->changes.dry_run = dry_run;
    Reply reply{id, ReplyBody{written->changes}};
    if (dry_run || (!changes_something && id.is_none() && pending.empty())) {
        output.replies.push_back({input.ticket, std::move(reply)});
        return;
    }
    Effect effect;
    if (changes_something) {
        effect = std::move(*written);
    }
    persist_answer(now, input, write_of(after, std::move(effect), std::move(reply)), output);
}

void Coordinator::State::accept_store(Instant now, const FromOperator& input, bool dry_run,
                                      Output& output) {
    const RequestId& id = input.request.id;
    StoreAcceptReply list{.dry_run = dry_run, .nodes = ahead_nodes()};
    Meta after = pending.proposed();
    auto taken = take_over(list.nodes, after);
    if (dry_run || list.nodes.empty() || !taken) {
        output.replies.push_back(
            {input.ticket, Reply{id, as_reply(std::move(taken), ReplyBody{std::move(list)})}});
        return;
    }
    StoreAccepted accepted;
    for (const AheadNode& ahead : list.nodes) {
        if (ahead.left_out.empty()) {
            StoredNode row = row_of(nodes[*nodes.find(ahead.name)]);
            row.ahead = false;
            accepted.nodes.push_back(std::move(row));
        }
    }
    for (std::string& name : proposed.names()) {
        const ProposedTask task = *proposed.find(name);
        accepted.tasks.push_back({.wanted = {std::move(name), task.instances, *task.spec},
                                  .generation = after.counter,
                                  .created = task.created});
    }
    persist_answer(now, input,
                   write_of(after, std::move(accepted), Reply{id, ReplyBody{std::move(list)}}),
                   output);
}

Result<void> Coordinator::State::take_over(std::vector<AheadNode>& ahead, Meta& after) const {
    const Meta before = after;
    const AheadNode* foreign = nullptr;
    bool takes_any = ahead.empty();
    for (AheadNode& node : ahead) {
        if (is_beyond_belief(node, before)) {
            node.left_out = "claims an epoch or a change that no honest agent has seen";
            continue;
        }
        takes_any = true;
        after.epoch = std::max(after.epoch, node.epoch);
        after.counter = std::max(after.counter, node.counter);
        const bool is_there = nodes[*nodes.find(node.name)].session.has_value();
        if (!is_there || node.cluster.is_none() || node.cluster == before.cluster) {
            continue;
        }
        if (foreign != nullptr && foreign->cluster != node.cluster) {
            return fail(Errc::refused, foreign->name + " is of cluster " +
                                           to_string(foreign->cluster) + " and " + node.name +
                                           " of " + to_string(node.cluster) +
                                           "; stop the agents of all other clusters but one");
        }
        foreign = &node;
        after.cluster = node.cluster;
    }
    if (!takes_any) {
        return fail(Errc::refused,
                    ahead.front().name + " " + ahead.front().left_out +
                        "; stop its agent, and start it on an empty state directory");
    }
    after.epoch = next(after.epoch);
    after.counter = next(after.counter);
    return {};
}

namespace {

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

void add_writes(const std::monostate& /*nothing*/, std::vector<Write>& /*writes*/) {}

}  // namespace

void Coordinator::State::persist_answer(Instant now, const FromOperator& input, PendingWrite write,
                                        Output& output) {
    std::vector<Write> writes;
    std::visit([&](const auto& effect) { add_writes(effect, writes); }, write.effect);
    if (const RequestId& id = write.reply->id; !id.is_none()) {
        const auto known_now = civil_time ? std::optional{civil(now)} : std::nullopt;
        write.meta.request_horizon = requests.next_horizon(known_now);
        requests.propose(*write.reply);
        if (write.meta.request_horizon != pending.proposed().request_horizon) {
            writes.emplace_back(EraseOldRequests{write.meta.request_horizon});
        }
        write.asked = digest_of(input.request.body);
        writes.emplace_back(StoredRequest{id, *write.reply, write.asked});
    }
    if (write.meta != pending.proposed()) {
        writes.emplace_back(write.meta);
    }
    // Nothing to write, but something before it is not durable yet: it waits for that.
    write.number = writes.empty() ? pending.last_number() : pending.take_number();
    write.tickets = {input.ticket};
    if (const auto* written = std::get_if<TasksWritten>(&write.effect)) {
        for (const StoredTask& task : written->put) {
            proposed.put(write.number, task);
        }
        for (const std::string& name : written->erased) {
            proposed.erase(write.number, name);
        }
    } else if (const auto* accepted = std::get_if<StoreAccepted>(&write.effect)) {
        for (const StoredTask& task : accepted->tasks) {
            proposed.put(write.number, task);
        }
    }
    if (!writes.empty()) {
        output.persist.push_back({write.number, std::move(writes)});
    }
    pending.add(std::move(write));
}

void Coordinator::State::persist_nodes(NodesWritten written, Output& output) {
    Persist persist{.number = pending.take_number(), .writes = {}};
    add_writes(written, persist.writes);
    output.persist.push_back(std::move(persist));
    pending.add({.number = pending.last_number(),
                 .meta = pending.proposed(),
                 .effect = std::move(written),
                 .reply = {},
                 .asked = {},
                 .tickets = {}});
}

}  // namespace muster
