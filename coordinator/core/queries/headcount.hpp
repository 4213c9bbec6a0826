#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "coordinator/core/liveness/freeze.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// A count of names, and the first few names in order.
///
/// A value. The records that own the names must outlive it.
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

/// The nodes that an operator should know about.
struct NotableNames {
    SomeNames ahead;
    SomeNames silent;   ///< Lost, and did not leave.
    SomeNames leaving;  ///< Left with instances running, and not lost yet.
    SomeNames left;     ///< Lost after they left.
    SomeNames unable;   ///< Their hosts ask for no work.
    SomeNames cannot_spawn;
    SomeNames cannot_write;
    SomeNames awaited;  ///< Recovery waits for them.
    SomeNames overdue_drains;
};

/// Counts over all nodes.
struct Headcount {
    std::uint32_t serving = 0, ahead = 0, free = 0, busy = 0;
    HealthCounts health{};
    IntentCounts intent{};
    Census census{};
    std::uint32_t overdue = 0;      ///< Silent, but not lost and not left.
    std::uint32_t unconfirmed = 0;  ///< Copies on these nodes, and on nodes in `leaving`.
    NotableNames names;
};

/// Counts all nodes in one loop.
[[nodiscard]] Headcount headcount_of(const Facts& facts);

}  // namespace muster::coordinator
