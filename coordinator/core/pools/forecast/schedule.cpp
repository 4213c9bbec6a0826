#include "coordinator/core/pools/forecast/schedule.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <optional>
#include <string_view>

#include "common/base/limits.hpp"
#include "common/base/number.hpp"

namespace muster::coordinator {

namespace {

constexpr std::int64_t minutes_of_day = 24 * 60;
constexpr std::int64_t minutes_of_week = 7 * minutes_of_day;

// 1970 began on a Thursday, three days after a Monday.
constexpr std::int64_t first_minute = 3 * minutes_of_day;

constexpr std::array<std::string_view, 7> day_names{"mon", "tue", "wed", "thu",
                                                    "fri", "sat", "sun"};

using Days = std::bitset<day_names.size()>;

struct Line {
    Days days;
    std::uint16_t minute = 0;  ///< Of the day.
    Amount amount = 0;
};

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0;;) {
        const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
        parts.push_back(text.substr(at, end - at));
        if (end == text.size()) {
            return parts;
        }
        at = end + 1;
    }
}

std::vector<std::string_view> words_of(std::string_view text) {
    auto words = split(text, " \t");
    std::erase(words, std::string_view{});
    return words;
}

std::optional<std::size_t> day_named(std::string_view name) {
    const auto* const found = std::ranges::find(day_names, name);
    return found != day_names.end()
               ? std::optional{static_cast<std::size_t>(found - day_names.begin())}
               : std::nullopt;
}

/// A day or a range of days, which may go over the end of the week. None: it is neither.
Days days_in(std::string_view text) {
    const auto ends = split(text, "-");
    const auto first = day_named(ends.front());
    const auto last = day_named(ends.back());
    Days days;
    if (ends.size() > 2 || !first || !last) {
        return days;
    }
    for (std::size_t day = *first; day != *last; day = (day + 1) % day_names.size()) {
        days.set(day);
    }
    return days.set(*last);
}

Result<Days> parse_days(std::string_view text) {
    if (text == "daily") {
        return ~Days{};
    }
    Days days;
    for (const std::string_view part : split(text, ",")) {
        const Days some = days_in(part);
        if (some.none()) {
            return fail(Errc::invalid, in_quotes(part) + " is no day; days are " +
                                           joined(day_names, ", ") +
                                           ", ranges such as mon-fri, lists such as sat,sun, or "
                                           "daily alone");
        }
        days |= some;
    }
    return days;
}

Result<std::uint16_t> parse_time(std::string_view text) {
    const bool has_form = text.size() == 5 && text[2] == ':';
    const auto hour = number_in<std::uint16_t>(text.substr(0, has_form ? 2 : 0));
    const auto minute = number_in<std::uint16_t>(text.substr(has_form ? 3 : text.size()));
    if (!hour || !minute || *hour > 23 || *minute > 59) {
        return fail(Errc::invalid,
                    in_quotes(text) + " is no time; times are 00:00 to 23:59, such as 08:30");
    }
    return static_cast<std::uint16_t>(*hour * 60 + *minute);
}

Result<Amount> parse_amount(std::string_view text) {
    const auto amount = number_in<Amount>(text);
    if (!amount || *amount > most_amount) {
        return fail(Errc::invalid, in_quotes(text) + " is no amount; amounts are 0 to " +
                                       std::to_string(most_amount) + ", without a unit");
    }
    return *amount;
}

Result<Line> parse_line(std::string_view text) {
    const auto words = words_of(text);
    if (words.size() != 3) {
        return fail(Errc::invalid, in_quotes(text) + " has " + std::to_string(words.size()) +
                                       " words; a line has days, a time and an amount, such as "
                                       "'mon-fri 08:00 400'");
    }
    const auto days = parse_days(words[0]);
    if (!days) {
        return tl::unexpected{days.error()};
    }
    const auto minute = parse_time(words[1]);
    if (!minute) {
        return tl::unexpected{minute.error()};
    }
    const auto amount = parse_amount(words[2]);
    if (!amount) {
        return tl::unexpected{amount.error()};
    }
    return Line{.days = *days, .minute = *minute, .amount = *amount};
}

