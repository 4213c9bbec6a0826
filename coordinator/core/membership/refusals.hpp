#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"

namespace muster::coordinator {

/// Hellos with a name that must not join: their number, and the last few names.
///
/// Any client can invent names, so both memory and events are bounded. A name gets an event when it
/// is not among the kept names: at most eight at once, then one in each `rounds_between`.
class Refusals {
public:
    static constexpr std::size_t kept = 8;
    static constexpr std::uint64_t rounds_between = 30;
    static constexpr std::uint64_t recent_rounds = 60;

    /// True: the caller emits an event.
    [[nodiscard]] bool add(std::string_view name, Round now) {
        ++total_;
        const auto known = std::ranges::find(last_, name, &Refusal::name);
        const bool is_new = known == last_.end();
        if (!is_new) {
            last_.erase(known);
        } else if (last_.size() == kept) {
            last_.pop_back();
        }
        last_.push_front({std::string{name}, now});
        const std::uint64_t again = (raw(now) - raw(events_used_since_)) / rounds_between;
        events_used_ -= std::min<std::uint64_t>(again, events_used_);
        events_used_since_ =
            events_used_ == 0 ? now : Round{raw(events_used_since_) + again * rounds_between};
        if (!is_new || events_used_ == kept) {
            return false;
        }
        ++events_used_;
        return true;
    }
    /// The name may join now.
    void forget(std::string_view name) {
        std::erase_if(last_, [&](const Refusal& one) { return one.name == name; });
    }

    [[nodiscard]] std::uint64_t total() const { return total_; }
    /// Names refused recently, the latest first.
    [[nodiscard]] std::vector<std::string> recent(Round now) const {
        std::vector<std::string> names;
        for (const Refusal& one : last_) {
            if (raw(now) - raw(one.last) <= recent_rounds) {
                names.push_back(one.name);
            }
        }
        return names;
    }

private:
    friend struct CoreFields;

    struct Refusal {
        std::string name;
        Round last{};
    };
    std::deque<Refusal> last_;  // The latest first.
    std::uint64_t total_ = 0;
    std::size_t events_used_ = 0;  // How many of the events that are possible at once were used.
    Round events_used_since_{};    // The next event is possible again `rounds_between` after this.
};

}  // namespace muster::coordinator
