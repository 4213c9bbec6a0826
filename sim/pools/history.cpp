#include "sim/pools/history.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "common/base/number.hpp"
#include "common/base/random.hpp"

namespace muster::sim {

namespace {

using coordinator::Amount;
using coordinator::most_amount;
using coordinator::NeedSample;

constexpr std::int64_t last_second = 253'402'300'799;  // Of the year 9999.

std::optional<CivilMs> time_in(const std::string& text) {
    if (const auto seconds = number_in<std::int64_t>(text)) {
        return *seconds >= 0 && *seconds <= last_second ? std::optional{CivilMs{*seconds * 1'000}}
                                                        : std::nullopt;
    }
    std::tm parts{};
    const char* const end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    if (end == nullptr || *end != '\0') {
        return std::nullopt;
    }
    const auto seconds = static_cast<std::int64_t>(timegm(&parts));
    return seconds >= 0 ? std::optional{CivilMs{seconds * 1'000}} : std::nullopt;
}

Result<NeedSample> sample_in(std::string_view line) {
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) {
        return fail(Errc::invalid, "it is not TIME,AMOUNT");
    }
    const auto at = time_in(std::string{line.substr(0, comma)});
    if (!at) {
        return fail(Errc::invalid,
                    fmt::format("'{}' is no time; a time is a number of seconds since 1970, or "
                                "like 2026-11-02T10:00:00Z",
                                line.substr(0, comma)));
    }
    const auto need = number_in<Amount>(line.substr(comma + 1));
    if (!need || *need > most_amount) {
        return fail(Errc::invalid, fmt::format("'{}' is no amount; an amount is a whole number "
                                               "from 0 to {}",
                                               line.substr(comma + 1), most_amount));
    }
    return NeedSample{*at, *need};
}

bool is_heading(std::string_view line) {
    return !line.empty() && std::isalpha(static_cast<unsigned char>(line.front())) != 0;
}

}  // namespace

Result<History> read_history(std::string_view csv) {
    History history;
    for (std::size_t number = 1; !csv.empty(); ++number) {
        const std::size_t end = csv.find('\n');
        std::string_view line = csv.substr(0, end);
        csv = end == std::string_view::npos ? std::string_view{} : csv.substr(end + 1);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (line.empty() || (number == 1 && is_heading(line))) {
            continue;
        }
        const auto sample = sample_in(line);
        if (!sample) {
            return fail(sample.error().code,
                        fmt::format("line {}: {}", number, sample.error().detail));
        }
        if (!history.empty() && sample->at <= history.back().at) {
            return fail(Errc::invalid,
                        fmt::format("line {}: its time is not later than the one before", number));
        }
        history.push_back(*sample);
    }
    if (history.size() < 2) {
        return fail(Errc::invalid, "there are fewer than two samples, so nothing can be tried");
    }
    return history;
}

// ---- the generated month ----

namespace {

constexpr std::int64_t sample_seconds = 10;
constexpr std::int64_t day_seconds = 86'400;
constexpr std::int64_t days = 28;

/// Percent of the usual, at each hour of a day: an office day with an evening.
constexpr std::array<std::int64_t, 24> hours{34,  28, 24,  22,  22,  26,  38,  58,
                                             80,  98, 108, 112, 110, 112, 114, 110,
                                             104, 98, 96,  102, 100, 84,  62,  44};
/// Percent of the usual, on each day of a week from Monday on.
constexpr std::array<std::int64_t, 7> weekdays{100, 104, 106, 104, 98, 62, 58};
constexpr std::int64_t usual = 2'000;

struct Spike {
    std::int64_t begin = 0;
    std::int64_t height = 0;
    std::int64_t rise = 0;
    std::int64_t fall = 0;

    [[nodiscard]] std::int64_t at(std::int64_t second) const {
        const std::int64_t since = second - begin;
        if (since < 0 || since >= rise + fall) {
            return 0;
        }
        return since < rise ? height * since / rise : height * (rise + fall - since) / fall;
    }
};

std::int64_t from_to(Random& random, std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least)));
}

std::vector<Spike> spikes(Random& random) {
    std::vector<Spike> all;
    for (std::int64_t at = from_to(random, 0, 3 * day_seconds); at < days * day_seconds;
         at += from_to(random, 0, 3 * day_seconds)) {
        all.push_back({.begin = at,
                       .height = from_to(random, 300, 1'200),
                       .rise = from_to(random, 300, 900),
                       .fall = from_to(random, 900, 3'600)});
    }
    return all;
}

std::int64_t course(std::int64_t second) {
    const auto hour = static_cast<std::size_t>(second % day_seconds / 3'600);
    const std::int64_t into = second % 3'600;
    const std::int64_t from = hours[hour];
    const std::int64_t to = hours[(hour + 1) % hours.size()];
    const std::int64_t weekday = weekdays[static_cast<std::size_t>(second / day_seconds) % 7];
    return usual * weekday * (from * (3'600 - into) + to * into) / 3'600 / 10'000;
}

/// About a bell curve of this width: the sum of twelve even draws.
std::int64_t noise(Random& random, std::int64_t width) {
    std::int64_t sum = 0;
    for (int at = 0; at < 12; ++at) {
        sum += from_to(random, 0, 2'001) - 1'000;
    }
    return sum * width / 2'000;
}

}  // namespace

History generated_month(std::uint64_t seed) {
    constexpr std::int64_t monday = 1'793'577'600;  // 2026-11-02 00:00 UTC.
    Random random{seed};
    const std::vector<Spike> all = spikes(random);
    History month;
    std::int64_t drift = 0;  // In hundredths.
    for (std::int64_t second = 0; second < days * day_seconds; second += sample_seconds) {
        drift = drift * 98 / 100 + noise(random, 1'200);
        std::int64_t need = course(second) + drift / 100 + noise(random, 20);
        for (const Spike& spike : all) {
            need += spike.at(second);
        }
        month.push_back({CivilMs{(monday + second) * 1'000},
                         static_cast<Amount>(std::max<std::int64_t>(need, 0))});
    }
    return month;
}

}  // namespace muster::sim
