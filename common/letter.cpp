#include "common/letter.hpp"

namespace muster {

std::size_t letter_bytes(std::string_view text) {
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
    for (std::size_t at = 1; at < length; ++at) {
        if ((byte(at) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    return first == 0xC2U && byte(1) < 0xA0U ? 0 : length;
}

}  // namespace muster
