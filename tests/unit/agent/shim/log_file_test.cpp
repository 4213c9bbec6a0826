// The files that a shim writes. The test sets the times.

#include "agent/shim/log_file.hpp"

#include <array>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/catch.hpp"

#include "common/base/file_descriptor.hpp"
#include "tests/temporary_directory.hpp"

using namespace muster;

namespace {

constexpr std::uint64_t hour_ms = 3'600'000;
constexpr std::uint64_t year_ms = 365 * 24 * hour_ms;
constexpr std::uint64_t today_ms = 1'790'000'000'000;

class LogDirectory {
public:
    [[nodiscard]] shim::LogFile file(std::uint64_t bytes, std::uint64_t age_ms = 0) const {
        return {directory_.get(), "web.0", ".out", bytes, age_ms};
    }
    [[nodiscard]] std::string text(const std::string& name) const {
        std::ifstream stream{path_.below(name)};
        std::ostringstream text;
        text << stream.rdbuf();
        return text.str();
    }
    [[nodiscard]] std::string now() const { return text("web.0.out"); }
    [[nodiscard]] std::string before() const { return text("web.0.out.1"); }
    [[nodiscard]] std::string path(const std::string& name) const { return path_.below(name); }

private:
    TemporaryDirectory path_;
    FileDescriptor directory_{open(path_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
};

void write_all(shim::LogFile& file, std::string_view text, std::uint64_t now_ms) {
    while (!text.empty()) {
        const ssize_t count = file.write(text.data(), text.size(), now_ms);
        REQUIRE(count > 0);
        text.remove_prefix(static_cast<std::size_t>(count));
    }
}

}  // namespace

// Method: lines of 400 bytes and a bound of 2,000, written at once and one by one.
TEST_CASE("a new log begins at half of its bound, with a whole line", "[shim][log]") {
    const LogDirectory logs;
    auto file = logs.file(2'000);
    const auto line = [](char letter) { return std::string(399, letter) + '\n'; };
    write_all(file, line('1') + line('2') + line('3'), today_ms);
    CHECK(logs.before() == line('1') + line('2'));
    CHECK(logs.now() == line('3'));
    write_all(file, line('4'), today_ms);
    write_all(file, line('5'), today_ms);
    CHECK(logs.before() == line('3') + line('4'));
    CHECK(logs.now() == line('5'));
}

TEST_CASE("a line that no file can hold is cut", "[shim][log]") {
    const LogDirectory logs;
    auto file = logs.file(2'000);
    write_all(file, std::string(2'500, 'x') + '\n', today_ms);
    CHECK(logs.before() == std::string(1'000, 'x'));
    CHECK(logs.now() == std::string(500, 'x') + '\n');
}

TEST_CASE("the next process of an instance continues where the last one stopped", "[shim][log]") {
    const LogDirectory logs;
    {
        auto file = logs.file(2'000);
        write_all(file, std::string(899, 'x') + '\n', today_ms);
    }
    auto file = logs.file(2'000);
    write_all(file, "two\n" + std::string(200, 'y') + '\n', today_ms);
    CHECK(logs.before() == std::string(899, 'x') + "\ntwo\n");
    CHECK(logs.now() == std::string(200, 'y') + '\n');
}

TEST_CASE("a new log begins at half of its age, and the old one is gone at its age",
          "[shim][log]") {
    const LogDirectory logs;
    auto file = logs.file(1'000, hour_ms);
    CHECK(file.due_in_ms(today_ms) == -1);
    write_all(file, "old\n", today_ms);
    CHECK(file.due_in_ms(today_ms) == hour_ms / 2);
    file.age(today_ms + hour_ms / 2 - 1);
    CHECK(logs.now() == "old\n");
    file.age(today_ms + hour_ms / 2);
    CHECK(logs.before() == "old\n");
    CHECK(logs.now().empty());
    write_all(file, "young\n", today_ms + hour_ms / 2);
    file.age(today_ms + hour_ms);
    CHECK(logs.before() == "young\n");
}

// Goal: a wrong clock neither keeps a log for a year nor deletes it at once.
// Method: set it back by a year while the file is open, and then correct it.
TEST_CASE("a clock that is set back a year keeps no log for longer", "[shim][log]") {
    const LogDirectory logs;
    auto file = logs.file(1'000, hour_ms);
    write_all(file, "before\n", today_ms);
    const std::uint64_t wrong = today_ms - year_ms;
    SECTION("noticed at a write") { write_all(file, "wrong\n", wrong); }
    SECTION("noticed at a check of the age") { file.age(wrong); }
    CHECK(logs.now().starts_with("before\n"));
    CHECK(file.due_in_ms(wrong) <= static_cast<std::int64_t>(hour_ms / 2));
    file.age(wrong + hour_ms / 2);
    CHECK(logs.before().starts_with("before\n"));
    write_all(file, "after\n", wrong + hour_ms / 2);
    write_all(file, "right\n", today_ms);
    CHECK(logs.now().ends_with("right\n"));
}

// Method: the next process begins while the clock is wrong.
TEST_CASE("a log from the future begins again in time", "[shim][log]") {
    const LogDirectory logs;
    {
        auto file = logs.file(1'000, hour_ms);
        write_all(file, "future\n", today_ms + year_ms);
    }
    auto file = logs.file(1'000, hour_ms);
    write_all(file, "now\n", today_ms);
    CHECK(logs.now() == "future\nnow\n");
    CHECK(file.due_in_ms(today_ms) == hour_ms / 2);
}

TEST_CASE("times are noted once a second, or rarely if little is written", "[shim][log]") {
    const LogDirectory logs;
    auto file = logs.file(100'000);
    const auto moments = [&] { return logs.text("web.0.out.times").size() / 16; };
    write_all(file, "a\n", today_ms);
    write_all(file, "b\n", today_ms + 1'000);
    CHECK(moments() == 1);
    write_all(file, std::string(300, 'x'), today_ms + 2'000);
    CHECK(moments() == 1);
    write_all(file, "c\n", today_ms + 3'000);
    CHECK(moments() == 2);
    write_all(file, "d\n", today_ms + 13'000);
    CHECK(moments() == 3);
    std::array<std::uint64_t, 2> last{};
    std::memcpy(last.data(), logs.text("web.0.out.times").data() + 32, 16);
    CHECK(last == std::array<std::uint64_t, 2>{today_ms + 13'000, 306});
}

TEST_CASE("a log whose directory is gone does not end the writer", "[shim][log]") {
    const LogDirectory logs;
    shim::LogFile file{-1, "web.0", ".out", 1'000, 0};
    CHECK(file.write("x", 1, today_ms) == -1);
    file.age(today_ms);
    CHECK(file.due_in_ms(today_ms) == -1);
}
