#include "common/log/log.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <termios.h>
#include <unistd.h>

#include "tests/catch.hpp"

#include "tests/unit/allocations.hpp"

namespace muster {
namespace {

/// Replaces standard error, so that the test can read the log.
class Errors {
public:
    explicit Errors(int fd) : before_{dup(STDERR_FILENO)} {
        REQUIRE(before_ >= 0);
        REQUIRE(dup2(fd, STDERR_FILENO) == STDERR_FILENO);
    }
    ~Errors() {
        dup2(before_, STDERR_FILENO);
        close(before_);
    }
    Errors(const Errors&) = delete;
    Errors& operator=(const Errors&) = delete;

private:
    int before_;
};

class Pipe {
public:
    Pipe() {
        REQUIRE(pipe2(ends_.data(), O_CLOEXEC) == 0);
        REQUIRE(fcntl(ends_[0], F_SETFL, O_NONBLOCK) == 0);
    }
    ~Pipe() {
        close(ends_[0]);
        close(ends_[1]);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    [[nodiscard]] int writer() const { return ends_[1]; }
    /// Everything written so far.
    [[nodiscard]] std::string read_all() const {
        std::string all;
        std::array<char, 4'096> part{};
        for (;;) {
            const auto size = read(ends_[0], part.data(), part.size());
            if (size <= 0) {
                return all;
            }
            all.append(part.data(), static_cast<std::size_t>(size));
        }
    }

private:
    std::array<int, 2> ends_{};
};

std::string without_time(std::string_view line) { return std::string{line.substr(25)}; }

}  // namespace

// Goal: no external value forges a line of the log.
// Method: values with every kind of byte.
TEST_CASE("a value in the log is quoted if necessary", "[log]") {
    const auto line = [](std::string_view value) {
        std::string text;
        log::append_field(text, "key", value);
        return text;
    };
    CHECK(line("web-7") == " key=web-7");
    CHECK(line("") == " key=\"\"");
    CHECK(line("two words") == " key=\"two words\"");
    CHECK(line("a=b") == " key=\"a=b\"");
    CHECK(line("say \"x\"\\") == " key=\"say \\\"x\\\"\\\\\"");
    CHECK(line("a\n2026 error\x1b[2J") == " key=\"a\\x0a2026 error\\x1b[2J\"");
    CHECK(line("gr\xc3\xbc\xc3\x9f") == " key=gr\xc3\xbc\xc3\x9f");
    CHECK(line("a\xc2\x9b"
               "2J\x9b") == " key=\"a\\xc2\\x9b2J\\x9b\"");
    // NOLINTNEXTLINE(misc-misleading-bidirectional): this is under test
    CHECK(line("a\xe2\x80\xae") == " key=\"a\\xe2\\x80\\xae\"");
}

TEST_CASE("the level of the log is set by its name", "[log]") {
    const auto before = log::level();
    for (const auto* name : {"trace", "debug", "info", "warn", "error"}) {
        const auto level = log::parse_level(name);
        REQUIRE(level);
        log::set_level(*level);
        CHECK(log::to_string(log::level()) == name);
    }
    log::set_level(before);
    const auto refused = log::parse_level("loud");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::invalid);
    CHECK_THAT(refused.error().detail, Catch::Contains("trace, debug, info, warn, error"));
}

TEST_CASE("a flood of lines is suppressed and counted", "[log][SC-D13]") {
    log::RateLimit limit{2, 10s};
    const Instant start{1h};
    CHECK(limit.pass(start) == 0U);
    CHECK(limit.pass(start + 1s) == 0U);
    CHECK_FALSE(limit.pass(start + 2s));
    CHECK_FALSE(limit.pass(start + 9s));
    CHECK(limit.pass(start + 10s) == 2U);
    CHECK(limit.pass(start + 11s) == 0U);
    CHECK_FALSE(limit.pass(start + 12s));
}

// Goal: a flood costs few lines, and the next allowed line has the number of suppressed ones.
// Method: a thousand lines in one second, and one after the interval, into a pipe.
TEST_CASE("output through a limit is bounded, and suppressed lines are counted", "[log][SC-D13]") {
    const auto before = log::level();
    log::set_level(log::Level::info);
    log::RateLimit limit{3, 10s};
    const Pipe pipe;
    {
        const Errors errors{pipe.writer()};
        for (int i = 0; i < 1'000; ++i) {
            log::write(limit, Instant{1h + i * 1ms}, log::Level::info, "node lost", {});
        }
        log::write(limit, Instant{1h + 10s}, log::Level::info, "node lost", {});
    }
    const std::string written = pipe.read_all();
    CHECK(std::ranges::count(written, '\n') == 4);
    CHECK_THAT(written, Catch::EndsWith("node lost unsaid=997\n"));
    log::set_level(before);
}

// Goal: lines below the level cost nothing.
// Method: such lines through a limit and without one; check memory and output.
TEST_CASE("a line below the level of the log is neither formatted nor counted", "[log][SC-D13]") {
    const auto before = log::level();
    log::set_level(log::Level::warn);
    log::RateLimit limit{1, 10s};
    const Pipe pipe;
    {
        const Errors errors{pipe.writer()};
        CHECK(allocations::bytes_of([&] {
                  for (int i = 0; i < 1'000; ++i) {
                      log::info("node lost", {{"node", "web-7"}});
                      log::write(limit, Instant{1h}, log::Level::info, "node lost",
                                 {{"node", "web-7"}});
                  }
              }) == 0);
        CHECK(limit.pass(Instant{1h}) == 0U);
    }
    CHECK(pipe.read_all().empty());
    log::set_level(before);
}

// Goal: a reader of standard error that does not read stops no daemon.
// Method: write more lines than a pipe holds, then read it: every line is there or counted.
TEST_CASE("a log without a reader loses lines and counts them", "[log]") {
    constexpr std::ptrdiff_t lines = 20'000;
    const Pipe pipe;
    std::string before;
    std::string after;
    {
        const Errors errors{pipe.writer()};
        for (std::ptrdiff_t i = 0; i < lines; ++i) {
            log::info("node lost", {{"node", "web-7"}});
        }
        before = pipe.read_all();
        log::info("the reader is back");
        log::info("and reads on");
        after = pipe.read_all();
    }
    const auto kept = std::count(before.begin(), before.end(), '\n');
    CHECK(kept > 100);
    CHECK(kept < lines);
    CHECK(before.ends_with("Z info  node lost node=web-7\n"));
    REQUIRE(std::count(after.begin(), after.end(), '\n') == 3);
    const auto second = after.find('\n') + 1;
    const auto third = after.find('\n', second) + 1;
    CHECK(without_time(after.substr(0, second)) ==
          "warn  lines of the log were lost, because standard error took none lines=" +
              std::to_string(lines - kept) + "\n");
    CHECK(without_time(after.substr(second, third - second)) == "info  the reader is back\n");
    CHECK(without_time(after.substr(third)) == "info  and reads on\n");
}

// Goal: no line is so long that a partial write to a pipe makes the daemon wait.
// Method: a long value, into a pipe of one page.
TEST_CASE("a line of the log is cut where a pipe would block", "[log]") {
    const Pipe pipe;
    REQUIRE(fcntl(pipe.writer(), F_SETPIPE_SZ, 4'096) == 4'096);
    std::string value;
    for (int i = 0; i < 5'000; ++i) {
        value += "\xc3\xbc";
    }
    for (const auto* const first : {"", "x"}) {  // One of the two is cut within a character.
        {
            const Errors errors{pipe.writer()};
            log::info("task refused", {{"detail", first + value}});
        }
        const auto line = pipe.read_all();
        CHECK(line.size() >= 4'095);
        CHECK(line.size() <= 4'096);
        CHECK(line.ends_with("\xc3\xbc...\n"));
    }
}

// Goal: Ctrl-S on the terminal does not stop a daemon.
// Method: stop and restart the output of a pseudo-terminal.
TEST_CASE("a stopped terminal drops lines of the log", "[log]") {
    const int screen = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(screen >= 0);
    REQUIRE(grantpt(screen) == 0);
    REQUIRE(unlockpt(screen) == 0);
    const int terminal = open(ptsname(screen), O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(terminal >= 0);
    REQUIRE(tcflow(terminal, TCOOFF) == 0);
    {
        const Errors errors{terminal};
        log::info("stopped");
        REQUIRE(tcflow(terminal, TCOON) == 0);
        log::info("continues");
    }
    std::string seen;
    std::array<char, 4'096> part{};
    while (!seen.ends_with("continues\r\n")) {
        const auto size = read(screen, part.data(), part.size());
        REQUIRE(size > 0);
        seen.append(part.data(), static_cast<std::size_t>(size));
    }
    CHECK_THAT(seen, Catch::Contains("took none lines=1\r\n"));
    CHECK_THAT(seen, !Catch::Contains("stopped"));
    close(terminal);
    close(screen);
}

}  // namespace muster
