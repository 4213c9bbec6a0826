#include "coordinator/core/intents.hpp"

#include <algorithm>

#include "common/ensure.hpp"

namespace muster {

bool decides_nothing(const StoredIntent& row) {
    return row.intent == Intent::active && row.admission == Admission::open;
}

bool says_nothing(const StoredIntent& row) { return row == StoredIntent{.name = row.name}; }

Intents::Intents(std::span<const StoredIntent> stored) {
    for (const StoredIntent& row : stored) {
        rows_.emplace(row.name, row);
        removed_ += row.admission == Admission::removed ? 1U : 0U;
    }
}

StoredIntent Intents::durable(std::string_view name) const {
    const auto found = rows_.find(name);
    return found == rows_.end() ? StoredIntent{.name = std::string{name}} : found->second;
}

StoredIntent Intents::proposed(std::string_view name) const {
    const auto found = overlay_.find(name);
    return found == overlay_.end() ? durable(name) : found->second.row;
}

void Intents::propose(std::uint64_t number, const StoredIntent& row) {
    ensure(written_.empty() || written_.back().first <= number, "writes come in order");
    removed_ -= proposed(row.name).admission == Admission::removed ? 1U : 0U;
    removed_ += row.admission == Admission::removed ? 1U : 0U;
    overlay_.insert_or_assign(row.name, Entry{number, row});
    written_.emplace_back(number, row.name);
}

void Intents::take_effect(const StoredIntent& row) {
    if (says_nothing(row)) {
        rows_.erase(row.name);
    } else {
        rows_.insert_or_assign(row.name, row);
    }
}

void Intents::forget(std::string_view name) {
    const auto found = rows_.find(name);
    if (found != rows_.end() && decides_nothing(found->second)) {
        rows_.erase(found);
    }
}

void Intents::confirm(std::uint64_t number) {
    while (!written_.empty() && written_.front().first <= number) {
        const auto entry = overlay_.find(written_.front().second);
        // A later row of the same name is still pending: that one stays in sight.
        if (entry != overlay_.end() && entry->second.number <= number) {
            overlay_.erase(entry);
        }
        written_.pop_front();
    }
}

}  // namespace muster
