#include "common/codec/chunking.hpp"

#include <string>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"
#include "tests/unit/allocations.hpp"

using namespace muster;
using parts::Assembly;
using Progress = parts::Assembly::Progress;

namespace {

std::string bytes(std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) {
        text[i] = static_cast<char>(i * 31 + i / 256);
    }
    return text;
}

std::vector<std::string> parts_of(std::size_t size, std::uint64_t upload) {
    auto frames = parts::split(bytes(size), upload);
    REQUIRE(frames);
    return *frames;
}

}  // namespace

TEST_CASE("a message that fits one part is sent as it is", "[parts]") {
    CHECK(parts_of(0, 1) == std::vector<std::string>{""});
    CHECK(parts_of(limits::part_bytes, 1) == std::vector<std::string>{bytes(limits::part_bytes)});
}

// Goal: a split message is whole again. Method: sizes around a multiple of a part, and the largest.
TEST_CASE("a larger message is assembled from its parts, each of which fits a frame", "[parts]") {
    for (const std::size_t size : {limits::part_bytes + 1, 2 * limits::part_bytes,
                                   2 * limits::part_bytes + 1, limits::upload_bytes}) {
        const auto frames = parts_of(size, 7);
        REQUIRE(frames.size() == (size + limits::part_bytes - 1) / limits::part_bytes);
        Assembly assembly;
        for (const auto& frame : frames) {
            CHECK(frame.size() <= limits::operator_message_bytes);
            CHECK(parts::is_part(frame));
            const auto progress = assembly.add(frame);
            REQUIRE(progress);
            CHECK((*progress == Progress::complete) == (&frame == &frames.back()));
        }
        CHECK(assembly.take() == bytes(size));
        CHECK_FALSE(assembly.is_open());
    }
    CHECK(parts::split(bytes(limits::upload_bytes + 1), 1).error().code == Errc::too_large);
}

TEST_CASE("no other message is mistaken for a part", "[parts]") {
    std::string frame;
    codec::encode(Poll{}, frame);
    CHECK_FALSE(parts::is_part(frame));
    codec::encode(Request{{}, StatusRequest{}}, frame);
    CHECK_FALSE(parts::is_part(frame));
    CHECK_FALSE(parts::is_part(""));
    CHECK_FALSE(parts::is_part("status"));
}

// Goal: one answer for one request, also for a broken one.
// Method: omit a part, then send all again.
TEST_CASE("a part out of order is refused once and the rest of its upload ignored", "[parts]") {
    const auto frames = parts_of(4 * limits::part_bytes, 7);
    Assembly assembly;
    REQUIRE(assembly.add(frames[0]));
    const auto early = assembly.add(frames[2]);
    REQUIRE_FALSE(early);
    CHECK(early.error().code == Errc::malformed);
    CHECK_FALSE(assembly.is_open());
    CHECK(assembly.add(frames[1]) == Progress::skipped);
    CHECK(assembly.add(frames[3]) == Progress::skipped);

    CHECK_FALSE(assembly.add(parts_of(4 * limits::part_bytes, 8)[1]));
    for (const auto& frame : frames) {
        REQUIRE(assembly.add(frame));
    }
    CHECK(assembly.take() == bytes(4 * limits::part_bytes));
}

// Goal: the total size counts. Method: the most parts allowed, each full, which is too much.
TEST_CASE("parts whose total exceeds the upload limit are refused with the last", "[parts]") {
    const auto whole = parts_of(limits::upload_bytes, 7);
    const auto full_part = whole.front().substr(whole.front().size() - limits::part_bytes);
    Assembly assembly;
    for (std::size_t i = 0; i + 1 < whole.size(); ++i) {
        REQUIRE(assembly.add(whole[i]));
    }
    // The last part of `whole` is short; here its header is followed by a full part.
    std::string last = whole.back().substr(0, 9) + "\xc5\xf0";
    last += '\0';
    const auto refused = assembly.add(last + full_part);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::too_large);
    CHECK(refused.error().detail.find("in sum") != std::string::npos);
}

TEST_CASE("a new upload replaces an open one", "[parts]") {
    Assembly assembly;
    REQUIRE(assembly.add(parts_of(3 * limits::part_bytes, 7)[0]));
    for (const auto& frame : parts_of(2 * limits::part_bytes, 8)) {
        REQUIRE(assembly.add(frame));
    }
    CHECK(assembly.take() == bytes(2 * limits::part_bytes));
}

// Goal: parts cannot exhaust the coordinator's memory. Method: false index, count and size.
TEST_CASE("false parts are refused and reserve nothing", "[parts][hostile]") {
    using namespace std::string_literals;
    const auto grown = allocations::bytes_of([] {
        for (const auto& frame :
             {"\x95\x05\x01\x00\xce\xff\xff\xff\xff\xc4\x01x"s,  // 4,294,967,295 parts
              "\x95\x05\x01\x03\x03\xc4\x01x"s,                  // part 3 of 3
              "\x95\x05\x01\x00\x00\xc4\x01x"s,                  // part 0 of 0
              "\x95\x05\x01\x00\x02\xc6\xff\xff\xff\xff"s,       // bytes that are missing
              "\x95\x05\x01\x00\x02\x01"s, "\x95\x05\x01\x00\x02\xc4\x01xy"s, "\x95\x05"s,
              "\x94\x05\x01\x00\x02"s, ""s}) {
            Assembly assembly;
            CHECK_FALSE(assembly.add(frame));
            CHECK_FALSE(assembly.is_open());
        }
    });
    CHECK(grown < 64 * 1024);
}
