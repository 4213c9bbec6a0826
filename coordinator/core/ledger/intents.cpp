#include "coordinator/core/ledger/intents.hpp"

namespace muster::coordinator {

bool has_no_decision(const StoredIntent& row) {
    return row.intent == Intent::active && row.admission == Admission::open;
}

bool is_past(const StoredIntent& row, CivilMs now) {
    return row.intent == Intent::draining && row.deadline != CivilMs{} && now >= row.deadline;
}

bool is_removed(const Intents& intents, std::string_view name) {
    if (const auto* const proposal = intents.proposals().find(name)) {
        return proposal->ends || (proposal->row && proposal->row->admission == Admission::removed);
    }
    const auto* const row = intents.count().removed == 0 ? nullptr : intents.rows().find(name);
    return row != nullptr && row->admission == Admission::removed;
}

}  // namespace muster::coordinator
