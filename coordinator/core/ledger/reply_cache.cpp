#include "coordinator/core/ledger/reply_cache.hpp"

#include <algorithm>
#include <concepts>
#include <string_view>
#include <type_traits>
#include <variant>

#include "common/base/fnv.hpp"
#include "common/base/limits.hpp"
#include "common/codec/verb_table.hpp"

namespace muster::coordinator {

namespace {

void hash_into(Fnv& fnv, std::string_view text) { fnv.text(text); }
void hash_into(Fnv& fnv, std::integral auto number) { fnv.number(std::uint64_t{number}); }
void hash_into(Fnv& fnv, const std::vector<std::string>& texts);
void hash_into(Fnv& fnv, const Occasion& why) {
    fnv.text(why.reason);
    fnv.text(why.author);
}
void hash_into(Fnv& fnv, const std::vector<ListedNode>& nodes) {
    fnv.number(nodes.size());
    for (const ListedNode& node : nodes) {
        fnv.text(node.name);
        fnv.text(node.pool);
    }
}
void hash_into(Fnv& fnv, const WantedTask& task) {
    fnv.text(task.name);
    fnv.number(task.instances);
    fnv.id(digest_of(task.spec));
    if (task.place != PlacementRule{}) {  // Stored digests may be older than placement rules.
        hash_placement(fnv, task.place);
    }
}
void hash_into(Fnv& fnv, const std::vector<WantedTask>& tasks) {
    for (const WantedTask& task : tasks) {
        hash_into(fnv, task);
    }
}

/// Hashed only if it is set, because stored digests may be older than `force`.
struct Force {
    bool force = false;
};
void hash_into(Fnv& fnv, Force forced) {
    if (forced.force) {
        fnv.text("force");
    }
}

/// Each kind of change begins with a number of its own.
template <std::uint64_t Kind>
void all(Fnv& fnv, const auto&... parts) {
    fnv.number(Kind);
    (hash_into(fnv, parts), ...);
}

void hash_into(Fnv& f, const ApplyRequest& it) { all<1>(f, it.replace, it.tasks, Force{it.force}); }
void hash_into(Fnv& f, const TaskAddRequest& it) { all<2>(f, it.task, Force{it.force}); }
void hash_into(Fnv& f, const TaskRemoveRequest& it) { all<3>(f, it.pattern); }
void hash_into(Fnv& f, const TaskScaleRequest& it) { all<4>(f, it.pattern, it.instances); }
void hash_into(Fnv& f, const TaskRestartRequest& it) { all<5>(f, it.pattern); }
void hash_into(Fnv& f, const StoreAcceptRequest& /*it*/) { all<6>(f); }
void hash_into(Fnv& f, const NodeOfflineRequest& it) { all<7>(f, it.pattern, it.why); }
void hash_into(Fnv& f, const NodeOnlineRequest& it) { all<8>(f, it.pattern, it.why); }
void hash_into(Fnv& f, const NodeDrainRequest& it) {
    all<9>(f, it.pattern, it.deadline_ms, it.force, it.why);
}
void hash_into(Fnv& f, const NodeAddRequest& it) { all<10>(f, it.nodes, it.why); }
void hash_into(Fnv& f, const NodeRemoveRequest& it) { all<11>(f, it.pattern, it.force, it.why); }
void hash_into(Fnv& f, const NodeApplyRequest& it) { all<12>(f, it.nodes, it.force, it.why); }
void hash_into(Fnv& f, const LimitSetRequest& it) {
    all<13>(f, it.name, it.value ? std::uint64_t{*it.value} + 1 : 0);
}
void hash_into(Fnv& f, const NodeForgiveRequest& it) { all<14>(f, it.pattern, it.why); }
void hash_into(Fnv& f, const FreezeOnRequest& it) { all<15>(f, it.why); }
void hash_into(Fnv& f, const FreezeOffRequest& it) { all<16>(f, it.why); }

void hash_into(Fnv& fnv, const std::vector<std::string>& texts) {
    fnv.number(texts.size());
    for (const std::string& text : texts) {
        fnv.text(text);
    }
}
void hash_into(Fnv& f, const KeyAddRequest& it) {
    all<17>(f, it.name, static_cast<std::uint64_t>(it.role), it.key, it.valid_ms, it.pools,
            it.tasks, it.why);
}
void hash_into(Fnv& f, const KeyRevokeRequest& it) { all<18>(f, it.pattern, it.why); }
void hash_into(Fnv& f, const KeyRemoveRequest& it) { all<19>(f, it.pattern, it.why); }
void hash_into(Fnv& f, const KeyRotateRequest& it) { all<24>(f, it.name, it.why); }
void hash_into(Fnv& f, const KeyRenewRequest& it) { all<25>(f, it.key, it.why); }
void hash_into(Fnv& f, const NodeAcceptRequest& it) { all<20>(f, it.name, it.fingerprint, it.why); }
void hash_into(Fnv& f, const TokenCreateRequest& it) {
    all<21>(f, it.pattern, it.hash, it.ttl_ms, it.uses, it.why);
}
void hash_into(Fnv& f, const TokenRevokeRequest& it) { all<22>(f, it.id, it.why); }
void hash_into(Fnv& f, const EnrolRequest& it) { all<23>(f, it.name, it.secret); }

void hash_into(Fnv& f, const SecretSetRequest& it) { all<26>(f, it.name, it.value, it.why); }
void hash_into(Fnv& f, const SecretRemoveRequest& it) { all<27>(f, it.name, it.why); }
void hash_into(Fnv& f, const UpgradeFinishRequest& /*it*/) { all<28>(f); }
void hash_into(Fnv& f, const CoordinatorResignRequest& /*it*/) { all<29>(f); }

void hash_into(Fnv& f, const PoolChanges& it) {
    const auto one = [&](const auto& value) {
        using Value = typename std::decay_t<decltype(value)>::value_type;
        f.number(value ? 1 : 0);
        if constexpr (std::is_same_v<Value, std::string>) {
            f.text(value.value_or(""));
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
            hash_into(f, value.value_or(Value{}));
        } else {
            f.number(value ? static_cast<std::uint64_t>(*value) : 0);
        }
    };
    const auto all_of = [&](const auto&... values) { (one(values), ...); };
    all_of(it.unit, it.provider, it.predictor, it.min, it.max, it.step, it.drain_budget,
           it.node_amount, it.arrive_within_ms, it.max_drain_ms, it.up_cooldown_ms,
           it.down_cooldown_ms, it.demand_ttl_ms, it.schedule, it.zone, it.shadow, it.match);
}
template <std::uint64_t Kind>
void all_of_pool(Fnv& f, const auto& it) {
    f.number(Kind);
    f.text(it.name);
    hash_into(f, it.changes);
    hash_into(f, it.why);
}
void hash_into(Fnv& f, const PoolCreateRequest& it) { all_of_pool<30>(f, it); }
void hash_into(Fnv& f, const PoolSetRequest& it) { all_of_pool<31>(f, it); }
void hash_into(Fnv& f, const PoolRemoveRequest& it) { all<32>(f, it.name, it.why); }
void hash_into(Fnv& f, const PoolPauseRequest& it) { all<33>(f, it.name, it.why); }
void hash_into(Fnv& f, const PoolResumeRequest& it) { all<34>(f, it.name, it.why); }

template <class Body>
Digest digest_of_body(const Body& body) {
    Fnv fnv;
    if constexpr (codec::verb_row<Body>().access == codec::Access::change) {
        hash_into(fnv, body);
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

Digest digest_of(const FromOperator& input) {
    const Digest digest = input.digest.is_none() ? digest_of(input.request->body) : input.digest;
    if (digest.is_none() || input.by.key.is_none()) {
        return digest;
    }
    Fnv fnv;  // The same words of another key are another request.
    fnv.id(digest);
    fnv.text(to_string(input.by.key));
    return fnv.digest();
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
        remember(request.reply, request.request_digest);
    }
}

Shared<Reply> ReplyCache::answer_to(const FromOperator& input) const {
    const auto found = answers_.find(input.request->id);
    if (found == answers_.end()) {
        return {};
    }
    const Answer& answer = found->second;
    return answer.request_digest == digest_of(input)
               ? answer.reply
               : Shared{Reply{input.request->id, tl::unexpected{conflict()}}};
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

void ReplyCache::remember(const Shared<Reply>& reply, const Digest& request_digest) {
    const RequestId id = reply->id;
    const std::size_t weight = weight_of(*reply);
    proposed_.erase(id);
    if (answers_.emplace(id, Answer{reply, request_digest}).second) {
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
