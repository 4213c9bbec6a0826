#include "common/log/log.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <memory>
#include <mutex>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include "common/text/utf8.hpp"

namespace muster::log {
namespace {

constexpr std::array names{std::string_view{"trace"}, std::string_view{"debug"},
                           std::string_view{"info"}, std::string_view{"warn"},
                           std::string_view{"error"}};

constexpr std::size_t column = 6;  // The longest name of a level fits.

static_assert(spdlog::level::trace == static_cast<int>(Level::trace) &&
                  spdlog::level::err == static_cast<int>(Level::error),
              "the library counts its levels alike");
spdlog::level::level_enum library_level(Level level) {
    return static_cast<spdlog::level::level_enum>(level);
}

/// Standard error, without ever waiting for its reader: a line that does not fit at once is lost.
/// The next line that fits is preceded by the number of lost lines.
///
/// A pipe that is ready takes PIPE_BUF bytes at once, so no line is longer. Limits: it blocks if
/// another process fills the same pipe between the check and the line, or if a terminal has room
/// for only a part of the line.
class Sink final : public spdlog::sinks::base_sink<std::mutex> {
    void sink_it_(const spdlog::details::log_msg& record) override {
        if (lost_ > 0) {
            std::string sentence =
                "warn  lines of the log were lost, because standard error took none";
            append_field(sentence, "lines", std::to_string(lost_));
            auto notice = record;
            notice.payload = sentence;
            lost_ = put(notice) ? 0 : lost_;
        }
        // The number comes first: otherwise the gap would seem to follow this line.
        if (lost_ > 0 || !put(record)) {
            ++lost_;
        }
    }
    void flush_() override {}

    bool put(const spdlog::details::log_msg& record) {
        spdlog::memory_buf_t line;
        formatter_->format(record, line);
        if (line.size() > PIPE_BUF) {
            cut(line);
        }
        pollfd ready{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
        return poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0 &&
               ::write(STDERR_FILENO, line.data(), line.size()) > 0;
    }

    static void cut(spdlog::memory_buf_t& line) {
        static constexpr std::string_view mark = "...\n";
        line.resize(muster::cut({line.data(), line.size()}, PIPE_BUF - mark.size()).size());
        line.append(mark.data(), mark.data() + mark.size());
    }

    std::uint64_t lost_ = 0;
};

// Never destroyed: it lives from the first line to the last.
spdlog::logger& logger() {
    static const auto instance = [] {
        auto made = std::make_shared<spdlog::logger>("muster", std::make_shared<Sink>());
        made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc);
        return made;
    }();
    return *instance;
}

bool is_plain(std::string_view value) {
    while (const auto bytes = character_bytes(value)) {
        if (std::string_view{" \"=\\"}.find(value.front()) != std::string_view::npos) {
            return false;
        }
        value.remove_prefix(bytes);
    }
    return value.empty();
}

/// In quotes, on one line, and without control characters.
void append_quoted(std::string& line, std::string_view value) {
    static constexpr std::string_view digits = "0123456789abcdef";
    line += '"';
    while (!value.empty()) {
        const auto bytes = character_bytes(value);
        const auto first = static_cast<unsigned char>(value.front());
        if (bytes == 0) {
            line += "\\x";
            line += digits[first >> 4U];
            line += digits[first & 0x0fU];
        } else {
            line += value.front() == '"' || value.front() == '\\' ? "\\" : "";
            line += value.substr(0, bytes);
        }
        value.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    line += '"';
}

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
    if (!value.empty() && is_plain(value)) {
        line += value;
    } else {
        append_quoted(line, value);
    }
}

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
        ++suppressed_;
        return std::nullopt;
    }
    ++passed_;
    return std::exchange(suppressed_, 0);
}

}  // namespace muster::log
