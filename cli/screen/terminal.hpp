#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.hpp"
#include "common/base/time.hpp"

namespace muster::cli {

/// Facts about standard input, output and error. Collected once.
struct Terminal {
    bool in_is_terminal = false;
    bool out_is_terminal = false;
    bool err_is_terminal = false;
    bool colours = false;     ///< Output is a terminal, and NO_COLOR is unset.
    std::size_t columns = 0;  ///< Of standard output; 0: no limit.
    std::size_t rows = 0;
};

[[nodiscard]] Terminal detect_terminal();

/// Writes all of it to standard output. The error has the reason, such as a full disk or no reader.
[[nodiscard]] Result<void> print(std::string_view text);
/// Writes all of it to standard error.
void print_error(std::string_view text);
/// Writes a fault to standard error, unless it is the last one, `last`.
void print_error_once(std::string& last, const std::string& detail);

/// Asks on standard error and reads a line. True only for `y` or `yes`.
[[nodiscard]] bool confirm(std::string_view question);

/// Consecutive blocks of text: on a terminal each replaces the last one without flicker (lines are
/// overwritten, never cleared first), elsewhere each follows after an empty line.
class Screen {
public:
    explicit Screen(const Terminal& terminal) : terminal_{terminal} {}

    /// The text that shows the block. It ends with a line end.
    [[nodiscard]] std::string next(std::string_view block);

private:
    [[nodiscard]] std::string redrawn(std::string_view block);

    Terminal terminal_;
    std::size_t drawn_ = 0;  ///< Lines of the last block on a terminal.
    bool first_ = true;
};

/// One line on standard error that shows that work continues. It appears after a second, on a
/// terminal only, and is wiped at the end.
class Progress {
public:
    Progress(const Terminal& terminal, std::string what)
        : visible_{terminal.err_is_terminal}, columns_{terminal.columns}, what_{std::move(what)} {}
    ~Progress() { wipe(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// To be called at the beginning of the work, and often during it.
    void tick(Instant now);
    /// The state of the work, shown after the line.
    void note(std::string_view detail) { detail_ = detail; }
    void wipe();

private:
    bool visible_;
    std::size_t columns_;
    bool drawn_ = false;
    std::size_t turn_ = 0;
    std::optional<Instant> began_;
    std::string what_;
    std::string detail_;
};

}  // namespace muster::cli
