#pragma once

#include <cstddef>

#include "coordinator/core/ledger/table.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

template <>
struct RowCount<StoredSecret> {
    std::size_t rows = 0;

    void add(const StoredSecret& /*row*/) { ++rows; }
    void remove(const StoredSecret& /*row*/) { --rows; }
};

/// Secrets for tasks, encrypted.
using SecretTable = Table<StoredSecret>;

}  // namespace muster::coordinator
