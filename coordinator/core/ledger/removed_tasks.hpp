#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/limits.hpp"

namespace muster::coordinator {

/// The change that removed each recently removed task.
class RemovedTasks {
public:
    [[nodiscard]] std::optional<Generation> by(std::string_view name) const {
        const auto found = changes_.find(name);
        return found == changes_.end() ? std::nullopt : std::optional{found->second};
    }
    void add(std::string_view name, Generation change) {
        changes_.insert_or_assign(std::string{name}, change);
        order_.emplace_back(name, change);
        while (order_.size() > limits::removed_names) {
            const auto oldest = changes_.find(order_.front().first);
            if (oldest != changes_.end() && oldest->second == order_.front().second) {
                changes_.erase(oldest);
            }
            order_.pop_front();
        }
    }
    /// The task was added again.
    void forget(const std::string& name) { changes_.erase(name); }

private:
    friend struct CoreFields;

    std::map<std::string, Generation, std::less<>> changes_;
    std::deque<std::pair<std::string, Generation>> order_;  // The oldest is forgotten first.
};

}  // namespace muster::coordinator
