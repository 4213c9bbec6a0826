#include "coordinator/core/ledger/reply_cache.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "common/base/fnv.hpp"
#include "common/base/limits.hpp"
#include "common/codec/verb_table.hpp"

namespace muster::coordinator {

namespace {

void feed(Fnv& fnv, const WantedTask& task) {
    fnv.text(task.name);
    fnv.number(task.instances);
    fnv.id(digest_of(task.spec));
    if (task.place != PlacementRule{}) {  // A stored digest may be from before there were rules.
        feed_placement(fnv, task.place);
    }
}

// A stored digest may be from before `force` was part of it.
void feed_force(Fnv& fnv, bool force) {
    if (force) {
        fnv.text("force");
    }
}

// Each kind of change begins with a number of its own.

void feed(Fnv& fnv, const ApplyRequest& apply) {
    fnv.number(1);
    fnv.number(apply.replace ? 1 : 0);
    for (const WantedTask& task : apply.tasks) {
        feed(fnv, task);
    }
    feed_force(fnv, apply.force);
}
void feed(Fnv& fnv, const TaskAddRequest& add) {
    fnv.number(2);
    feed(fnv, add.task);
    feed_force(fnv, add.force);
}
void feed(Fnv& fnv, const TaskRemoveRequest& remove) {
    fnv.number(3);
    fnv.text(remove.pattern);
}
void feed(Fnv& fnv, const TaskScaleRequest& scale) {
    fnv.number(4);
    fnv.text(scale.pattern);
    fnv.number(scale.instances);
}
void feed(Fnv& fnv, const TaskRestartRequest& restart) {
    fnv.number(5);
    fnv.text(restart.pattern);
}
void feed(Fnv& fnv, const StoreAcceptRequest& /*accept*/) { fnv.number(6); }

void feed(Fnv& fnv, const Occasion& why) {
    fnv.text(why.reason);
    fnv.text(why.author);
}
void feed(Fnv& fnv, const std::vector<ListedNode>& nodes) {
    fnv.number(nodes.size());
    for (const ListedNode& node : nodes) {
        fnv.text(node.name);
        fnv.text(node.pool);
    }
}
void feed(Fnv& fnv, const NodeOfflineRequest& offline) {
    fnv.number(7);
    fnv.text(offline.pattern);
    feed(fnv, offline.why);
}
void feed(Fnv& fnv, const NodeOnlineRequest& online) {
    fnv.number(8);
    fnv.text(online.pattern);
    feed(fnv, online.why);
}
void feed(Fnv& fnv, const NodeDrainRequest& drain) {
    fnv.number(9);
    fnv.text(drain.pattern);
    fnv.number(drain.deadline_ms);
    fnv.number(drain.force ? 1 : 0);
    feed(fnv, drain.why);
}
void feed(Fnv& fnv, const NodeAddRequest& add) {
    fnv.number(10);
    feed(fnv, add.nodes);
    feed(fnv, add.why);
}
void feed(Fnv& fnv, const NodeRemoveRequest& remove) {
    fnv.number(11);
    fnv.text(remove.pattern);
    fnv.number(remove.force ? 1 : 0);
    feed(fnv, remove.why);
}
void feed(Fnv& fnv, const NodeApplyRequest& apply) {
    fnv.number(12);
    feed(fnv, apply.nodes);
    fnv.number(apply.force ? 1 : 0);
    feed(fnv, apply.why);
}
void feed(Fnv& fnv, const LimitSetRequest& limit) {
    fnv.number(13);
    fnv.text(limit.name);
    fnv.number(limit.value ? std::uint64_t{*limit.value} + 1 : 0);
}
void feed(Fnv& fnv, const NodeForgiveRequest& forgive) {
    fnv.number(14);
    fnv.text(forgive.pattern);
    feed(fnv, forgive.why);
}
void feed(Fnv& fnv, const FreezeOnRequest& freeze) {
    fnv.number(15);
    feed(fnv, freeze.why);
}
void feed(Fnv& fnv, const FreezeOffRequest& freeze) {
    fnv.number(16);
    feed(fnv, freeze.why);
}

template <class Body>
Digest digest_of_body(const Body& body) {
    Fnv fnv;
    if constexpr (codec::verb_row<Body>().access == codec::Access::change) {
        feed(fnv, body);
        return fnv.digest();
    }
    return Digest{};
}

}  // namespace

Digest digest_of(const CoreRequestBody& change) {
    return std::visit([](const auto& body) { return digest_of_body(body); }, change);
}

Digest digest_of(const RequestBody& change) {
    return std::visit(
        []<class Body>(const Body& body) {
            if constexpr (std::is_constructible_v<CoreRequestBody, Body>) {
                return digest_of_body(body);
            }
            return Digest{};
        },
        change);
}

Digest digest_of(const FromOperator& asked) {
    return asked.digest.is_none() ? digest_of(asked.request->body) : asked.digest;
}

std::size_t weight_of(const Reply& reply) {
    if (!reply.result) {
        return 1;
    }
    if (const auto* nodes = std::get_if<NodesChangeReply>(&*reply.result)) {
        return 1 + nodes->changes.size();
    }
    const auto* change = std::get_if<ChangeReply>(&*reply.result);
    return 1 + (change == nullptr ? 0 : change->changes.size());
}

Error conflict() {
    return {
        Errc::conflict,
        "the request id was used for another request; make a new one for each, and use it again "
        "only to repeat the same"};
}

CivilMs time_of(const RequestId& id) {
    return static_cast<CivilMs>(static_cast<std::int64_t>(id.high >> 16U));
}

ReplyCache::ReplyCache(CivilMs horizon, std::span<const StoredRequest> stored)
    : proposed_horizon_{horizon} {
    for (const StoredRequest& request : stored) {
        remember(request.reply, request.asked);
    }
}

Shared<Reply> ReplyCache::answer_to(const FromOperator& asked) const {
    const auto found = answers_.find(asked.request->id);
    if (found == answers_.end()) {
        return {};
    }
    const Answer& answer = found->second;
    return answer.asked == digest_of(asked)
               ? answer.reply
               : Shared{Reply{asked.request->id, tl::unexpected{conflict()}}};
}

std::optional<Error> ReplyCache::refusal_of(const RequestId& id, std::optional<CivilMs> now) const {
    if (time_of(id) <= proposed_horizon_) {
        const bool is_set_back = now && *now < proposed_horizon_;
        return Error{
            Errc::stale_request,
            is_set_back
                ? "the coordinator's clock was set back behind request ids that it has taken and "
                  "dropped since; set the clocks right and ask again with a new id"
                : "the request id is older than what is remembered; ask again with a new id"};
    }
    if (now && raw(time_of(id)) > raw(*now) + to_ms(limits::request_id_ahead)) {
        return Error{
            Errc::stale_request,
            "the request id is a UUIDv7 of over an hour ahead of the coordinator's clock, or "
            "none at all; set the clocks right and ask again with a new UUIDv7"};
    }
    if (now && time_of(id) > *now && !has_room_after(*now)) {
        return Error{Errc::busy,
                     "the request id is ahead of the coordinator's clock, and so are too many that "
                     "are kept already; set the clocks right, or try again later"};
    }
    return std::nullopt;
}

bool ReplyCache::has_room_after(CivilMs now) const {
    const RequestId first{static_cast<std::uint64_t>(raw(now) + 1) << 16U, 0};
    std::size_t count = 0;
    std::size_t weight = 0;
    const auto fill_it = [&](std::size_t of_answer) {
        weight += of_answer;
        return ++count >= limits::requests_ahead || weight >= limits::request_changes_ahead;
    };
    return std::none_of(answers_.lower_bound(first), answers_.end(),
                        [&](const auto& kept) { return fill_it(weight_of(*kept.second.reply)); }) &&
           std::none_of(proposed_.lower_bound(first), proposed_.end(),
                        [&](const auto& proposed) { return fill_it(proposed.second); });
}

CivilMs ReplyCache::next_horizon(std::optional<CivilMs> now) {
    const auto oldest_kept = now ? raw(*now) - to_ms(limits::request_id_kept) : std::int64_t{0};
    std::size_t count = answers_.size();
    std::size_t weight = weight_;
    for (const auto& [id, answer] : answers_) {
        const bool is_full =
            count >= limits::requests_kept || weight >= limits::request_changes_kept;
        const bool is_gone = time_of(id) <= proposed_horizon_;
        if (!is_full && !is_gone && raw(time_of(id)) >= oldest_kept) {
            break;
        }
        proposed_horizon_ = std::max(proposed_horizon_, time_of(id));
        --count;
        weight -= weight_of(*answer.reply);
    }
    return proposed_horizon_;
}

void ReplyCache::propose(const Reply& reply) { proposed_.emplace(reply.id, weight_of(reply)); }

void ReplyCache::remember(const Shared<Reply>& reply, const Digest& asked) {
    const RequestId id = reply->id;
    const std::size_t weight = weight_of(*reply);
    proposed_.erase(id);
    if (answers_.emplace(id, Answer{reply, asked}).second) {
        weight_ += weight;
    }
}

void ReplyCache::drop_up_to(CivilMs horizon) {
    while (!answers_.empty() && time_of(answers_.begin()->first) <= horizon) {
        weight_ -= weight_of(*answers_.begin()->second.reply);
        answers_.erase(answers_.begin());
    }
}

}  // namespace muster::coordinator
