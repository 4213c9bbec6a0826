#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/base/time.hpp"

namespace muster::coordinator {

/// Calls of programs that are repeated until they succeed: after 1 s, doubled up to 30 s.
class Attempts {
public:
    static constexpr Duration first_wait = 1s;
    static constexpr Duration longest_wait = 30s;

    struct Attempt {
        std::uint64_t call = 0;      ///< Under way. 0: none.
        std::uint32_t failures = 0;  ///< In a row.
        Instant next{};              ///< Not before.
        std::string why{};           ///< Of the last failure.
    };

    [[nodiscard]] bool may_begin(Instant now, const std::string& what) const {
        const auto found = all_.find(what);
        return found == all_.end() || (found->second.call == 0 && found->second.next <= now);
    }
    void begin(const std::string& what, std::uint64_t call) {
        all_[what].call = call;
        under_way_[call] = what;
    }
    /// The one that this call belongs to. Null: nobody waits for it any more.
    [[nodiscard]] const std::string* of(std::uint64_t call) const {
        const auto found = under_way_.find(call);
        return found == under_way_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] std::size_t under_way() const { return under_way_.size(); }
    void failed(Instant now, const std::string& what, std::string why) {
        Attempt& one = all_[what];
        under_way_.erase(one.call);
        const Duration wait = std::min(
            first_wait * static_cast<std::int64_t>(1U << std::min(one.failures, 5U)), longest_wait);
        one = {.call = 0, .failures = one.failures + 1, .next = now + wait, .why = std::move(why)};
    }
    /// It is not to be asked again before `next`.
    void succeeded(const std::string& what, Instant next) {
        Attempt& one = all_[what];
        under_way_.erase(one.call);
        one = {.next = next};
    }
    void forget_unless(auto&& is_wanted) {
        std::erase_if(all_, [&](const auto& one) { return !is_wanted(one.first); });
        std::erase_if(under_way_, [&](const auto& one) { return !is_wanted(one.second); });
    }
    [[nodiscard]] std::string why_failed(const std::string& what) const {
        const auto found = all_.find(what);
        return found == all_.end() ? std::string{} : found->second.why;
    }
    [[nodiscard]] bool is_under_way(const std::string& what) const {
        const auto found = all_.find(what);
        return found != all_.end() && found->second.call != 0;
    }
    /// When the next one that failed may be tried again.
    [[nodiscard]] std::optional<Instant> next_deadline() const {
        std::optional<Instant> first;
        for (const auto& [what, one] : all_) {
            if (one.call == 0 && one.failures > 0) {
                first = std::min(first.value_or(one.next), one.next);
            }
        }
        return first;
    }

private:
    friend struct CoreFields;

    std::map<std::string, Attempt> all_;
    std::map<std::uint64_t, std::string> under_way_;  // By call.
};

}  // namespace muster::coordinator
