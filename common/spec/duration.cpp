#include "common/spec/duration.hpp"

#include <array>
#include <charconv>

namespace muster {

namespace {

struct Unit {
    std::string_view name;
    Duration length;
};

// Of two names of one length, the first is written.
constexpr std::array units{Unit{"h", 1h}, Unit{"m", 1min}, Unit{"min", 1min}, Unit{"s", 1s},
                           Unit{"ms", 1ms}};

constexpr Duration longest = 24h * 365;

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
    std::int64_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [unit_at, error] = std::from_chars(text.data(), end, count);
    const std::string_view name{unit_at, static_cast<std::size_t>(end - unit_at)};
    for (const auto& unit : units) {
        if (error != std::errc{} || unit.name != name || count < 0) {
            continue;
        }
        if (count > longest / unit.length) {
            return fail(Errc::invalid,
                        "'" + std::string{text.substr(0, 40)} + "' is longer than a year");
        }
        return count * unit.length;
    }
    return fail(Errc::invalid, "'" + std::string{text.substr(0, 40)} +
                                   "' is not a duration; write 250ms, 10s, 5m or 1h");
}

std::string to_string(Duration duration) {
    for (const auto& unit : units) {
        if (duration != Duration::zero() && duration % unit.length == Duration::zero()) {
            return std::to_string(duration / unit.length) + std::string{unit.name};
        }
    }
    return duration == Duration::zero() ? "0s" : std::to_string(to_ms(duration)) + "ms";
}

}  // namespace muster
