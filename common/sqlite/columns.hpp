#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/ids.hpp"

/// How ids and numbers look in a column. 128-bit ids are 16 bytes, the most significant first, so
/// that they sort as numbers; 64-bit numbers keep their bits.
namespace muster::sqlite {

[[nodiscard]] inline std::string bytes_of(std::uint64_t high, std::uint64_t low) {
    std::string bytes(16, '\0');
    for (std::size_t i = 0; i < 8; ++i) {
        bytes[7 - i] = static_cast<char>(high >> (8 * i));
        bytes[15 - i] = static_cast<char>(low >> (8 * i));
    }
    return bytes;
}

template <class Id>
[[nodiscard]] std::string bytes_of(const Id& id) {
    return bytes_of(id.high, id.low);
}

[[nodiscard]] inline std::uint64_t number_of(std::string_view bytes) {
    std::uint64_t number = 0;
    for (const char byte : bytes) {
        number = (number << 8U) | static_cast<unsigned char>(byte);
    }
    return number;
}

template <class Id>
[[nodiscard]] Id id_of(std::string_view bytes) {
    return bytes.size() == 16 ? Id{number_of(bytes.substr(0, 8)), number_of(bytes.substr(8))}
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
