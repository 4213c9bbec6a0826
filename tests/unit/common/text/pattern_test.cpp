#include "common/text/pattern.hpp"

#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"

using namespace muster;
using pattern::beginning;
using pattern::matches;

TEST_CASE("a pattern without wildcards matches the same name", "[pattern]") {
    CHECK(matches("web", "web"));
    CHECK_FALSE(matches("web", "web2"));
    CHECK_FALSE(matches("web", "we"));
    CHECK(pattern::is_name("web-7"));
    CHECK_FALSE(pattern::is_name("web-*"));
    CHECK_FALSE(pattern::is_name("web-[1-2]"));
}

TEST_CASE("a star matches any run of characters and a question mark any one", "[pattern]") {
    CHECK(matches("*", "web"));
    CHECK(matches("web*", "web"));
    CHECK(matches("*b", "web"));
    CHECK(matches("w*b*7", "wxbyb7"));
    CHECK(matches("**", "x"));
    CHECK_FALSE(matches("w*b*7", "wxy7"));
    CHECK(matches("w?b", "web"));
    CHECK_FALSE(matches("w?b", "wb"));
    CHECK_FALSE(matches("?", ""));
}

TEST_CASE("a range matches the whole numbers it lists", "[pattern]") {
    for (const char* const name : {"n1", "n7", "n40", "n52"}) {
        CHECK(matches("n[1-40,52]", name));
    }
    for (const char* const name : {"n0", "n41", "n51", "n53", "n", "nx", "n07", "n1x", "n520"}) {
        CHECK_FALSE(matches("n[1-40,52]", name));
    }
    CHECK(matches("r[1-2]-n[5]", "r2-n5"));
    CHECK(matches("n[0]", "n0"));
    CHECK(matches("n1[0-9]", "n15"));
}

TEST_CASE("a range with leading zeros matches numbers of that width only", "[pattern]") {
    CHECK(matches("n[01-40]", "n01"));
    CHECK(matches("n[01-40]", "n40"));
    CHECK_FALSE(matches("n[01-40]", "n1"));
    CHECK_FALSE(matches("n[01-40]", "n001"));
    CHECK(matches("n[000-100]", "n007"));
}

TEST_CASE("a star before a range leaves the number whole", "[pattern]") {
    CHECK(matches("*[1-40]", "rack-n12"));
    CHECK_FALSE(matches("*[1-40]", "n112"));
    CHECK(matches("*[1-40]*", "n12-x"));
}

TEST_CASE("a broken pattern is refused with the correct form, and matches nothing", "[pattern]") {
    for (const std::string& bad :
         {std::string{}, std::string{"["}, std::string{"n[1-40"}, std::string{"n[]"},
          std::string{"n[3-1]"}, std::string{"n[1-2,]"}, std::string{"n[,1]"}, std::string{"n[a]"},
          std::string{"n[1--2]"}, std::string{"n[1234567890]"}, std::string{"n]"},
          std::string{"Web"}, std::string{"a b"}, std::string{"a/b"},
          std::string(limits::pattern_bytes + 1, '*')}) {
        CAPTURE(bad);
        const auto result = pattern::check(bad);
        REQUIRE_FALSE(result);
        CHECK(result.error().code == Errc::invalid);
        CHECK_FALSE(matches(bad, "n1"));
    }
}

// Goal: no pattern is expensive to match. Method: the classic one with exponential backtracking.
TEST_CASE("names that match a pattern have its prefix", "[pattern]") {
    CHECK(beginning("web-*") == "web-");
    CHECK(beginning("n[1-40].eu") == "n");
    CHECK(beginning("?").empty());
    CHECK(beginning("web-1") == "web-1");
}

TEST_CASE("many stars against a long name end soon", "[pattern]") {
    std::string many;
    for (int i = 0; i < 80; ++i) {
        many += "*a";
    }
    CHECK_FALSE(matches(many + "*b", std::string(limits::name_bytes, 'a')));
}
