#include "coordinator/core/membership/refusals.hpp"

#include <algorithm>

namespace muster::coordinator {

bool Refusals::add(std::string_view name, Term now) {
    ++total_;
    const auto known = std::ranges::find(last_, name, &Refusal::name);
    const bool is_new = known == last_.end();
    if (!is_new) {
        last_.erase(known);
    } else if (last_.size() == kept) {
        last_.pop_back();
    }
    last_.push_front({std::string{name}, now});
    const std::uint64_t again = (raw(now) - raw(told_since_)) / terms_between;
    told_ -= std::min<std::uint64_t>(again, told_);
    told_since_ = told_ == 0 ? now : Term{raw(told_since_) + again * terms_between};
    if (!is_new || told_ == kept) {
        return false;
    }
    ++told_;
    return true;
}

void Refusals::forget(std::string_view name) {
    std::erase_if(last_, [&](const Refusal& one) { return one.name == name; });
}

std::vector<std::string> Refusals::recent(Term now) const {
    std::vector<std::string> names;
    for (const Refusal& one : last_) {
        if (raw(now) - raw(one.last) <= recent_terms) {
            names.push_back(one.name);
        }
    }
    return names;
}

}  // namespace muster::coordinator
