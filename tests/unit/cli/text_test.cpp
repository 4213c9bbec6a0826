#include "cli/screen/text.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "cli/screen/table.hpp"
#include "common/base/ids.hpp"

using namespace muster;
using namespace muster::cli;

// Goal: no text from the cluster is a terminal command.
// Method: every byte alone, then the classic sequences.
TEST_CASE("no control byte survives on its way to the terminal", "[cli]") {
    for (int byte = 0; byte < 256; ++byte) {
        const std::string text(1, static_cast<char>(byte));
        const bool harmless = byte >= 0x20 && byte < 0x7F;
        CAPTURE(byte);
        CHECK(printable(text) == (harmless ? text : "?"));
    }
    CHECK(printable("\x1b]0;evil\x07") == "?]0;evil?");
    CHECK(printable("two\nlines\r\t") == "two?lines??");
    CHECK(printable("\xC2\x9B"
                    "31m") == "??31m");
    CHECK(printable("gr\xC3\xBC\xC3\x9F dich \xE2\x82\xAC") ==
          "gr\xC3\xBC\xC3\x9F dich \xE2\x82\xAC");
    CHECK(printable("cut \xE2\x82") == "cut ??");
    // NOLINTNEXTLINE(misc-misleading-bidirectional): this is under test
    CHECK(printable("to the \xE2\x80\xAEleft, \xE2\x81\xA6\xE2\x80\x8F\xD8\x9C\xE2\x80\xA8") ==
          "to the ???left, ???????????");
    CHECK(printable("\xE0\x82\x9B \xED\xA0\x80 \xF0\x82\x82\xAC \xF4\x90\x80\x80") ==
          "??? ??? ???? ????");
    CHECK(printable("\xE2\x80\xA7\xEF\xBF\xBD\xF0\x9F\x98\x80") ==
          "\xE2\x80\xA7\xEF\xBF\xBD\xF0\x9F\x98\x80");
}

TEST_CASE("a cut text keeps its characters whole and shows that it was cut", "[cli]") {
    CHECK(cut_to("\xC3\xA4\xC3\xB6\xC3\xBC", 3) == "\xC3\xA4\xC3\xB6\xC3\xBC");
    CHECK(cut_to("\xC3\xA4\xC3\xB6\xC3\xBC", 2) == "\xC3\xA4~");
    CHECK(cut_to("abc", 1) == "~");
    CHECK(cut_to("abc", 0).empty());
    CHECK(width_of("\xC3\xA4"
                   "b") == 2);
}

// A task can print anything, but must not move the cursor or forge a line.
TEST_CASE("the output of a task is shown with its colours and without other escapes",
          "[cli][bad_input]") {
    CHECK(harmless("a\tb\r\nc\n") == "a\tb\r\nc\n");
    CHECK(harmless("\x1b[31mred\x1b[0m") == "\x1b[31mred\x1b[0m");
    CHECK(harmless("\x1b[2J\x1b]0;title\x07") == "?[2J?]0;title?");
    CHECK(harmless("over\rwritten") == "over?written");
    CHECK(harmless("\xff\xc3\xa4\x1b[3") == "?\xc3\xa4?[3");
}

// Goal: n2 precedes n10 in every list that people read.
// Method: names whose byte order is wrong for people, and instances with them.
TEST_CASE("names are sorted in natural order", "[cli]") {
    const std::vector<std::string> sorted{"a",     "a01",    "a1", "a2",    "a10",
                                          "a10b2", "a10b10", "b",  "n1-r2", "n1-r10"};
    auto mixed = sorted;
    std::ranges::sort(mixed);
    REQUIRE(mixed != sorted);
    CHECK(in_natural_order(mixed, std::identity{}) == sorted);
    CHECK(naturally_less(InstanceId{"web2", 11}, InstanceId{"web10", 2}));
    CHECK(naturally_less(InstanceId{"web", 2}, InstanceId{"web", 10}));
    CHECK_FALSE(naturally_less("n1", "n1"));
    CHECK(naturally_less("99999999999999999999998", "99999999999999999999999"));
}

