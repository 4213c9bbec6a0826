#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "coordinator/core/liveness/freeze.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// How many, and the names of a few: the first in their order.
///
/// Pure: a value. The names are those of records that outlive it.
class SomeNames {
public:
    static constexpr std::size_t named_at_most = 5;

    void add(std::string_view name);
    /// `n1, n2 and 7 more`. Empty if there are none.
    [[nodiscard]] std::string text() const;

private:
    std::size_t count_ = 0;
    std::set<std::string_view> first_;
};

/// Which nodes an operator should know of.
struct NotableNames {
    SomeNames ahead;
    SomeNames silent;   ///< Lost, without an answer.
    SomeNames leaving;  ///< Said goodbye, left work behind, and are not lost yet.
    SomeNames left;     ///< Lost, after a goodbye.
    SomeNames unable;   ///< As their hosts say.
    SomeNames cannot_spawn;
    SomeNames cannot_write;
    SomeNames awaited;  ///< By recovery.
    SomeNames overdue_drains;
};

/// What is so of all nodes together.
struct Headcount {
    std::uint32_t serving = 0, ahead = 0, free = 0, busy = 0;
    HealthCounts health{};
    IntentCounts intent{};
    Census census{};
    std::uint32_t overdue = 0;      ///< Silent, and neither lost nor gone.
    std::uint32_t unconfirmed = 0;  ///< Copies on these, and left behind by those that leave.
    NotableNames names;
};

/// All nodes are looked at once for a client that asks how the cluster is.
[[nodiscard]] Headcount headcount_of(const Facts& facts);

}  // namespace muster::coordinator
