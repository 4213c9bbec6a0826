#include <algorithm>
#include <utility>

#include "coordinator/core/state/state.hpp"

/// An operator takes over what the nodes ahead of this store know.
namespace muster::coordinator {

namespace {

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

void State::ask(const Asked& asked, const StoreAcceptRequest& request) {
    if (!request.dry_run && settle_by_id(asked)) {
        return;
    }
    StoreAcceptReply list{.dry_run = request.dry_run, .nodes = ahead_nodes()};
    Meta after = pending.proposed();
    auto taken = take_over(list.nodes, after);
    if (request.dry_run || list.nodes.empty() || !taken) {
        answer(asked, as_reply(std::move(taken), ReplyBody{std::move(list)}));
        return;
    }
    StoreAccepted accepted;
    for (const AheadNode& ahead : list.nodes) {
        if (ahead.left_out.empty()) {
            StoredNode row = stored(nodes[*nodes.find(ahead.name)]);
            row.ahead = false;
            accepted.nodes.push_back(std::move(row));
        }
    }
    for (std::string& name : proposed.names()) {
        const ProposedTask task = *proposed.find(name);
        accepted.tasks.push_back(
            {.wanted = {std::move(name), task.instances, *task.spec, *task.place},
             .generation = after.counter,
             .created = task.created});
    }
    persist_answer(asked, write_of(after, std::move(accepted),
                                   Reply{asked.request.id, ReplyBody{std::move(list)}}));
}

Result<void> State::take_over(std::vector<AheadNode>& ahead, Meta& after) const {
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

}  // namespace muster::coordinator
