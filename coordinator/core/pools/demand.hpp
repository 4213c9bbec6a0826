#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/pools/forecast/need_sample.hpp"

namespace muster::coordinator {

/// How much of a pool somebody needs.
struct PoolNeed {
    std::string pool;
    Amount amount = 0;

    friend bool operator==(const PoolNeed&, const PoolNeed&) = default;
};

/// The place of a pool among those that are in demand.
enum class PoolIndex : std::uint32_t {};

/// What one reporter, such as a load balancer, needs. It is repeated, because nobody stores it.
struct Advert {
    std::string reporter;
    std::uint64_t life = 0;      ///< Higher after each start of the reporter,
    std::uint64_t sequence = 0;  ///< and with each advert. Both 0: in the order of arrival.
    Duration lasts{};
    std::vector<PoolNeed> needs;  ///< Absolute; 0 takes the reporter off the pool at once.
};

/// The demand of each pool: the sum of what reporters have said that may still be heard. A pool
/// exists here as long as somebody needs some of it.
///
///     an advert of a life and sequence above the last     replaces what the reporter said of these
///                                                         pools
///     any other                                           has no effect: it was overtaken
///     one that is not repeated in time                    is dropped
class Demand {
public:
    /// False: a newer one has come before. `too_large`: there is no room for so many.
    [[nodiscard]] Result<bool> take(Instant now, const Advert& advert);

    /// What a reporter did not repeat in time.
    struct Dropped {
        std::string reporter;
        std::vector<PoolNeed> needs;

        friend bool operator==(const Dropped&, const Dropped&) = default;
    };
    /// Claims whose time is over; they are gone afterwards.
    [[nodiscard]] std::vector<Dropped> drop_overdue(Instant now);
    /// When claims are looked through again, while there are any: each second.
    [[nodiscard]] std::optional<Instant> next_deadline() const { return next_; }

    /// The pools whose totals have changed since the last call. One may be named twice.
    [[nodiscard]] std::vector<std::string> take_changed();
    [[nodiscard]] bool has_changed() const { return !changed_.empty(); }
    /// 0: nobody needs any.
    [[nodiscard]] Amount total(const std::string& pool) const;
    /// The pools of which somebody needs some, in the order of their names.
    [[nodiscard]] const std::map<std::string, PoolIndex>& pools() const { return by_name_; }
    [[nodiscard]] std::uint32_t reporters_of(PoolIndex pool) const;

    struct Claim {
        PoolIndex pool{};
        Amount amount = 0;
        Instant until{};
    };
    /// Calls `use(reporter, pool, claim)` for each claim, in the order of the reporters' names.
    void each_claim(auto&& use) const {
        for (const auto& [name, reporter] : reporters_) {
            for (const Claim& claim : reporter.claims) {
                use(name, pools_[index_of(claim.pool)].name, claim);
            }
        }
    }

private:
    friend struct CoreFields;

    struct Pool {
        std::string name;
        Amount total = 0;
        std::uint32_t reporters = 0;  // 0: its place is free.
        bool changed = false;         // It is in the list of take_changed().
    };
    struct Reporter {
        std::uint64_t life = 0;
        std::uint64_t sequence = 0;
        Instant until{};  // Until then its order counts.
        std::vector<Claim> claims;
    };

    static std::size_t index_of(PoolIndex pool) { return static_cast<std::size_t>(pool); }
    [[nodiscard]] Result<void> check_room(const Advert& advert) const;
    static void note_change(Pool& pool, std::vector<std::string>& changed);
    [[nodiscard]] PoolIndex pool_of(const std::string& name);
    /// The claim on this pool, most likely at this place. Null: there is none.
    [[nodiscard]] Claim* find(Reporter& reporter, std::size_t place, const std::string& pool);
    void remove(Reporter& reporter, std::size_t place);

    std::vector<Pool> pools_;
    std::vector<PoolIndex> free_;
    std::map<std::string, PoolIndex> by_name_;
    std::map<std::string, Reporter> reporters_;
    std::size_t claims_ = 0;
    std::vector<std::string> changed_;
    std::optional<Instant> next_;
};

}  // namespace muster::coordinator
