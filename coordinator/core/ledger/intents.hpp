#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "coordinator/core/ledger/table.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// True of a row that decides nothing: at most it says why there once was an intent.
[[nodiscard]] bool decides_nothing(const StoredIntent& row);
/// True of a drain whose deadline is over.
[[nodiscard]] bool is_past(const StoredIntent& row, CivilMs now);

/// Names that may join by the list, and names that may not.
template <>
struct RowCount<StoredIntent> {
    std::size_t listed = 0;
    std::size_t removed = 0;

    void add(const StoredIntent& row) {
        listed += row.admission == Admission::listed ? 1U : 0U;
        removed += row.admission == Admission::removed ? 1U : 0U;
    }
    void take(const StoredIntent& row) {
        listed -= row.admission == Admission::listed ? 1U : 0U;
        removed -= row.admission == Admission::removed ? 1U : 0U;
    }
    friend bool operator==(const RowCount&, const RowCount&) = default;
};

/// What operators decided of names.
using Intents = Table<StoredIntent>;

/// Its record ends, or the name may not join, once all on its way is durable.
[[nodiscard]] bool is_removed(const Intents& intents, std::string_view name);

/// Calls `see(name)` for each name that is listed by a row on its way, in order.
void each_coming(const Intents& intents, auto&& see) {
    intents.proposals().each([&](const std::string& name, const Proposal<StoredIntent>& proposal) {
        if (proposal.row && proposal.row->admission == Admission::listed) {
            see(name);
        }
    });
}

}  // namespace muster::coordinator
