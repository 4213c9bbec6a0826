#include "coordinator/core/operators/agent_calls/agent_call_handler.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "common/base/limits.hpp"
#include "common/spec/spec.hpp"
#include "common/text/pattern.hpp"
#include "coordinator/core/queries/matching.hpp"

namespace muster::coordinator {

namespace {

std::string silence_of(const std::string& node) {
    return node + " did not answer within " +
           std::to_string(to_ms(limits::agent_call_patience) / 1000) + " s";
}

/// Orders two copies of an instance: the better one stands for the instance.
bool is_better(const Copy& one, const Copy& other) {
    const auto rank = [](const Copy& copy) {
        return std::tuple{copy.reported, may_run(copy), copy.generation, copy.started};
    };
    return rank(one) > rank(other);
}

}  // namespace

std::optional<AgentCallStamp> AgentCallHandler::stamp_for(AgentCalls::Request& request,
                                                          NodeIndex index) {
    const Node& node = nodes_[index];
    if (!node.session || coordinator::is_lost(node)) {
        return std::nullopt;
    }
    return AgentCallStamp{.epoch = meta_.epoch,
                          .incarnation = node.incarnation,
                          .number = calls_.ask(request, index)};
}

Result<InstanceId> AgentCallHandler::resolve_instance(const std::string& text) const {
    const auto id = parse_instance(text);
    if (id && copies_.workload.find(id->task)) {
        return *id;
    }
    const auto task = copies_.workload.find(text);
    if (!task) {
        return fail(Errc::not_found, "there is no instance '" + text + "'; 'task list' lists the " +
                                         "tasks, and their instances are NAME.0 and so on");
    }
    std::set<Ordinal> ordinals;
    for (const Copy& copy : copies_.placements.copies().of(*task)) {
        ordinals.insert(copy.ordinal);
    }
    if (ordinals.size() > 1) {
        return fail(Errc::invalid, "'" + text + "' has " + std::to_string(ordinals.size()) +
                                       " instances: name one, as in " +
                                       to_string(InstanceId{text, *ordinals.begin()}));
    }
    return InstanceId{text, ordinals.empty() ? 0 : *ordinals.begin()};
}

Result<NodeIndex> AgentCallHandler::node_of_log(const InstanceId& id,
                                                const std::string& node) const {
    if (!node.empty()) {
        const auto index = nodes_.find(node);
        return index ? Result<NodeIndex>{*index}
                     : fail(Errc::not_found, "there is no node '" + node + "'");
    }
    const Copy* best = nullptr;
    for (const Copy& copy : copies_.placements.copies().of(*copies_.workload.find(id.task))) {
        if (copy.ordinal == id.ordinal && (best == nullptr || is_better(copy, *best))) {
            best = &copy;
        }
    }
    const std::uint32_t wanted = copies_.workload[*copies_.workload.find(id.task)].instances;
    if (best == nullptr && id.ordinal >= wanted) {
        return fail(Errc::not_found, "there is no " + to_string(id) + ": '" + id.task + "' has " +
                                         std::to_string(wanted) +
                                         " instances, numbered from 0; read the logs of a "
                                         "removed instance with --node");
    }
    if (best == nullptr) {
        return fail(Errc::not_found,
                    to_string(id) +
                        " is on no node that answers; read its logs on another node "
                        "with --node");
    }
    return best->node;
}

void AgentCallHandler::handle(const RequestContext& context, const LogsRequest& request) {
    const bool names_both = !request.node.empty() && parse_instance(request.instance);
    auto id = names_both ? Result<InstanceId>{*parse_instance(request.instance)}
                         : resolve_instance(request.instance);
    const auto home = id ? node_of_log(*id, request.node) : tl::unexpected{id.error()};
    const auto room = home ? calls_.check_room(1) : tl::unexpected{home.error()};
    if (!room) {
        context.reply(tl::unexpected{room.error()});
        return;
    }
    const std::string& name = nodes_[*home].name;
    auto& open = calls_.open(context.step.now, context.ticket(), context.request().id,
                             fail(Errc::timeout, silence_of(name)));
    open.instance = *id;
    const auto stamp = stamp_for(open, *home);
    if (!stamp) {
        open.reply = fail(Errc::timeout, "node " + name + " does not answer, and the logs of " +
                                             to_string(*id) + " are there");
        return;
    }
    context.step.output.messages.push_back(
        {*nodes_[*home].session, ReadLog{.stamp = *stamp,
                                         .id = *id,
                                         .stream = request.stream,
                                         .from = request.from,
                                         .since_ms = request.since_ms,
                                         .bytes = request.bytes}});
}

Result<std::vector<SignalView>> AgentCallHandler::signalled(const std::string& pattern) const {
    std::vector<SignalView> views;
    const auto add = [&](TaskIndex task, std::optional<Ordinal> only) {
        for (const Copy& copy : copies_.placements.copies().of(task)) {
            if (copy.reported && may_run(copy) && copy.ordinal == only.value_or(copy.ordinal)) {
                const std::string& node = nodes_[copy.node].name;
                views.push_back({{std::string{copies_.workload.name(task)}, copy.ordinal},
                                 node,
                                 silence_of(node) + "; it may still get the signal"});
            }
        }
    };
    const auto id = parse_instance(pattern);
    const auto task = id ? copies_.workload.find(id->task) : std::nullopt;
    if (task) {
        add(*task, id->ordinal);
    } else {
        const auto names = wanted_names_matching(pattern, copies_.workload);
        if (!names) {
            return tl::unexpected{names.error()};
        }
        for (const std::string& name : *names) {
            add(*copies_.workload.find(name), {});
        }
    }
    if (views.empty()) {
        return fail(Errc::not_found, "no task or instance that matches '" + pattern + "' runs");
    }
    return views;
}

void AgentCallHandler::handle(const RequestContext& context, const TaskSignalRequest& request) {
    if (calls_.is_repeated(context.ticket(), context.request().id, context.step.output.replies)) {
        return;
    }
    const std::string_view given = request.signal;
    const std::string signal{given.starts_with("SIG") ? given.substr(3) : given};
    const auto number = stop_signal_number(signal);
    auto views = number ? signalled(request.pattern)
                        : fail(number.error().code, "the signal " + number.error().detail);
    std::map<NodeIndex, std::vector<InstanceId>> by_node;
    if (views) {
        for (const SignalView& view : *views) {
            by_node[*nodes_.find(view.node)].push_back(view.id);
        }
    }
    const auto room = views ? calls_.check_room(by_node.size()) : tl::unexpected{views.error()};
    if (!room) {
        context.reply(tl::unexpected{room.error()});
        return;
    }
    context.step.emit("task.signalled", request.pattern,
                      signal + " to " + std::to_string(views->size()) + " of its instances");
    auto& open =
        calls_.open(context.step.now, context.ticket(), context.request().id,
                    ReplyBody{TaskSignalReply{.signal = signal, .instances = *std::move(views)}});
    for (auto& [index, ids] : by_node) {
        if (const auto stamp = stamp_for(open, index)) {
            context.step.output.messages.push_back(
                {*nodes_[index].session,
                 SendSignal{.stamp = *stamp, .signal = signal, .ids = ids}});
        } else {
            note_signals(open, index, nodes_[index].name + " does not answer");
        }
    }
}

void AgentCallHandler::handle(const RequestContext& context, const UsageRequest& request) {
    std::vector<std::string> names;
    for (const NodeIndex index : nodes_.by_name()) {
        names.push_back(nodes_[index].name);
    }
    auto matching = names_matching(request.nodes, std::move(names));
    const auto pattern =
        matching ? pattern::check(request.tasks) : tl::unexpected{matching.error()};
    const auto room = pattern ? calls_.check_room(matching->size()) : pattern;
    if (!room) {
        context.reply(tl::unexpected{room.error()});
        return;
    }
    UsageReply reply;
    for (const std::string& name : *matching) {
        const NodeIndex index = *nodes_.find(name);
        const Offer& offer = copies_.placements.nodes().offer(index);
        const bool is_there = nodes_[index].session && !coordinator::is_lost(nodes_[index]);
        reply.nodes.push_back({.name = name,
                               .at_us = 0,
                               .cpu_milli = offer.capacity.cpu_milli.value_or(0),
                               .memory_bytes = offer.capacity.memory_bytes.value_or(0),
                               .load_milli = facts_of(nodes_[index]).host.load_milli,
                               .detail = is_there ? silence_of(name) : "it does not answer"});
    }
    auto& open = calls_.open(context.step.now, context.ticket(), context.request().id,
                             ReplyBody{std::move(reply)});
    open.tasks = request.tasks;
    if (const StoredKey* const by = owner_of(keys_, context.input.by.key)) {
        open.pools = by->pools;
        open.of_tasks = by->tasks;
    }
    for (const std::string& name : *matching) {
        const NodeIndex index = *nodes_.find(name);
        if (const auto stamp = stamp_for(open, index)) {
            context.step.output.messages.push_back({*nodes_[index].session, Measure{*stamp}});
        }
    }
}

}  // namespace muster::coordinator
