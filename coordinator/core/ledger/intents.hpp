#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "coordinator/core/ledger/table.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// True if a row decides nothing: it holds at most the reason of an earlier intent.
[[nodiscard]] bool has_no_decision(const StoredIntent& row);
/// True for a drain whose deadline has passed.
[[nodiscard]] bool is_past(const StoredIntent& row, CivilMs now);

/// The number of listed and of removed names.
template <>
struct RowCount<StoredIntent> {
    std::size_t listed = 0;
    std::size_t removed = 0;

    void add(const StoredIntent& row) {
        listed += row.admission == Admission::listed ? 1U : 0U;
        removed += row.admission == Admission::removed ? 1U : 0U;
    }
    void remove(const StoredIntent& row) {
        listed -= row.admission == Admission::listed ? 1U : 0U;
        removed -= row.admission == Admission::removed ? 1U : 0U;
    }
    friend bool operator==(const RowCount&, const RowCount&) = default;
};

/// What operators decided about names.
using Intents = Table<StoredIntent>;

/// True if the name is removed, or its record is deleted, once all pending writes are durable.
[[nodiscard]] bool is_removed(const Intents& intents, std::string_view name);

/// Calls `visit(name)` for each name that a pending row lists, in order.
void each_coming(const Intents& intents, auto&& visit) {
    intents.proposals().each([&](const std::string& name, const Proposal<StoredIntent>& proposal) {
        if (proposal.row && proposal.row->admission == Admission::listed) {
            visit(name);
        }
    });
}

}  // namespace muster::coordinator