std::string in_line(std::size_t number) { return "line " + std::to_string(number); }

/// How many minutes after `from` the next `to` is.
std::int64_t minutes_between(LocalMinute from, LocalMinute to) {
    const std::int64_t between = static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from);
    return between < 0 ? between + minutes_of_week : between;
}

/// Since 1970, in local time. Rounded down, before 1970 too.
std::int64_t local_minute(std::int64_t ms, std::int32_t utc_offset_seconds) {
    constexpr std::int64_t minute_ms = 60'000;
    const std::int64_t local = ms + std::int64_t{utc_offset_seconds} * 1'000;
    return local / minute_ms - (local % minute_ms < 0 ? 1 : 0);
}

LocalMinute minute_of_week(std::int64_t local_minute) {
    const std::int64_t of_week = (local_minute + first_minute) % minutes_of_week;
    return LocalMinute{
        static_cast<std::uint16_t>(of_week < 0 ? of_week + minutes_of_week : of_week)};
}

}  // namespace

Result<Schedule> Schedule::parse(std::span<const std::string> lines) {
    if (lines.size() > limits::schedule_lines) {
        return fail(Errc::too_large,
                    too_many(lines.size(), "lines of a schedule", limits::schedule_lines));
    }
    struct Source {
        Amount amount = 0;
        std::size_t line = 0;
    };
    std::map<LocalMinute, Source> sources;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        const std::size_t number = at + 1;
        const auto line = parse_line(lines[at]);
        if (!line) {
            return fail(line.error().code, in_line(number) + ": " + line.error().detail);
        }
        for (std::size_t day = 0; day < day_names.size(); ++day) {
            if (!line->days[day]) {
                continue;
            }
            const auto minute = static_cast<std::uint16_t>(day * minutes_of_day + line->minute);
            const auto [place, is_new] = sources.try_emplace(LocalMinute{minute});
            if (!is_new) {
                return fail(Errc::invalid, in_line(number) + ": " + in_quotes(lines[at]) +
                                               " has the time of " + in_line(place->second.line) +
                                               " on " + std::string{day_names[day]} +
                                               "; a time has one amount, so change one of them");
            }
            place->second = {.amount = line->amount, .line = number};
        }
    }
    Schedule schedule;
    for (const auto& [from, source] : sources) {
        schedule.entries_.push_back({.from = from, .amount = source.amount});
    }
    return schedule;
}

std::size_t Schedule::place_at(LocalMinute of_week) const {
    const auto after = std::ranges::upper_bound(entries_, of_week, {}, &Entry::from);
    // Before the first time of a week the last one of the week before holds.
    const auto next = static_cast<std::size_t>(after - entries_.begin());
    return (next > 0 ? next : entries_.size()) - 1;
}

Amount Schedule::at(LocalMinute of_week) const {
    return is_empty() ? 0 : entries_[place_at(of_week)].amount;
}

Amount Schedule::predict(CivilMs at, Duration ahead, std::int32_t utc_offset_seconds) const {
    if (is_empty()) {
        return 0;
    }
    const auto ms = static_cast<std::int64_t>(at);
    const std::int64_t first = local_minute(ms, utc_offset_seconds);
    const std::int64_t last = local_minute(ms + to_ms(ahead), utc_offset_seconds);
    const LocalMinute now = minute_of_week(first);
    std::size_t place = place_at(now);
    Amount most = entries_[place].amount;
    for (std::size_t others = entries_.size() - 1; others > 0; --others) {
        place = (place + 1) % entries_.size();
        if (minutes_between(now, entries_[place].from) > last - first) {
            break;
        }
        most = std::max(most, entries_[place].amount);
    }
    return most;
}

}  // namespace muster::coordinator