TEST_CASE("a moment is a time before now, or a time in UTC", "[cli]") {
    const CivilMs present{1'700'000'000'123};  // 2023-11-14 22:13:20.123Z
    CHECK(parse_since("10m", present) == CivilMs{1'699'999'400'123});
    CHECK(parse_since("2023-11-14 22:13:19Z", present) == CivilMs{1'699'999'999'000});
    CHECK(parse_since("2023-11-14T22:13", present) == CivilMs{1'699'999'980'000});
    CHECK(parse_since("2023-11-14", present) == CivilMs{1'699'920'000'000});
    CHECK(parse_since(civil_time(CivilMs{1'699'999'999'999}), present) ==
          CivilMs{1'699'999'999'000});
    for (const std::string text :
         {"", "x", "0s", "2023-11-14 22:14", "2023-11-14x", "14.11.2023"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_since(text, present));
    }
}

TEST_CASE("a long text is broken between words, and a long word anywhere", "[cli]") {
    using Lines = std::vector<std::string>;
    CHECK(wrapped("", 30) == Lines{""});
    CHECK(wrapped("one two", 0) == Lines{"one two"});
    CHECK(wrapped("twenty columns of it and more", 20) ==
          Lines{"twenty columns of it", "and more"});
    CHECK(wrapped("abcdefghijklmnopqrstuvwxyz", 20) == Lines{"abcdefghijklmnopqrst", "uvwxyz"});
    CHECK(wrapped("\xC3\xA4\xC3\xB6 and so on and so on x", 20) ==
          Lines{"\xC3\xA4\xC3\xB6 and so on and so", "on x"});
    CHECK(wrapped("hardly any room for this", 10) == Lines{"hardly an~"});
}

TEST_CASE("an age is short, and never negative", "[cli]") {
    const auto ago = [](std::int64_t seconds) {
        return age(CivilMs{1'000'000'000'000}, CivilMs{1'000'000'000'000 + seconds * 1000});
    };
    CHECK(ago(0) == "0s");
    CHECK(ago(59) == "59s");
    CHECK(ago(185) == "3m05s");
    CHECK(ago(3600 * 4 + 600) == "4h10m");
    CHECK(ago(86'400 * 6 + 5) == "6d");
    CHECK(ago(-10) == "0s");
    CHECK(age(CivilMs{0}, CivilMs{5}) == "-");
    CHECK(age(CivilMs{std::numeric_limits<std::int64_t>::min()}, CivilMs{5}) == "106751d");
}

TEST_CASE("civil time is written in UTC to the millisecond", "[cli]") {
    CHECK(civil_time(CivilMs{1'700'000'000'123}) == "2023-11-14 22:13:20.123Z");
    CHECK(civil_time(CivilMs{-5}) == "1970-01-01 00:00:00.000Z");
}

TEST_CASE("a table is aligned by characters, and omits empty columns", "[cli]") {
    Table table{{"NAME", "NOTE", "STATE"}};
    table.add({"\xC3\xA4", "", Cell{"running", Tone::good}});
    table.add({"long-name", "", Cell{"lo\x1bst", Tone::bad}});
    CHECK(table.to_text({}) ==
          "NAME       STATE\n"
          "\xC3\xA4          running\n"
          "long-name  lo?st\n");
    CHECK(table.to_text({.colours = true, .columns = 0}).find("\033[32mrunning\033[0m") !=
          std::string::npos);
    CHECK(table.to_text({.colours = false, .columns = 13}) ==
          "NAME       S~\n"
          "\xC3\xA4          r~\n"
          "long-name  l~\n");
}

// Goal: a reason is readable in full in any usual terminal.
// Method: the same table with much room beside its columns, with some, and with almost none.
TEST_CASE("a last cell that does not fit wraps below itself or below its row", "[cli]") {
    Table table{{"INSTANCE", "STATE", "DETAIL"}};
    table.add({"a-long-instance.0", "backoff", "ended with exit code 3, again after 1 s"});
    table.add({"web.0", "running", ""});
    CHECK(table.to_text({.columns = 52}) ==
          "INSTANCE           STATE    DETAIL\n"
          "a-long-instance.0  backoff  ended with exit code 3,\n"
          "                            again after 1 s\n"
          "web.0              running\n");
    CHECK(table.to_text({.columns = 45}) ==
          "INSTANCE           STATE    DETAIL\n"
          "a-long-instance.0  backoff\n"
          "    ended with exit code 3, again after 1 s\n"
          "web.0              running\n");
    CHECK(table.to_text({.columns = 30}) ==
          "INSTANCE           STATE    D~\n"
          "a-long-instance.0  backoff  e~\n"
          "web.0              running\n");
}
