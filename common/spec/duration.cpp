#include "common/spec/duration.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace muster {

namespace {

struct Unit {
    std::string_view name;
    Duration length;
};

// Of two names of one length, the first is written.
constexpr std::array units_written{Unit{"h", 1h}, Unit{"m", 1min}, Unit{"min", 1min}, Unit{"s", 1s},
                                   Unit{"ms", 1ms}};
constexpr Unit day{"d", 24h};

constexpr Duration longest = 24h * 365;

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
    std::int64_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [unit_at, error] = std::from_chars(text.data(), end, count);
    const std::string_view name{unit_at, static_cast<std::size_t>(end - unit_at)};
    const auto named = std::ranges::find(units_written, name, &Unit::name);
    const Unit* const unit = named != units_written.end() ? &*named
                             : name == day.name           ? &day
                                                          : nullptr;
    if (error != std::errc{} || unit == nullptr || count < 0) {
        return fail(Errc::invalid, "'" + std::string{text.substr(0, 40)} +
                                       "' is not a duration; write 250ms, 10s, 5m, 1h or 90d");
    }
    if (count > longest / unit->length) {
        return fail(Errc::invalid,
                    "'" + std::string{text.substr(0, 40)} + "' is longer than a year");
    }
    return count * unit->length;
}

std::string to_string(Duration duration) {
    for (const auto& unit : units_written) {
        if (duration != Duration::zero() && duration % unit.length == Duration::zero()) {
            return std::to_string(duration / unit.length) + std::string{unit.name};
        }
    }
    return duration == Duration::zero() ? "0s" : std::to_string(to_ms(duration)) + "ms";
}

}  // namespace muster
