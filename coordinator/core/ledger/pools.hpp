#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>

#include "coordinator/core/ledger/table.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// The pools, and how long their demand may last.
template <>
struct RowCount<StoredPool> {
    std::size_t rows = 0;
    std::map<std::uint64_t, std::size_t> by_ttl_ms;

    [[nodiscard]] std::uint64_t shortest_ttl_ms() const {
        return by_ttl_ms.empty() ? std::numeric_limits<std::uint64_t>::max()
                                 : by_ttl_ms.begin()->first;
    }
    void add(const StoredPool& row) {
        ++rows;
        ++by_ttl_ms[row.spec.demand_ttl_ms];
    }
    void remove(const StoredPool& row) {
        --rows;
        if (--by_ttl_ms[row.spec.demand_ttl_ms] == 0) {
            by_ttl_ms.erase(row.spec.demand_ttl_ms);
        }
    }
};

/// The definitions of pools.
using PoolTable = Table<StoredPool>;

}  // namespace muster::coordinator
