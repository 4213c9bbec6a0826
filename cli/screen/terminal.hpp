#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.hpp"
#include "common/base/time.hpp"

namespace muster::cli {

/// What is known of the places we write to and read from. Pure facts, gathered once.
struct Terminal {
    bool in_is_terminal = false;
    bool out_is_terminal = false;
    bool err_is_terminal = false;
    bool colours = false;     ///< Standard output is a terminal that wants them, no NO_COLOR.
    std::size_t columns = 0;  ///< Of standard output; 0: no limit.
    std::size_t rows = 0;
};

[[nodiscard]] Terminal look_at_terminal();

/// Writes all of it to standard output. The error says why it cannot: a full disk, no reader.
[[nodiscard]] Result<void> print(std::string_view text);
/// Writes all of it to standard error.
void complain(std::string_view text);
/// Writes a fault to standard error unless it is the one that was `said` last.
void complain_once(std::string& said, const std::string& detail);

/// Asks on standard error and reads a line. True only for `y` or `yes`.
[[nodiscard]] bool confirm(std::string_view question);

/// Blocks of text one after the other: on a terminal each in the place of the last without
/// flicker (lines are overwritten, never cleared first), elsewhere below it after an empty line.
class Screen {
public:
    explicit Screen(const Terminal& terminal) : terminal_{terminal} {}

    /// What is to be written to show the block, which ends with a line end.
    [[nodiscard]] std::string next(std::string_view block);

private:
    [[nodiscard]] std::string redrawn(std::string_view block);

    Terminal terminal_;
    std::size_t drawn_ = 0;  ///< Lines of the last block on a terminal.
    bool first_ = true;
};

/// One line on standard error that tells a person that work goes on. Appears after a second, and
/// on a terminal only; is wiped when it ends.
class Progress {
public:
    Progress(const Terminal& terminal, std::string what)
        : visible_{terminal.err_is_terminal}, columns_{terminal.columns}, what_{std::move(what)} {}
    ~Progress() { wipe(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Called often while the work goes on; the first time when it begins.
    void tick(Instant now);
    /// What is known of the work meanwhile, shown behind the line.
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
