#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/ids.hpp"
#include "common/codec/shapes/printed_text.hpp"

/// The form of ids and numbers in a column. 128-bit ids are 16 bytes, the most significant first,
/// so that they sort as numbers; 64-bit numbers keep their bits.
namespace muster::sqlite {

[[nodiscard]] inline std::string bytes_of(std::uint64_t high, std::uint64_t low) {
    const auto bytes = codec::bytes_of(high, low);
    return {bytes.begin(), bytes.end()};
}

template <class Id>
[[nodiscard]] std::string bytes_of(const Id& id) {
    return bytes_of(id.high, id.low);
}

template <class Id>
[[nodiscard]] Id id_of(std::string_view bytes) {
    return bytes.size() == 16
               ? Id{codec::number_of(bytes.substr(0, 8)), codec::number_of(bytes.substr(8))}
               : Id{};
}

template <class Id>
[[nodiscard]] std::int64_t column(Id number) {
    return static_cast<std::int64_t>(raw(number));
}

template <class Id>
[[nodiscard]] Id from_column(std::int64_t number) {
    return static_cast<Id>(number);
}

}  // namespace muster::sqlite
