#include "coordinator/core/ledger/intents.hpp"

namespace muster::coordinator {

bool decides_nothing(const StoredIntent& row) {
    return row.intent == Intent::active && row.admission == Admission::open;
}

bool is_past(const StoredIntent& row, CivilMs now) {
    return row.intent == Intent::draining && row.deadline != CivilMs{} && now >= row.deadline;
}

bool says_nothing(const StoredIntent& row) { return row == StoredIntent{.name = row.name}; }

Intents::Intents(std::span<const StoredIntent> stored) {
    for (const StoredIntent& row : stored) {
        rows_.emplace(row.name, row);
        removed_ += row.admission == Admission::removed ? 1U : 0U;
        listed_ += row.admission == Admission::listed ? 1U : 0U;
    }
    listed_soon_ = listed_;
}

StoredIntent Intents::durable(std::string_view name) const {
    const auto found = rows_.find(name);
    return found == rows_.end() ? StoredIntent{.name = std::string{name}} : *found->second;
}

StoredIntent Intents::proposed(std::string_view name) const {
    const Proposal* const proposal = overlay_.find(name);
    return proposal == nullptr ? durable(name) : *proposal->row;
}

bool Intents::is_removed(std::string_view name) const {
    if (const Proposal* const proposal = overlay_.find(name)) {
        return proposal->removes || proposal->row->admission == Admission::removed;
    }
    const auto found = removed_ == 0 ? rows_.end() : rows_.find(name);
    return found != rows_.end() && found->second->admission == Admission::removed;
}

void Intents::propose(std::uint64_t number, const Shared<StoredIntent>& row) {
    Shared<StoredIntent> before =
        overlay_.put(number, row->name, {.row = row}).value_or(Proposal{}).row;
    if (const auto found = rows_.find(row->name); !before && found != rows_.end()) {
        before = found->second;
    }
    removed_ -= before && before->admission == Admission::removed ? 1U : 0U;
    removed_ += row->admission == Admission::removed ? 1U : 0U;
    listed_soon_ -= before && before->admission == Admission::listed ? 1U : 0U;
    listed_soon_ += row->admission == Admission::listed ? 1U : 0U;
}

void Intents::propose_removal(std::uint64_t number, std::string_view name) {
    overlay_.put(number, name, {.row = proposed(name), .removes = true});
}

void Intents::take_effect(const Shared<StoredIntent>& row) {
    const auto place = rows_.try_emplace(rows_.end(), row->name);
    Shared<StoredIntent>& kept = place->second;
    listed_ -= kept && kept->admission == Admission::listed ? 1U : 0U;
    listed_ += row->admission == Admission::listed ? 1U : 0U;
    if (says_nothing(*row)) {
        rows_.erase(place);
    } else {
        kept = row;
    }
}

void Intents::forget(std::string_view name) {
    const auto found = rows_.find(name);
    if (found != rows_.end() && decides_nothing(*found->second)) {
        rows_.erase(found);
    }
}

}  // namespace muster::coordinator
