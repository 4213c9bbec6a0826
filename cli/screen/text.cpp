#include "cli/screen/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "common/base/ids.hpp"
#include "common/spec/duration.hpp"

namespace muster::cli {

namespace {

/// Below this, a wrapped text is harder to read than a cut one.
constexpr std::size_t narrowest_wrapped = 20;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Bytes of the first characters that fit the columns.
std::size_t bytes_of(std::string_view text, std::size_t columns) {
    std::size_t end = 0;
    for (std::size_t seen = 0; end < text.size(); ++end) {
        if (!continues(text[end]) && ++seen > columns) {
            break;
        }
    }
    return end;
}

}  // namespace

std::string harmless(std::string_view text) {
    constexpr std::string_view colour_digits = "0123456789;";
    // Bytes of an escape sequence that only changes colours.
    const auto colour_bytes = [&](std::string_view rest) -> std::size_t {
        const auto end = rest.starts_with("\x1b[") ? rest.find_first_not_of(colour_digits, 2)
                                                   : std::string_view::npos;
        return end != std::string_view::npos && rest[end] == 'm' ? end + 1 : 0;
    };
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const bool is_kept = text[0] == '\n' || text[0] == '\t' || text.starts_with("\r\n");
        const auto kept = is_kept ? 1 : std::max(character_bytes(text), colour_bytes(text));
        clean += kept == 0 ? "?" : text.substr(0, kept);
        text.remove_prefix(std::max<std::size_t>(kept, 1));
    }
    return clean;
}

std::size_t width_of(std::string_view text) {
    return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues));
}

std::string cut_to(std::string_view text, std::size_t columns) {
    if (width_of(text) <= columns) {
        return std::string{text};
    }
    return columns == 0 ? std::string{}
                        : std::string{text.substr(0, bytes_of(text, columns - 1))} + '~';
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
    if (columns < narrowest_wrapped || width_of(text) <= columns) {
        return {columns == 0 ? std::string{text} : cut_to(text, columns)};
    }
    std::vector<std::string> lines;
    while (width_of(text) > columns) {
        const std::string_view fits = text.substr(0, bytes_of(text, columns + 1));
        const auto space = fits.rfind(' ');
        const bool has_words = space != std::string_view::npos && space > 0;
        const auto end = has_words ? space : bytes_of(text, columns);
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    }
    if (!text.empty()) {
        lines.emplace_back(text);
    }
    return lines;
}

std::string age(CivilMs then, CivilMs now) {
    if (raw(then) == 0) {
        return "-";
    }
    // An answer's time may be further away than a Duration reaches.
    constexpr auto longest = static_cast<std::uint64_t>(to_ms(Duration::max()));
    const auto passed =
        static_cast<std::uint64_t>(raw(now)) - static_cast<std::uint64_t>(raw(then));
    return length(std::chrono::milliseconds{now <= then ? 0 : std::min(passed, longest)});
}

std::string length(Duration time) {
    const auto seconds = to_ms(time) / 1000;
    if (seconds < 60) {
        return fmt::format("{}s", seconds);
    }
    if (seconds < 3600) {
        return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
    }
    if (seconds < 86'400) {
        return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
    }
    return fmt::format("{}d", seconds / 86'400);
}

std::string civil_time(CivilMs at) {
    const auto ms = raw(at) < 0 ? 0 : raw(at);
    const std::time_t seconds = ms / 1000;
    std::tm parts{};
    if (gmtime_r(&seconds, &parts) == nullptr) {
        return "?";
    }
    std::array<char, 32> text{};
    const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
    return fmt::format("{}.{:03}Z", std::string_view{text.data(), length}, ms % 1000);
}

Result<CivilMs> parse_since(std::string_view text, CivilMs now) {
    if (const auto duration = parse_duration(text)) {
        return *duration > Duration::zero() ? Result<CivilMs>{CivilMs{raw(now) - to_ms(*duration)}}
                                            : fail(Errc::invalid, "write more than 0s");
    }
    constexpr std::array<const char*, 5> forms{"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S",
                                               "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d"};
    const std::string written{text.substr(0, 40)};
    for (const char* const form : forms) {
        std::tm parts{};
        const char* const rest = strptime(written.c_str(), form, &parts);
        // Fractions of a second are accepted, and ignored.
        if (rest == nullptr ||
            std::string_view{rest}.find_first_not_of(".0123456789Z") != std::string_view::npos ||
            (*rest != '\0' && *rest != '.' && *rest != 'Z')) {
            continue;
        }
        const CivilMs moment{std::int64_t{timegm(&parts)} * 1000};
        return moment < now ? Result<CivilMs>{moment}
                            : fail(Errc::invalid, "'" + written + "' is not in the past");
    }
    return fail(Errc::invalid,
                "'" + written + "' is not a time; write 10m, or 2026-11-21 10:04 (UTC)");
}

bool naturally_less(std::string_view left, std::string_view right) {
    constexpr std::string_view digits = "0123456789";
    const std::string_view whole_left = left;
    const std::string_view whole_right = right;
    const auto take_digits = [&](std::string_view& text) {
        const auto run = text.substr(0, std::min(text.find_first_not_of(digits), text.size()));
        text.remove_prefix(run.size());
        return run.substr(std::min(run.find_first_not_of('0'), run.size()));
    };
    while (!left.empty() && !right.empty()) {
        if (digits.find(left[0]) != std::string_view::npos &&
            digits.find(right[0]) != std::string_view::npos) {
            const auto of_left = take_digits(left);
            const auto of_right = take_digits(right);
            if (of_left != of_right) {
                return std::pair{of_left.size(), of_left} < std::pair{of_right.size(), of_right};
            }
        } else if (left[0] != right[0]) {
            return left[0] < right[0];
        } else {
            left.remove_prefix(1);
            right.remove_prefix(1);
        }
    }
    return left.size() != right.size() ? left.size() < right.size() : whole_left < whole_right;
}

bool naturally_less(const InstanceId& left, const InstanceId& right) {
    return left.task == right.task ? left.ordinal < right.ordinal
                                   : naturally_less(left.task, right.task);
}

std::string counted(std::size_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace muster::cli
