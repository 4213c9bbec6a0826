#include "coordinator/core/planning/index/candidates.hpp"

#include <utility>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

namespace {

/// A class that missed more changed offers than this is built again.
constexpr std::size_t offers_remembered = 1'024;

std::string key_of(const PlacementRule& rule) {
    std::string key = rule.pool + '\n' + std::to_string(rule.request.cpu_milli) + ' ' +
                      std::to_string(rule.request.memory_bytes) + ' ' +
                      std::to_string(rule.request.slots);
    for (const Constraint& constraint : rule.constraints) {
        key += '\n' + to_string(constraint);
    }
    return key;
}

bool is_plain(const PlacementRule& rule) {
    return rule.constraints.empty() && rule.request == Resources{.slots = 1} &&
           rule.pool == default_pool;
}

}  // namespace

Candidates::Candidates(const Placements& placements, const Homes& homes,
                       const ResourceLedger& ledger)
    : placements_{placements}, homes_{homes}, ledger_{ledger}, classes_(1) {}

ClassIndex Candidates::acquire(const PlacementRule& rule) {
    if (is_plain(rule)) {
        return plain;
    }
    std::string key = key_of(rule);
    const auto [found, is_new] = by_key_.try_emplace(key, ClassIndex{});
    if (is_new) {
        if (free_.empty()) {
            free_.push_back(static_cast<ClassIndex>(classes_.size()));
            classes_.emplace_back();
        }
        found->second = free_.back();
        free_.pop_back();
        Class& one = classes_[raw(found->second)];
        one.rule.pool = rule.pool;
        one.rule.constraints = rule.constraints;
        one.rule.request = rule.request;
        one.key = std::move(key);
    }
    classes_[raw(found->second)].users += 1;
    return found->second;
}

void Candidates::release(ClassIndex of) {
    if (of == plain) {
        return;
    }
    Class& one = classes_[raw(of)];
    ensure(one.users > 0, "a class is given back as often as it was taken");
    if (--one.users == 0) {
        by_key_.erase(one.key);
        one = Class{};
        free_.push_back(of);
    }
}

void Candidates::offer_changed(NodeIndex node) {
    if (offers_.size() >= offers_remembered) {
        offers_begin_ += offers_.size();
        offers_.clear();
    }
    offers_.push_back(node);
    auto was_foreign = made_at(is_foreign_, node);
    const bool is_foreign =
        placements_.nodes().is_known(node) && placements_.nodes().offer(node).pool != default_pool;
    foreign_ += is_foreign ? 1U : 0U;
    foreign_ -= was_foreign ? 1U : 0U;
    was_foreign = is_foreign;
}

bool Candidates::accepts(const PlacementRule& rule, NodeIndex node) const {
    return placements_.nodes().is_known(node) &&
           judge_offer(rule, placements_.nodes().name(node), placements_.nodes().offer(node)) ==
               Verdict::fits;
}

Candidates::Class& Candidates::brought_up(ClassIndex of) {
    Class& one = classes_[raw(of)];
    if (one.is_new || one.offers_seen < offers_begin_) {
        judge_all(one);
    } else if (one.offers_seen < offers_end()) {
        judge_changed(one);
    }
    one.is_new = false;
    one.offers_seen = offers_end();
    if (one.ranks_seen != ranks_version_) {
        one.ranks_seen = ranks_version_;
        const Loads& loads = homes_.loads();
        one.among = NodeSet{loads.known()};
        one.from = {};
        for (Rank rank = 0; rank < loads.known(); ++rank) {
            if (one.member[raw(loads.at(rank))]) {
                one.among.set(rank);
            }
        }
    }
    return one;
}

void Candidates::judge_all(Class& one) const {
    one.member.assign(is_foreign_.size(), false);
    one.why = Verdict::fits;
    one.ranks_seen = 0;  // brought_up() builds all of `among`.
    for (const NodeIndex node : placements_.nodes().by_name()) {
        one.member[raw(node)] = accepts(one.rule, node);
    }
}

void Candidates::judge_changed(Class& one) const {
    one.member.resize(is_foreign_.size());
    one.from = {};
    one.why = Verdict::fits;
    for (std::uint64_t at = one.offers_seen; at < offers_end(); ++at) {
        const NodeIndex node = offers_[at - offers_begin_];
        const bool is_member = accepts(one.rule, node);
        one.member[raw(node)] = is_member;
        const Rank rank = homes_.loads().rank(node);
        if (one.ranks_seen != ranks_version_ || rank == no_rank) {
            continue;  // brought_up() builds all of `among`.
        }
        if (is_member) {
            one.among.set(rank);
        } else {
            one.among.reset(rank);
        }
    }
}

Verdict Candidates::why_none(ClassIndex of) {
    if (is_trivial(of)) {
        return Verdict::fits;
    }
    Class& one = brought_up(of);
    Loads::Cursor first;
    if (next({.of = of}, first, [](NodeIndex) { return true; })) {
        return Verdict::fits;
    }
    const std::size_t serving = homes_.loads().serving();
    if (one.why != Verdict::fits && one.why_serving == serving) {
        return one.why;
    }
    one.why_serving = serving;
    std::array<std::uint32_t, verdicts> counts{};
    Loads::Cursor cursor;
    static_cast<void>(homes_.loads().next(cursor, [&](NodeIndex node) {
        const Verdict offer =
            judge_offer(one.rule, placements_.nodes().name(node), placements_.nodes().offer(node));
        const Verdict verdict = offer == Verdict::fits ? judge_room(of, node) : offer;
        counts[static_cast<std::size_t>(verdict)] += 1;
        return false;
    }));
    // The reason that came nearest to a fit says most; nodes of other pools say least.
    const auto is_any = [&](Verdict verdict) { return counts[static_cast<std::size_t>(verdict)]; };
    const auto rooms = {Verdict::cpu, Verdict::memory, Verdict::slots};
    const Verdict room = *std::ranges::max_element(rooms, {}, is_any);
    if (is_any(room) > 0) {
        one.why = room;
    } else if (suits_elsewhere(one)) {
        one.why = Verdict::not_serving;
    } else {
        one.why = is_any(Verdict::label) > 0 ? Verdict::label : Verdict::pool;
    }
    return one.why;
}

/// True if some node suits, but does not serve now.
bool Candidates::suits_elsewhere(const Class& one) const {
    return std::ranges::any_of(placements_.nodes().by_name(), [&](NodeIndex node) {
        return one.member[raw(node)] && !placements_.nodes().is_serving(node);
    });
}

/// The place before which no node has room for the class.
Loads::Cursor& Candidates::place_of(Class& one) const {
    if (std::exchange(one.falls_seen, falls()) != falls()) {
        one.from = {};
        one.why = Verdict::fits;
    }
    return one.from;
}

}  // namespace muster::coordinator
