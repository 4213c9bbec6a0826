#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// Small conversions that several forms of a message need.
namespace muster::codec {

inline constexpr std::size_t id_bytes = 16;

/// The bytes of a 128-bit id, the most significant first.
[[nodiscard]] std::array<char, id_bytes> bytes_of(std::uint64_t high, std::uint64_t low);

/// The inverse, of eight bytes.
[[nodiscard]] std::uint64_t number_of(std::string_view eight_bytes);

/// The words of a line, separated by blanks.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line);

}  // namespace muster::codec
