#include "coordinator/core/pools/demand.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/base/limits.hpp"

namespace muster::coordinator {

namespace {

constexpr Duration looked_through_every = 1s;

}  // namespace

Result<bool> Demand::take(Instant now, const Advert& advert) {
    if (auto room = check_room(advert); !room) {
        return tl::unexpected{std::move(room.error())};
    }
    Reporter& reporter = reporters_[advert.reporter];
    const bool has_order = advert.life != 0 || advert.sequence != 0;
    if (has_order &&
        std::tie(advert.life, advert.sequence) <= std::tie(reporter.life, reporter.sequence)) {
        return false;
    }
    if (has_order) {
        reporter.life = advert.life;
        reporter.sequence = advert.sequence;
    }
    const Instant until = now + advert.lasts;
    reporter.until = std::max(reporter.until, until);
    for (std::size_t place = 0; place < advert.needs.size(); ++place) {
        const auto& [name, amount] = advert.needs[place];
        Claim* claim = find(reporter, place, name);
        if (amount == 0) {
            if (claim != nullptr) {
                remove(reporter, static_cast<std::size_t>(claim - reporter.claims.data()));
            }
            continue;
        }
        if (claim == nullptr) {
            claim = &reporter.claims.emplace_back(Claim{.pool = pool_of(name)});
            ++pools_[index_of(claim->pool)].reporters;
            ++claims_;
        }
        Pool& pool = pools_[index_of(claim->pool)];
        if (claim->amount != amount) {
            note_change(pool, changed_);
        }
        pool.total += amount;
        pool.total -= claim->amount;
        claim->amount = amount;
        claim->until = until;
    }
    next_ = next_.value_or(now + looked_through_every);
    return true;
}

Result<void> Demand::check_room(const Advert& advert) const {
    const auto reporter = reporters_.find(advert.reporter);
    const bool is_known = reporter != reporters_.end();
    const std::size_t own = is_known ? reporter->second.claims.size() : 0;
    const auto wanted = static_cast<std::size_t>(
        std::ranges::count_if(advert.needs, [](const PoolNeed& need) { return need.amount > 0; }));
    const std::size_t added = own >= wanted ? 0 : wanted;  // What is taken back needs no room.
    if (claims_ + added > limits::demand_claims ||
        (!is_known && reporters_.size() == limits::demand_reporters)) {
        return fail(Errc::too_large, "there is room for " +
                                         std::to_string(limits::demand_reporters) +
                                         " reporters and " + std::to_string(limits::demand_claims) +
                                         " amounts of demand in all, and no more");
    }
    std::size_t new_pools = 0;
    for (std::size_t place = 0; place < advert.needs.size(); ++place) {
        const PoolNeed& need = advert.needs[place];
        // Most adverts name the same pools in the same order each time.
        const bool is_claimed =
            place < own && pools_[index_of(reporter->second.claims[place].pool)].name == need.pool;
        new_pools += need.amount > 0 && !is_claimed && !by_name_.contains(need.pool) ? 1U : 0U;
    }
    if (by_name_.size() + new_pools > limits::demand_pools) {
        return fail(Errc::too_large, "there is room for demand of " +
                                         std::to_string(limits::demand_pools) +
                                         " pools, and no more");
    }
    return {};
}

void Demand::note_change(Pool& pool, std::vector<std::string>& changed) {
    if (!pool.changed) {
        pool.changed = true;
        changed.push_back(pool.name);
    }
}

std::vector<std::string> Demand::take_changed() {
    for (const std::string& name : changed_) {
        if (const auto known = by_name_.find(name); known != by_name_.end()) {
            pools_[index_of(known->second)].changed = false;
        }
    }
    return std::exchange(changed_, {});
}

PoolIndex Demand::pool_of(const std::string& name) {
    const auto known = by_name_.find(name);
    if (known != by_name_.end()) {
        return known->second;
    }
    PoolIndex index{static_cast<std::uint32_t>(pools_.size())};
    if (free_.empty()) {
        pools_.emplace_back();
    } else {
        index = free_.back();
        free_.pop_back();
    }
    pools_[index_of(index)] = Pool{.name = name};
    by_name_.emplace(name, index);
    return index;
}

Demand::Claim* Demand::find(Reporter& reporter, std::size_t place, const std::string& pool) {
    auto& claims = reporter.claims;
    if (place < claims.size() && pools_[index_of(claims[place].pool)].name == pool) {
        return &claims[place];
    }
    const auto known = by_name_.find(pool);
    if (known == by_name_.end()) {
        return nullptr;
    }
    const auto found = std::ranges::find(claims, known->second, &Claim::pool);
    return found == claims.end() ? nullptr : &*found;
}

void Demand::remove(Reporter& reporter, std::size_t place) {
    const auto claim = reporter.claims.begin() + static_cast<std::ptrdiff_t>(place);
    Pool& pool = pools_[index_of(claim->pool)];
    pool.total -= claim->amount;
    note_change(pool, changed_);
    if (--pool.reporters == 0) {
        by_name_.erase(pool.name);
        free_.push_back(claim->pool);
        pool = {};
    }
    reporter.claims.erase(claim);
    --claims_;
}

std::vector<Demand::Dropped> Demand::drop_overdue(Instant now) {
    std::vector<Dropped> dropped;
    if (!next_ || now < *next_) {
        return dropped;
    }
    for (auto at = reporters_.begin(); at != reporters_.end();) {
        auto& [name, reporter] = *at;
        Dropped of_reporter{.reporter = name, .needs = {}};
        for (std::size_t place = 0; place < reporter.claims.size();) {
            const Claim& claim = reporter.claims[place];
            if (claim.until > now) {
                ++place;
                continue;
            }
            of_reporter.needs.push_back({pools_[index_of(claim.pool)].name, claim.amount});
            remove(reporter, place);
        }
        if (!of_reporter.needs.empty()) {
            dropped.push_back(std::move(of_reporter));
        }
        at = reporter.claims.empty() && reporter.until <= now ? reporters_.erase(at) : ++at;
    }
    next_ = reporters_.empty() ? std::nullopt : std::optional{now + looked_through_every};
    return dropped;
}

Amount Demand::total(const std::string& pool) const {
    const auto known = by_name_.find(pool);
    return known == by_name_.end() ? 0 : pools_[index_of(known->second)].total;
}

std::uint32_t Demand::reporters_of(PoolIndex pool) const {
    return pools_[index_of(pool)].reporters;
}

}  // namespace muster::coordinator
