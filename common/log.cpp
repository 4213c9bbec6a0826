#include "common/log.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace muster::log {
namespace {

constexpr std::array names{std::string_view{"trace"}, std::string_view{"debug"},
                           std::string_view{"info"}, std::string_view{"warn"},
                           std::string_view{"error"}};

constexpr std::size_t column = 6;  // Behind the longest name of a level.

spdlog::level::level_enum library_level(Level level) {
    switch (level) {
        case Level::trace: return spdlog::level::trace;
        case Level::debug: return spdlog::level::debug;
        case Level::info: return spdlog::level::info;
        case Level::warn: return spdlog::level::warn;
        case Level::error: return spdlog::level::err;
    }
    return spdlog::level::info;
}

// Nobody constructs or ends it: it is there from the first line to the last.
spdlog::logger& logger() {
    static const auto instance = [] {
        auto made = std::make_shared<spdlog::logger>(
            "muster", std::make_shared<spdlog::sinks::stderr_sink_mt>());
        made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc);
        return made;
    }();
    return *instance;
}

bool is_plain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte != 0x7f && c != '"' && c != '=' && c != '\\';
}

void append_escaped(std::string& line, char c) {
    static constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
        line += '\\';
        line += c;
    } else if (byte < 0x20 || byte == 0x7f) {
        line += "\\x";
        line += digits[byte >> 4U];
        line += digits[byte & 0x0fU];
    } else {
        line += c;
    }
}

}  // namespace

std::string_view to_string(Level level) { return names[static_cast<std::size_t>(level)]; }

Result<Level> parse_level(std::string_view text) {
    const auto* const found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) {
        return fail(Errc::invalid, "'" + std::string{text} +
                                       "' is no log level; one of trace, debug, info, warn, error");
    }
    return static_cast<Level>(found - names.begin());
}

void set_level(Level level) { logger().set_level(library_level(level)); }

Level level() {
    return static_cast<Level>(std::min<int>(logger().level(), static_cast<int>(Level::error)));
}

void append_field(std::string& line, std::string_view key, std::string_view value) {
    line += ' ';
    line += key;
    line += '=';
    if (!value.empty() && std::all_of(value.begin(), value.end(), is_plain)) {
        line += value;
        return;
    }
    line += '"';
    for (const char c : value) {
        append_escaped(line, c);
    }
    line += '"';
}

namespace {

void write_line(Level level, std::string_view sentence, Fields fields, std::uint64_t unsaid) {
    std::string line{to_string(level)};
    line.resize(column, ' ');
    line += sentence;
    for (const auto& field : fields) {
        append_field(line, field.key, field.value);
    }
    if (unsaid > 0) {
        append_field(line, "unsaid", std::to_string(unsaid));
    }
    logger().log(library_level(level), line);
}

}  // namespace

void write(Level level, std::string_view sentence, Fields fields) {
    if (logger().should_log(library_level(level))) {
        write_line(level, sentence, fields, 0);
    }
}

void write(RateLimit& limit, Instant now, Level level, std::string_view sentence, Fields fields) {
    if (!logger().should_log(library_level(level))) {
        return;
    }
    if (const auto unsaid = limit.pass(now)) {
        write_line(level, sentence, fields, *unsaid);
    }
}

std::optional<std::uint64_t> RateLimit::pass(Instant now) {
    if (passed_ == 0 || now - began_ >= interval_) {
        began_ = now;
        passed_ = 0;
    }
    if (passed_ == lines_) {
        ++unsaid_;
        return std::nullopt;
    }
    ++passed_;
    return std::exchange(unsaid_, 0);
}

}  // namespace muster::log
