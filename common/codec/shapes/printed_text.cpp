#include "common/codec/shapes/printed_text.hpp"

#include <algorithm>

namespace muster::codec {

std::array<char, id_bytes> bytes_of(std::uint64_t high, std::uint64_t low) {
    std::array<char, id_bytes> bytes{};
    for (std::size_t i = 0; i < id_bytes; ++i) {
        const std::uint64_t half = i < id_bytes / 2 ? high : low;
        bytes[i] = static_cast<char>(static_cast<std::uint8_t>(half >> (56 - 8 * (i % 8))));
    }
    return bytes;
}

std::uint64_t number_of(std::string_view eight_bytes) {
    std::uint64_t value = 0;
    for (const char byte : eight_bytes) {
        value = (value << 8U) | static_cast<std::uint8_t>(byte);
    }
    return value;
}

std::vector<std::string_view> words_of(std::string_view line) {
    constexpr std::string_view blanks = " \t\r\n";
    std::vector<std::string_view> words;
    while (true) {
        const auto begin = line.find_first_not_of(blanks);
        if (begin == std::string_view::npos) {
            return words;
        }
        line.remove_prefix(begin);
        const auto end = std::min(line.find_first_of(blanks), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
}

}  // namespace muster::codec
