#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/base/time.hpp"

/// The log of a daemon: one line per fact on stderr, `key=value` after the sentence:
///
///     2026-11-21T10:00:00.123Z info  node lost node=web-7 silent=3
///
/// Values from outside are quoted and escaped, so that none can forge a line. For shells only: a
/// core reports events by its output. The only user of spdlog.
///
/// No line waits for its reader: lines that do not fit into a full pipe are lost, and counted.
namespace muster::log {

enum class Level : std::uint8_t { trace, debug, info, warn, error };

[[nodiscard]] std::string_view to_string(Level level);
/// `invalid` lists the valid levels.
[[nodiscard]] Result<Level> parse_level(std::string_view text);

struct Field {
    std::string_view key;
    std::string value;

    Field(std::string_view name, std::string_view text) : key{name}, value{text} {}
    Field(std::string_view name, const std::string& text) : key{name}, value{text} {}
    Field(std::string_view name, const char* text) : key{name}, value{text} {}
    Field(std::string_view name, std::integral auto number)
        : key{name}, value{std::to_string(number)} {}
};
using Fields = std::initializer_list<Field>;

void set_level(Level level);
[[nodiscard]] Level level();

void write(Level level, std::string_view sentence, Fields fields = {});
inline void debug(std::string_view sentence, Fields fields = {}) {
    write(Level::debug, sentence, fields);
}
inline void info(std::string_view sentence, Fields fields = {}) {
    write(Level::info, sentence, fields);
}
inline void warn(std::string_view sentence, Fields fields = {}) {
    write(Level::warn, sentence, fields);
}
inline void error(std::string_view sentence, Fields fields = {}) {
    write(Level::error, sentence, fields);
}

/// Lets a few lines of one kind through in each interval, so that a peer cannot fill the disk.
///
///     log::write(limit, now, Level::warn, "message refused", {{"reason", reason}});
///
/// The first line that passes again has the number of suppressed ones.
class RateLimit {
public:
    explicit RateLimit(std::uint32_t lines = 5, Duration interval = 10s)
        : lines_{lines}, interval_{interval} {}

    /// The number of lines suppressed since the last that passed; nothing: this one is suppressed,
    /// too.
    [[nodiscard]] std::optional<std::uint64_t> pass(Instant now);

private:
    std::uint32_t lines_;
    Duration interval_;
    Instant began_{};
    std::uint32_t passed_ = 0;
    std::uint64_t suppressed_ = 0;
};

void write(RateLimit& limit, Instant now, Level level, std::string_view sentence,
           Fields fields = {});

/// `key=value` with the value quoted where it must be. Exposed for its test.
void append_field(std::string& line, std::string_view key, std::string_view value);

}  // namespace muster::log
