#include "common/base/ids.hpp"

#include <set>
#include <string>
#include <type_traits>

#include "tests/catch.hpp"

#include "common/base/ensure.hpp"
#include "common/base/random.hpp"
#include "common/base/result.hpp"

using namespace muster;

namespace {

template <class From, class To>
constexpr bool converts = std::is_convertible_v<From, To>;

}  // namespace

// Goal: one kind of id is never passed for another. Method: ask the compiler.
TEST_CASE("ids of different kinds do not convert into each other", "[ids]") {
    STATIC_REQUIRE_FALSE(converts<Epoch, Round>);
    STATIC_REQUIRE_FALSE(converts<Generation, Revision>);
    STATIC_REQUIRE_FALSE(converts<std::uint64_t, Epoch>);
    STATIC_REQUIRE_FALSE(converts<ClusterId, LeaderId>);
    STATIC_REQUIRE_FALSE(converts<NodeIndex, TaskIndex>);
}

// Goal: a person can copy a 128-bit id as text. Method: write and read, with and without dashes.
TEST_CASE("a 128-bit id reads back what it wrote and accepts the dashes of a UUID", "[ids]") {
    Random random{7};
    for (int i = 0; i < 100; ++i) {
        const RequestId id{random.next(), random.next()};
        const std::string text = to_string(id);
        REQUIRE(text.size() == 32);
        CHECK(parse_id<RequestId>(text) == id);
        std::string dashed = text;
        for (const std::size_t at : {8U, 13U, 18U, 23U}) {
            dashed.insert(at, "-");
        }
        CHECK(parse_id<RequestId>(dashed) == id);
    }
}

TEST_CASE("text that is not 32 hexadecimal digits is not an id", "[ids]") {
    CHECK_FALSE(parse_id<ClusterId>(""));
    CHECK_FALSE(parse_id<ClusterId>("0123456789abcdef0123456789abcde"));
    CHECK_FALSE(parse_id<ClusterId>("0123456789abcdef0123456789abcdef0"));
    CHECK_FALSE(parse_id<ClusterId>("0123456789abcdef0123456789abcdeg"));
    CHECK(parse_id<ClusterId>("0123456789ABCDEF0123456789abcdef"));
}

// Goal: no name can escape a path or control a terminal. Method: the rule's edges and known
// attacks.
TEST_CASE("a name is 1 to 63 harmless characters without two dots in a row", "[ids]") {
    CHECK(is_valid_name("web"));
    CHECK(is_valid_name("7-of_9.x"));
    CHECK(is_valid_name(std::string(63, 'a')));
    const std::string control = "web\x1b[31m";
    const std::string zero("we\0b", 4);
    for (const std::string& bad :
         {std::string{}, std::string(64, 'a'), std::string{"../x"}, std::string{"a..b"},
          std::string{".a"}, std::string{"-a"}, std::string{"A"}, std::string{"a/b"},
          std::string{"a b"}, std::string{"\xc3\xa4"}, control, zero}) {
        CAPTURE(bad);
        CHECK_FALSE(is_valid_name(bad));
    }
}

TEST_CASE("an instance is written as task, dot, ordinal", "[ids]") {
    CHECK(to_string(InstanceId{"web", 12}) == "web.12");
}

// Goal: a seed means the same on every machine. Method: values computed once from the algorithm.
TEST_CASE("a seed gives the numbers of splitmix64", "[random]") {
    Random random{1234567};
    CHECK(random.next() == 6457827717110365317ULL);
    CHECK(random.next() == 3203168211198807973ULL);
    CHECK(random.next() == 9817491932198370423ULL);
}

TEST_CASE("numbers below a bound stay below it and reach all of it", "[random]") {
    Random random{3};
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 1000; ++i) {
        const auto number = random.below(7);
        REQUIRE(number < 7);
        seen.insert(number);
    }
    CHECK(seen.size() == 7);
    CHECK(random.below(1) == 0);
    CHECK_FALSE(random.chance(0, 10));
    CHECK(random.chance(10, 10));
}

// Goal: codes are stable text on the wire. Method: each has its own name, in snake_case.
TEST_CASE("every error code has its own name", "[result]") {
    std::set<std::string_view> names;
    for (auto code = Errc::malformed;; code = next(code)) {
        const auto name = to_string(code);
        CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos);
        CHECK(names.insert(name).second);
        if (code == Errc::io) {
            break;
        }
    }
    CHECK_FALSE(names.contains("unknown"));
}
