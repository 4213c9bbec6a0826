#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"
#include "coordinator/core/state/state.hpp"

/// What follows from a write once it is durable, and not before.
namespace muster::coordinator {

namespace {

std::string topic_of(const TaskChange& change) {
    if (change.action == "add") {
        return "task.added";
    }
    if (change.action == "remove") {
        return "task.removed";
    }
    if (change.action == "scale") {
        return "task.scaled";
    }
    return change.action == "restart" ? "task.restarted" : "task.changed";
}

std::string sentence_of(const TaskChange& change) {
    const auto before = std::to_string(change.instances_before);
    const auto after = std::to_string(change.instances_after);
    std::string sentence = change.every_node && change.instances_after > 0
                               ? "one instance on every node"
                               : "instances " + (before == after ? after : before + " -> " + after);
    for (const std::string& field : change.fields) {
        sentence += (&field == &change.fields.front() ? "; differs in " : ", ") + field;
    }
    return sentence;
}

}  // namespace

void State::apply(Instant now, const Persisted& input, Output& output) {
    ensure(input.number <= pending.last_number(), "the store confirms only what it was given");
    durable = std::max(durable, input.number);
    while (auto write = pending.take_durable(durable)) {
        news = true;
        const CivilMs horizon_before = std::exchange(meta, write->meta).request_horizon;
        if (meta.request_horizon != horizon_before) {
            requests.drop_up_to(meta.request_horizon);
        }
        workload.raise_counter(meta.counter);
        std::visit([&](const auto& effect) { take_effect(now, effect, output); }, write->effect);
        for (const Ticket ticket : write->tickets) {
            output.replies.push_back({ticket, write->reply});
        }
        if (write->reply && !write->reply->id.is_none()) {
            requests.remember(write->reply, write->asked);
        }
    }
    proposed.durable(durable);
    intents.confirm(durable);
}

void State::apply(Instant /*now*/, const StoreFailed& input, Output& output) {
    const Error error{Errc::store_failed,
                      "the store failed, and nothing was changed: " + input.detail};
    for (const PendingWrite& write : pending.take_all()) {
        for (const Ticket ticket : write.tickets) {
            output.replies.push_back({ticket, Reply{write.reply->id, tl::unexpected{error}}});
        }
    }
    waits.answer_all(error, output.replies);
    errands.fail_all(error, output.replies);
    output.resign = "the store failed: " + input.detail;
    is_over = true;
}

void State::take_effect(Instant /*now*/, const std::monostate& /*nothing*/, Output& /*output*/) {}

void State::take_effect(Instant now, const TasksWritten& written, Output& /*output*/) {
    for (const StoredTask& task : written.put) {
        workload.put(task);
        watch.add(task.wanted.name);
    }
    for (const std::string& name : written.erased) {
        const auto task = workload.find(name);
        ensure(task.has_value(), "a task is removed once");
        workload.unwant(*task);
    }
    for (const TaskChange& change : written.changes.changes) {
        if (change.action != "unchanged") {
            tell(now, topic_of(change), change.task, sentence_of(change));
        }
    }
    round = std::max(round, Round::touched);
}

void State::take_effect(Instant now, const NodesWritten& written, Output& /*output*/) {
    for (const StoredNode& row : written.put) {
        const auto index = nodes.find(row.name);
        if (!index) {
            continue;  // An operator removed it meanwhile.
        }
        Node& node = nodes[*index];
        node.durable = recorded(row);
        node.row_pending = false;
        nodes.touch(*index);
        if (node.lost && row.lost) {
            recovery.settled(node);
            round = std::max(round, Round::touched);
        }
    }
    for (const std::string& name : written.erased) {
        const auto index = nodes.find(name);
        if (!index) {
            continue;
        }
        if (nodes[*index].forgetting) {
            change(now, *index, NodeChange::forgotten, "nothing is known of it any more");
            remove_node(*index);
            intents.forget(name);
        } else {
            nodes[*index].durable = Recorded{};
            nodes[*index].row_pending = false;
            expect_return(now, *index);
            nodes.touch(*index);
        }
    }
}

void State::take_effect(Instant now, const StoreAccepted& accepted, Output& output) {
    leases.begin_anew(now);  // Those whose place we take may have granted some until now.
    events.set_epoch(meta.epoch);
    tell(now, "store.accepted", "",
         "cluster " + to_string(meta.cluster) + ", epoch " + std::to_string(raw(meta.epoch)) +
             ", change " + std::to_string(raw(meta.counter)));
    for (const StoredTask& task : accepted.tasks) {
        workload.put(task);
        watch.add(task.wanted.name);
    }
    for (const StoredNode& row : accepted.nodes) {
        if (const auto index = nodes.find(row.name)) {
            change(now, *index, NodeChange::accepted, "the store that it knows was accepted");
            heard_from(nodes[*index]).claim = Claim{};
            nodes[*index].durable = recorded(row);
        }
    }
    // Every agent has to learn the new epoch before it is polled under it; and to say hello, for it
    // may belong to the cluster that was ours before.
    for (const NodeIndex index : nodes.by_name()) {
        if (const auto session = nodes[index].session) {
            refuse(*session, Errc::hello_required, "say hello again, for the store was accepted",
                   output);
            send_welcome(index, output);
        }
    }
    terms.cut_short(now, nodes);
}

}  // namespace muster::coordinator
