// Reading logs while shims write them. Real files; the test sets the times.

#include "agent/exec/log_reader.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/catch.hpp"

#include "agent/shim/log_file.hpp"
#include "common/base/file_descriptor.hpp"
#include "common/base/limits.hpp"
#include "common/base/random.hpp"
#include "tests/temporary_directory.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

constexpr std::uint64_t noon_ms = 1'790'000'000'000;

/// One stream of web.0, written with the shim's own code.
class Log {
public:
    explicit Log(std::uint64_t bytes = 1'000'000)
        : file_{directory_fd_.get(), "web.0", ".out", bytes, 0} {}

    void print(std::string_view text, std::uint64_t now_ms = noon_ms) {
        while (!text.empty()) {
            const ssize_t count = file_.write(text.data(), text.size(), now_ms);
            REQUIRE(count > 0);
            text.remove_prefix(static_cast<std::size_t>(count));
        }
    }
    [[nodiscard]] LogPiece read(LogPosition from = {}, std::uint32_t bytes = 0) const {
        return ask({.id = {"web", 0}, .from = from, .bytes = bytes});
    }
    [[nodiscard]] LogPiece since(std::uint64_t ms, std::uint64_t now_ms) const {
        return ask({.id = {"web", 0}, .from = {}, .since_ms = ms}, now_ms);
    }
    [[nodiscard]] LogPiece ask(const ReadLog& call, std::uint64_t now_ms = noon_ms) const {
        return reader_.read(call, CivilMs{static_cast<std::int64_t>(now_ms)}).value();
    }
    /// Everything after the position, which moves.
    std::string rest(LogPosition& from, std::uint32_t bytes = 0) {
        std::string text;
        while (true) {
            const LogPiece piece = read(from, bytes);
            from = piece.next;
            gaps += piece.gap ? 1 : 0;
            text += piece.data;
            if (piece.left == 0) {
                return text;
            }
        }
    }
    [[nodiscard]] std::string path(const std::string& name) const { return directory_.below(name); }
    [[nodiscard]] const LogReader& reader() const { return reader_; }

    int gaps = 0;

private:
    TemporaryDirectory directory_;
    FileDescriptor directory_fd_{
        open(directory_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    shim::LogFile file_;
    LogReader reader_{directory_.path()};
};

}  // namespace

TEST_CASE("an instance without output has an empty log", "[exec][logs]") {
    const Log log;
    const LogPiece piece = log.read();
    CHECK(piece.data.empty());
    CHECK(piece.left == 0);
    CHECK(piece.next == LogPosition{});
}

TEST_CASE("a log is read in pieces of whole lines, and continues at the last position",
          "[exec][logs]") {
    Log log;
    log.print("one\ntwo\nthree");
    const LogPiece first = log.read({}, 9);
    CHECK(first.data == "one\ntwo\n");
    CHECK(first.left == 5);
    const LogPiece second = log.read(first.next);
    CHECK(second.data == "three");
    CHECK(second.left == 0);
    log.print(" four\n");
    CHECK(log.read(second.next).data == " four\n");
}

TEST_CASE("a line longer than a piece is read anyway, whatever its bytes", "[exec][logs]") {
    Log log;
    std::string line(200'000, '\xff');
    line[7] = '\0';
    log.print(line + '\n');
    LogPosition from;
    CHECK(log.read().data.size() == limits::log_piece_bytes);
    CHECK(log.rest(from) == line + '\n');
}

// Goal: a follower sees each byte once, as long as no output was deleted.
// Method: random prints and reads, over many files; the reader is never more than a file behind.
TEST_CASE("a follower loses nothing when it continues in another file", "[exec][logs]") {
    Random random{7};
    Log log{4'000};
    LogPosition from;
    std::string printed;
    std::string read;
    std::size_t unread = 0;
    for (int turn = 0; turn < 2'000; ++turn) {
        const std::string line(1 + random.below(90), static_cast<char>('a' + random.below(26)));
        log.print(line + '\n', noon_ms + static_cast<std::uint64_t>(turn));
        printed += line + '\n';
        unread += line.size() + 1;
        if (unread > 1'500 || random.chance(1, 3)) {
            read += log.rest(from, static_cast<std::uint32_t>(random.below(700)));
            unread = 0;
        }
    }
    read += log.rest(from);
    CHECK(log.gaps == 0);
    CHECK(read == printed);
}

TEST_CASE("a reader that is too slow is shown that output is missing", "[exec][logs]") {
    Log log{2'000};
    log.print("first\n");
    LogPosition from = log.read().next;
    for (int line = 0; line < 100; ++line) {
        log.print(std::string(99, 'x') + '\n');
    }
    const LogPiece piece = log.read(from);
    CHECK(piece.gap);
    CHECK(piece.data.starts_with("xxx"));
    from = piece.next;
    CHECK(!log.read(from).gap);
}

TEST_CASE("a log is read from a time in the past", "[exec][logs]") {
    constexpr std::uint64_t minute = 60'000;
    Log log;
    log.print("an hour ago\n", noon_ms - 60 * minute);
    log.print("ten minutes ago\n", noon_ms - 10 * minute);
    log.print("now\n", noon_ms);
    CHECK(log.since(5 * minute, noon_ms).data == "now\n");
    CHECK(log.since(15 * minute, noon_ms).data == "ten minutes ago\nnow\n");
    CHECK(log.since(600 * minute, noon_ms).data == "an hour ago\nten minutes ago\nnow\n");
    CHECK(log.since(minute, noon_ms + 60 * minute).data.empty());
}

TEST_CASE("a time in the past can be in the older of the files", "[exec][logs]") {
    constexpr std::uint64_t minute = 60'000;
    Log log{2'000};
    log.print(std::string(499, 'a') + '\n', noon_ms - 60 * minute);
    log.print(std::string(499, 'b') + '\n', noon_ms - 30 * minute);
    log.print(std::string(499, 'c') + '\n', noon_ms);
    REQUIRE(std::filesystem::exists(log.path("web.0.out.1")));
    const LogPiece piece = log.since(40 * minute, noon_ms);
    CHECK(piece.data == std::string(499, 'b') + '\n');
    CHECK(log.read(piece.next).data == std::string(499, 'c') + '\n');
}

TEST_CASE("a log that was tampered with is an error, or is read as it is",
          "[exec][logs][bad_input]") {
    Log log;
    log.print("text\n");
    const LogPosition end = log.read().next;
    // A position that was never given out.
    CHECK(log.read({end.file, end.offset + 1'000'000}).gap);
    CHECK(log.read({12345, 0}).data == "text\n");
    std::ofstream{log.path("web.0.out.times"), std::ios::trunc} << "not an index";
    CHECK(log.since(1, noon_ms).data == "text\n");
    std::filesystem::remove(log.path("web.0.out"));
    std::filesystem::create_symlink("/etc/passwd", log.path("web.0.out"));
    CHECK(log.reader().read({.id = {"web", 0}, .from = {}}, CivilMs{1}).error().code == Errc::io);
}
