#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/messages/message.hpp"

namespace muster::sim {

/// Simulated time begins here: an hour after the boot of every host, so that no core can mistake an
/// unset instant for a real one.
inline constexpr Instant origin{1h};

/// Civil time in the simulation begins with the year 2026.
[[nodiscard]] constexpr CivilMs civil(Instant now) {
    return CivilMs{1'767'225'600'000 + to_ms(now - origin)};
}

/// The history of a run, one line per step, in milliseconds since the origin:
///
///     [ 3100] c1 > n1 silent for 3 polls -> lost
///
/// Only the last lines are kept, unless all are requested. The hash covers everything, also steps
/// without a line.
class Trace {
public:
    void line(Instant now, std::string_view text);
    template <class First, class... Values>
    void line(Instant now, fmt::format_string<First, Values...> text, First&& first,
              Values&&... values) {
        line(now, fmt::format(text, std::forward<First>(first), std::forward<Values>(values)...));
    }
    /// Adds to the hash only.
    void routine(Instant now, std::string_view bytes);

    /// The lines since the last call of clear(), as far as they are kept.
    [[nodiscard]] std::string text() const { return last(lines_.size()); }
    [[nodiscard]] std::string last(std::size_t lines) const;
    [[nodiscard]] bool contains(std::string_view part) const;
    void clear() { lines_.clear(); }
    /// Keeps all lines from now on.
    void keep_all() { lines_kept_ = ~std::size_t{0}; }

    [[nodiscard]] std::uint64_t hash() const { return hash_; }

private:
    void mix(std::string_view bytes);
    void mix(std::uint64_t number) { hash_ = (hash_ ^ number) * 0x9e3779b97f4a7c15ULL; }

    std::deque<std::string> lines_;
    std::size_t lines_kept_ = 5'000;
    std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

// How messages look in a trace.
[[nodiscard]] std::string describe(const AgentMessage& message);
[[nodiscard]] std::string describe(const CoordinatorMessage& message);
[[nodiscard]] std::string describe(const InstanceId& id, Generation generation);
/// Polls and unchanged answers: too many to read.
[[nodiscard]] bool is_routine(const AgentMessage& message);
[[nodiscard]] bool is_routine(const CoordinatorMessage& message);

}  // namespace muster::sim
