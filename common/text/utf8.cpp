#include "common/text/utf8.hpp"

#include <algorithm>
#include <array>

namespace muster {

namespace {

struct Range {
    char32_t first;
    char32_t last;
};

/// Valid code points of two, three and four bytes: overlong forms and halves of a surrogate pair
/// are not characters.
constexpr std::array lengths{Range{0x80, 0x7ff}, Range{0x800, 0xffff}, Range{0x10000, 0x10ffff}};

/// Terminal controls, and characters that end a line or change its direction.
constexpr std::array unwelcome{
    Range{0x00, 0x1f},      // Controls,
    Range{0x7f, 0x9f},      // C1 controls.
    Range{0x61c, 0x61c},    // Arabic letter mark.
    Range{0x200e, 0x200f},  // Directional marks.
    Range{0x2028, 0x202e},  // Line and paragraph separators, directional embeddings.
    Range{0x2066, 0x2069},  // Directional isolates.
    Range{0xd800, 0xdfff},  // Surrogates.
};

bool contains(const Range& range, char32_t letter) {
    return letter >= range.first && letter <= range.last;
}

}  // namespace

std::size_t character_bytes(std::string_view text) {
    if (text.empty()) {
        return 0;
    }
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const auto first = byte(0);
    if (first < 0x80U) {
        return first < 0x20U || first == 0x7FU ? 0 : 1;
    }
    const std::size_t length = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
    if (first < 0xC2U || first > 0xF4U || text.size() < length) {
        return 0;
    }
    char32_t letter = first & (0x7FU >> length);
    for (std::size_t at = 1; at < length; ++at) {
        if ((byte(at) & 0xC0U) != 0x80U) {
            return 0;
        }
        letter = letter << 6U | (byte(at) & 0x3FU);
    }
    const bool is_welcome = contains(lengths[length - 2], letter) &&
                            std::ranges::none_of(unwelcome, [&](const Range& range) {
                                return contains(range, letter);
                            });
    return is_welcome ? length : 0;
}

std::string_view cut(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) {
        return text;
    }
    // A byte 10xxxxxx continues a character.
    while (bytes > 0 && (static_cast<std::uint8_t>(text[bytes]) & 0xc0U) == 0x80U) {
        --bytes;
    }
    return text.substr(0, bytes);
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string printable(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const auto length = character_bytes(text);
        if (length == 0) {
            clean += '?';
            text.remove_prefix(1);
        } else {
            clean += text.substr(0, length);
            text.remove_prefix(length);
        }
    }
    return clean;
}

}  // namespace muster
