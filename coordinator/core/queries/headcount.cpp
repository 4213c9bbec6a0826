#include "coordinator/core/queries/headcount.hpp"

#include <iterator>

namespace muster::coordinator {

void SomeNames::add(std::string_view name) {
    ++count_;
    if (first_.size() < named_at_most) {
        first_.insert(name);
    } else if (name < *first_.rbegin()) {
        first_.erase(std::prev(first_.end()));
        first_.insert(name);
    }
}

std::string SomeNames::text() const {
    std::string names;
    for (const std::string_view name : first_) {
        names += (names.empty() ? "" : ", ") + std::string{name};
    }
    if (count_ > named_at_most) {
        names += " and " + std::to_string(count_ - named_at_most) + " more";
    }
    return names;
}

}  // namespace muster::coordinator
