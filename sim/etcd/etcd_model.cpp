#include "sim/etcd/etcd_model.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/base/ensure.hpp"
#include "coordinator/store/etcd/etcd_rules.hpp"

namespace muster::sim {

namespace {

constexpr Span usual_delay{1ms, 3ms};
constexpr Duration noticed_within = 1s;  // That a connection is broken.

Error unreachable() { return {.code = Errc::unreachable, .detail = "etcd does not answer"}; }

}  // namespace

EtcdModel::EtcdModel(World& world) : world_{world}, random_{world.options.seed ^ 0x65746364ULL} {}

std::string EtcdModel::meta_text(const coordinator::Meta& meta) const {
    return fmt::format("{} {} {} {} {}", to_string(meta.cluster), raw(meta.epoch),
                       to_string(meta.leader), raw(meta.counter), raw(meta.request_horizon));
}

// ---- the wires ----

void EtcdModel::disturbed(Instant now) { world_.checkers.on(now, ElectionDisturbed{}); }

bool EtcdModel::passes(Instant now, std::uint32_t control) {
    const bool is_lost = random_.chance(loss_, 1000);
    if (is_lost) {
        disturbed(now);
    }
    return !is_lost && is_reached_by(control);
}

Duration EtcdModel::delay(Instant now) {
    if (slowness_ == Duration{}) {
        return draw(random_, usual_delay);
    }
    disturbed(now);
    return draw(random_, Span{1ms, slowness_});
}

std::uint64_t EtcdModel::call(Instant now, std::uint32_t control, std::uint64_t life,
                              Duration patience, EtcdRequest request) {
    const std::uint64_t number = calls_.size();
    calls_.push_back(
        {.control = control, .life = life, .request = std::move(request), .answer = {}});
    world_.queue.push(now + delay(now), EtcdDue{number, EtcdDue::Stage::arrives});
    world_.queue.push(now + patience, EtcdDue{number, EtcdDue::Stage::given_up});
    return number;
}

std::optional<EtcdModel::Arrival> EtcdModel::apply(Instant now, const EtcdDue& due) {
    if (due.stage == EtcdDue::Stage::arrives) {
        arrive(now, due.call);
        return std::nullopt;
    }
    Call& call = calls_.at(due.call);
    const bool is_answer = due.stage == EtcdDue::Stage::answers;
    if (call.is_over || (is_answer && !is_reached_by(call.control))) {
        return std::nullopt;
    }
    call.is_over = true;
    std::erase(watches_, due.call);
    EtcdAnswer answer =
        is_answer ? *std::exchange(call.answer, std::nullopt) : EtcdAnswer{.error = unreachable()};
    return Arrival{.control = call.control, .life = call.life, .answer = std::move(answer)};
}

void EtcdModel::answer(Instant now, std::uint64_t number, EtcdAnswer answer) {
    Call& call = calls_.at(number);
    if (call.is_over || !passes(now, call.control)) {
        return;
    }
    call.answer = std::move(answer);
    world_.queue.push(now + delay(now), EtcdDue{number, EtcdDue::Stage::answers});
}

void EtcdModel::arrive(Instant now, std::uint64_t number) {
    const auto request = std::exchange(calls_.at(number).request, std::nullopt);
    if (!passes(now, calls_.at(number).control)) {
        return;
    }
    world_.checkers.on(now, EtcdReached{});
    EtcdAnswer result;
    if (const auto* const key = std::get_if<ReadKey>(&*request)) {
        result.read = read(key->key);
        result.rows.meta = world_.store.durable().meta;
    } else if (std::holds_alternative<ReadRows>(*request)) {
        result.rows = world_.store.durable();
        result.read = read(keys_.commit());
    } else if (const auto* const write = std::get_if<CommitTo>(&*request)) {
        result = commit(now, *write);
    } else if (const auto* const grant = std::get_if<GrantLease>(&*request)) {
        const coordinator::LeaseId lease{++last_lease_};
        leases_[lease] = {.lasts = grant->lasts, .ends = now + grant->lasts};
        world_.queue.push(now + grant->lasts, EtcdLeaseDue{last_lease_});
        result.lease = {.id = lease, .lasts = grant->lasts};
    } else if (const auto* const renewal = std::get_if<RenewLease>(&*request)) {
        const auto at = leases_.find(renewal->lease);
        if (at == leases_.end()) {
            result.error = Error{.code = Errc::not_found, .detail = "no such lease"};
        } else {
            at->second.ends = now + at->second.lasts;
            world_.queue.push(at->second.ends,
                              EtcdLeaseDue{static_cast<std::int64_t>(renewal->lease)});
            result.lease = {.id = renewal->lease, .lasts = at->second.lasts};
        }
    } else if (const auto* const revoked = std::get_if<RevokeLease>(&*request)) {
        remove_lease(now, revoked->lease);
    } else if (const auto& watch = std::get<AwaitChange>(*request);
               static_cast<std::int64_t>(watch.since) < compacted_) {
        result.error = Error{.code = Errc::store_failed, .detail = "the revision was compacted"};
    } else if (leader_changed_ <= static_cast<std::int64_t>(watch.since)) {
        watches_.push_back(number);
        return;
    }
    answer(now, number, std::move(result));
}

// ---- what it holds ----

etcd::Snapshot EtcdModel::read(const std::string& key) const {
    etcd::Snapshot snapshot{.at = etcd::Revision{revision_}, .pairs = {}};
    if (const auto at = pairs_.find(key); at != pairs_.end()) {
        snapshot.pairs.push_back(at->second);
    } else if (key == meta_key()) {
        snapshot.pairs.push_back({.key = key, .value = meta_text(world_.store.durable().meta)});
    }
    return snapshot;
}

bool EtcdModel::holds(const etcd::Condition& condition) const {
    if (const auto* const absent = std::get_if<etcd::IsAbsent>(&condition)) {
        return read(absent->key).pairs.empty();
    }
    if (const auto* const made = std::get_if<etcd::WasMade>(&condition)) {
        const auto found = read(made->key);
        return !found.pairs.empty() && found.pairs.front().created == made->at;
    }
    const auto& same = std::get<etcd::HasValue>(condition);
    const auto found = read(same.key);
    return !found.pairs.empty() && found.pairs.front().value == same.value;
}

EtcdAnswer EtcdModel::commit(Instant now, const CommitTo& call) {
    EtcdAnswer result;
    const auto& [conditions, operations] = call.transaction;
    if (!std::ranges::all_of(conditions, [&](const auto& one) { return holds(one); })) {
        result.committed.at = etcd::Revision{revision_};
        return result;
    }
    for (const etcd::Operation& operation : operations) {
        const auto& put = std::get<etcd::Put>(operation);
        if (put.lease != coordinator::LeaseId{} && !leases_.contains(put.lease)) {
            result.error = Error{.code = Errc::store_failed, .detail = "no such lease"};
            return result;
        }
    }
    ++revision_;
    bool takes_lead = false;
    for (const etcd::Operation& operation : operations) {
        const auto& one = std::get<etcd::Put>(operation);
        takes_lead = takes_lead || one.key == keys_.leader();
        if (one.key != meta_key()) {  // That one follows from the rows.
            put(one);
        }
    }
    if (takes_lead) {
        show_writes(now);
        world_.trace.line(now, "etcd: {} has the lead, epoch {}", name_of_control(call.by),
                          raw(call.epoch));
        world_.checkers.on(now, LeaderKeyMade{call.by, call.epoch});
        leader_changed(now);
    } else {
        world_.checkers.on(now, EtcdWritten{call.by, call.epoch});
        unshown_.insert(unshown_.end(), call.rows.begin(), call.rows.end());
    }
    world_.store.make_durable(call.rows);
    result.committed = {.done = true, .at = etcd::Revision{revision_}};
    return result;
}

void EtcdModel::put(const etcd::Put& put) {
    etcd::Pair& pair = pairs_[put.key];
    if (pair.key.empty()) {
        pair.created = etcd::Revision{revision_};
    }
    pair = {.key = put.key,
            .value = put.value,
            .created = pair.created,
            .changed = etcd::Revision{revision_},
            .lease = put.lease};
}

void EtcdModel::show_writes(Instant now) {
    if (!unshown_.empty()) {
        const auto writes = std::exchange(unshown_, {});
        world_.checkers.on(now, Committed{writes, world_.store.durable()});
        ++world_.changes;
    }
}

void EtcdModel::end_lease(Instant now, const EtcdLeaseDue& due) {
    const coordinator::LeaseId lease{due.lease};
    const auto at = leases_.find(lease);
    if (at != leases_.end() && !is_down_ && now >= at->second.ends) {
        remove_lease(now, lease);
    }
}

void EtcdModel::remove_lease(Instant now, coordinator::LeaseId lease) {
    leases_.erase(lease);
    const auto leader = pairs_.find(keys_.leader());
    if (leader != pairs_.end() && leader->second.lease == lease) {
        world_.trace.line(now, "etcd: nobody has the lead");
        pairs_.erase(leader);
        ++revision_;
        leader_changed(now);
    }
}

void EtcdModel::leader_changed(Instant now) {
    leader_changed_ = revision_;
    for (const std::uint64_t watch : std::exchange(watches_, {})) {
        answer(now, watch, {});
    }
}

// ---- faults ----

void EtcdModel::break_watches(Instant now, std::optional<std::uint32_t> control) {
    for (const std::uint64_t watch : watches_) {
        if (!control || calls_.at(watch).control == *control) {
            world_.queue.push(now + noticed_within, EtcdDue{watch, EtcdDue::Stage::given_up});
        }
    }
}

void EtcdModel::cut(Instant now, std::uint32_t control) {
    cut_.insert(control);
    break_watches(now, control);
    disturbed(now);
}

void EtcdModel::heal(Instant now, std::uint32_t control) {
    cut_.erase(control);
    disturbed(now);
}

void EtcdModel::go_down(Instant now) {
    is_down_ = true;
    break_watches(now, std::nullopt);
    disturbed(now);
}

void EtcdModel::come_up(Instant now) {
    if (std::exchange(is_down_, false)) {
        for (auto& [id, lease] : leases_) {
            lease.ends = now + lease.lasts;
            world_.queue.push(lease.ends, EtcdLeaseDue{static_cast<std::int64_t>(id)});
        }
        disturbed(now);
    }
}

void EtcdModel::slow_down(Instant now, Duration most) {
    slowness_ = most;
    disturbed(now);
}

void EtcdModel::lose(Instant now, std::uint32_t per_mille) {
    loss_ = per_mille;
    disturbed(now);
}

void EtcdModel::calm(Instant now) {
    come_up(now);
    cut_.clear();
    slowness_ = {};
    loss_ = 0;
    disturbed(now);
}

}  // namespace muster::sim
