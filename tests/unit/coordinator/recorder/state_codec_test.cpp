#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tests/catch.hpp"

#include "common/codec/shapes/shape.hpp"
#include "common/codec/state_reader.hpp"
#include "common/codec/state_writer.hpp"

namespace muster::coordinator {
namespace {

struct Part {
    std::int64_t number = 0;
    std::vector<bool> bits;
    friend bool operator==(const Part&, const Part&) = default;
};
struct Whole {
    std::optional<std::string> name;
    std::map<std::uint32_t, Part> parts;
    std::variant<std::monostate, Part, std::string> either;
    Part last;
    friend bool operator==(const Whole&, const Whole&) = default;
};
/// The same in another version: one field is removed, one is new, and the order differs.
struct Later {
    Part last;
    std::string added = "as it began";
    std::optional<std::string> name;
};

struct Fields {
    static void fields(auto& visit, codec::Like<Part> auto& it) {
        visit("number bits", it.number, it.bits);
    }
    static void fields(auto& visit, codec::Like<Whole> auto& it) {
        visit("name parts either last", it.name, it.parts, it.either, it.last);
    }
    static void fields(auto& visit, codec::Like<Later> auto& it) {
        visit("last added name", it.last, it.added, it.name);
    }
};

Whole any_state() {
    return {.name = "n",
            .parts = {{1, {-5, {true, false}}}, {7, {1LL << 40, {}}}},
            .either = Part{3, {true}},
            .last = {42, {false, true}}};
}

std::string written(const auto& value) {
    std::string bytes;
    std::string scratch;
    codec::StateWriter<Fields>{bytes, scratch}.write(value);
    return bytes;
}

template <class T>
Result<T> read(std::string_view bytes) {
    T value;
    codec::Cursor cursor{bytes};
    codec::StateReader<Fields>{cursor}.read(value);
    return cursor.finish("state").map([&] { return std::move(value); });
}

TEST_CASE("a state reads back as it was written", "[codec][recorder]") {
    const auto again = read<Whole>(written(any_state()));
    REQUIRE(again);
    CHECK(*again == any_state());
    CHECK(*read<Whole>(written(Whole{})) == Whole{});
}

// The kind of the last field is first named within one that is skipped.
TEST_CASE("another version reads the known fields of a state", "[codec][recorder]") {
    const auto later = read<Later>(written(any_state()));
    REQUIRE(later);
    CHECK(later->name == "n");
    CHECK(later->last == any_state().last);
    CHECK(later->added == "as it began");
}

// Method: every prefix, and every single byte replaced.
TEST_CASE("an invalid state is an error and not a crash", "[codec][recorder]") {
    const std::string bytes = written(any_state());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK_FALSE(read<Whole>(std::string_view{bytes}.substr(0, size)));
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (int byte = 0; byte < 256; ++byte) {
            std::string other = bytes;
            other[at] = static_cast<char>(byte);
            static_cast<void>(read<Whole>(other));
        }
    }
}

}  // namespace
}  // namespace muster::coordinator
