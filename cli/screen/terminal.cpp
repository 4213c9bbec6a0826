#include "cli/screen/terminal.hpp"

#include <array>
#include <cstring>
#include <iostream>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/screen/text.hpp"
#include "common/base/file_descriptor.hpp"
#include "common/base/paths.hpp"

namespace muster::cli {

Terminal detect_terminal() {
    Terminal terminal{.in_is_terminal = isatty(STDIN_FILENO) == 1,
                      .out_is_terminal = isatty(STDOUT_FILENO) == 1,
                      .err_is_terminal = isatty(STDERR_FILENO) == 1,
                      .colours = false,
                      .columns = 0,
                      .rows = 0};
    const bool dumb = paths::variable("TERM") == "dumb";
    terminal.colours = terminal.out_is_terminal && !dumb && paths::variable("NO_COLOR").empty();
    terminal.out_is_terminal = terminal.out_is_terminal && !dumb;
    terminal.err_is_terminal = terminal.err_is_terminal && !dumb;
    winsize size{};
    if (terminal.out_is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        terminal.columns = size.ws_col;
        terminal.rows = size.ws_row;
    }
    return terminal;
}

Result<void> print(std::string_view text) {
    if (const int error = write_all(STDOUT_FILENO, text); error != 0) {
        return fail(Errc::io,
                    fmt::format("standard output cannot be written to: {}", std::strerror(error)));
    }
    return {};
}

void print_error(std::string_view text) { static_cast<void>(write_all(STDERR_FILENO, text)); }

void print_error_once(std::string& last, const std::string& detail) {
    if (std::exchange(last, detail) != detail) {
        print_error(fmt::format("muster: {}\n", printable(detail)));
    }
}

bool confirm(std::string_view question) {
    print_error(fmt::format("{} [y/N] ", question));
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "yes";
}

std::string Screen::next(std::string_view block) {
    if (terminal_.out_is_terminal) {
        return redrawn(block);
    }
    const bool first = std::exchange(first_, false);
    return first ? std::string{block} : '\n' + std::string{block};
}

// Moves the cursor from below the last block to its first line, overwrites each line and clears the
// rest of it, then clears what is left of the old block.
std::string Screen::redrawn(std::string_view block) {
    std::string text = drawn_ == 0 ? "" : fmt::format("\033[{}A", drawn_);
    const std::size_t room = terminal_.rows > 1 ? terminal_.rows - 1 : block.size();
    drawn_ = 0;
    while (!block.empty() && drawn_ < room) {
        const auto end = block.find('\n');
        text += block.substr(0, end);
        text += "\033[K\n";
        block.remove_prefix(end == std::string_view::npos ? block.size() : end + 1);
        ++drawn_;
    }
    return text + "\033[J";
}

void Progress::tick(Instant now) {
    static constexpr std::array frames{'|', '/', '-', '\\'};
    constexpr std::size_t usual_columns = 80;
    const Duration elapsed = now - began_.value_or(now);
    began_ = began_.value_or(now);
    if (!visible_ || elapsed < 1s) {
        return;
    }
    drawn_ = true;
    const auto detail = detail_.empty() ? std::string{} : ": " + detail_;
    const auto line = fmt::format("{} {} {} s{}", frames[turn_++ % frames.size()], what_,
                                  to_ms(elapsed) / 1000, detail);
    const std::size_t room = (columns_ > 0 ? columns_ : usual_columns) - 1;
    print_error('\r' + cut_to(printable(line), room) + "\033[K");
}

void Progress::wipe() {
    if (std::exchange(drawn_, false)) {
        print_error("\r\033[K");
    }
}

}  // namespace muster::cli
