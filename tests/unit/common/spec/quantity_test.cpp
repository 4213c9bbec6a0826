#include "common/spec/quantity.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include "tests/catch.hpp"

using namespace muster;

namespace {

constexpr std::uint64_t mebi = std::uint64_t{1} << 20U;

}  // namespace

// Goal: a size can be written in any usual way, and a wrong one is never misread.
// Method: each unit, fractions, plain bytes, and near misses.
TEST_CASE("a size is read with its unit", "[spec]") {
    CHECK(parse_size("0") == 0U);
    CHECK(parse_size("67108864") == 64 * mebi);
    CHECK(parse_size("64MiB") == 64 * mebi);
    CHECK(parse_size("1.5GiB") == 1'536 * mebi);
    CHECK(parse_size("512KiB") == mebi / 2);
    CHECK(parse_size("1TiB") == mebi * mebi);
    CHECK(parse_size("20MB") == 20'000'000U);
    CHECK(parse_size("1.25kB") == 1'250U);
    CHECK(parse_size("7B") == 7U);
    for (const std::string text :
         {"", "MiB", "64M", "64 MiB", "-1", "1.5", "1.5B", "1.2345MiB", "1.MiB", "64mib", "1e3",
          "0x10", "18446744073709551616", "18446744073709551615TiB"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_size(text));
    }
    CHECK(parse_size("64M").error().detail == "'64M' is not a size; write 512KiB, 64MiB or 1.5GiB");
}

TEST_CASE("a size is written with the largest unit that it reaches", "[spec]") {
    CHECK(size_text(0) == "0B");
    CHECK(size_text(1023) == "1023B");
    CHECK(size_text(1536) == "1.5KiB");
    CHECK(size_text(64 * mebi) == "64MiB");
    CHECK(size_text(23 * 1024 * mebi) == "23GiB");
    CHECK(size_text(2 * mebi - 1) == "1.9MiB");
    CHECK(size_text(std::numeric_limits<std::uint64_t>::max()) == "16777215.9TiB");
}

TEST_CASE("cores are read and written as a number with a point", "[spec]") {
    CHECK(parse_cores("2") == 2'000U);
    CHECK(parse_cores("1.5") == 1'500U);
    CHECK(parse_cores("0.25") == 250U);
    CHECK(parse_cores("0.001") == 1U);
    for (const std::string text :
         {"", "x", "1.5 ", "500m", "-1", ".5", "1.2345", "1,5", "18446744073709551615"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_cores(text));
    }
    CHECK(cores_text(0) == "0 cores");
    CHECK(cores_text(1'000) == "1 core");
    CHECK(cores_text(1'500) == "1.5 cores");
    CHECK(cores_text(250) == "0.25 cores");
    CHECK(cores_text(16'000) == "16 cores");
}
