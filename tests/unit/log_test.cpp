#include "common/log.hpp"

#include <string>

#include "tests/catch.hpp"

namespace muster {

// Goal: no value from outside forges a line of the log.
// Method: values with every kind of byte.
TEST_CASE("a value in the log is quoted where it must be", "[log]") {
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
}

TEST_CASE("the level of the log changes by its name", "[log]") {
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

TEST_CASE("a flood of lines is held back and counted", "[log]") {
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

}  // namespace muster
