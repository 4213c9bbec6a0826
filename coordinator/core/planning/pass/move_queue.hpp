#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "coordinator/core/planning/index/by_instance.hpp"
#include "coordinator/core/planning/pass/types.hpp"

namespace muster::coordinator {

/// Instances that moved recently and rest until a time.
class MoveQueue {
public:
    using Instance = std::pair<TaskIndex, Ordinal>;

    /// The instance was moved, and rests until this time.
    void rest(const Instance& instance, Instant until) {
        resting_[instance] = until;
        rests_.emplace_back(until, instance);
    }
    /// Takes the next instance whose rest is over.
    [[nodiscard]] std::optional<Instance> take_rested(Instant now) {
        while (!rests_.empty() && rests_.front().first <= now) {
            const auto [end, instance] = rests_.front();
            rests_.pop_front();
            const auto rest = resting_.find(instance);
            if (rest != resting_.end() && rest->second == end) {
                resting_.erase(rest);
                return instance;
            }
        }
        return std::nullopt;
    }
    /// Until when the instance rests.
    [[nodiscard]] std::optional<Instant> rests_until(TaskIndex index, Ordinal ordinal) const {
        const auto rest = resting_.find({index, ordinal});
        return rest == resting_.end() ? std::nullopt : std::optional{rest->second};
    }
    void forget(TaskIndex index) { erase_task(resting_, index); }
    /// How many tasks were checked for moves that may begin.
    [[nodiscard]] std::uint64_t checks() const { return checks_; }
    void count_check() { ++checks_; }

private:
    friend struct CoreFields;

    /// Instances that were moved recently, with the end of their rest; and the same by time.
    ByInstance<Instant> resting_;
    std::deque<std::pair<Instant, Instance>> rests_;
    std::uint64_t checks_ = 0;
};

}  // namespace muster::coordinator
