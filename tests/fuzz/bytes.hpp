#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace muster::fuzz {

/// The bytes of one run, consumed from the front. Reads beyond the end give 0 or empty, so a
/// truncated input is still valid.
class Bytes {
public:
    explicit Bytes(std::string_view bytes) : rest_{bytes} {}

    [[nodiscard]] bool is_empty() const { return rest_.empty(); }

    [[nodiscard]] std::uint8_t byte() {
        const auto taken = take(1);
        return taken.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(taken.front());
    }
    /// The first byte is the lowest.
    [[nodiscard]] std::uint64_t number(std::size_t bytes = sizeof(std::uint64_t)) {
        std::uint64_t number = 0;
        for (std::size_t i = 0; i < bytes; ++i) {
            number |= std::uint64_t{byte()} << (8 * i);
        }
        return number;
    }
    [[nodiscard]] std::string_view take(std::size_t most) {
        const auto taken = rest_.substr(0, most);
        rest_.remove_prefix(taken.size());
        return taken;
    }
    /// Two bytes are its length.
    [[nodiscard]] std::string_view chunk() { return take(static_cast<std::size_t>(number(2))); }
    /// Up to the next `end`, which is dropped.
    [[nodiscard]] std::string_view up_to(char end) {
        const auto taken = take(std::min(rest_.find(end), rest_.size()));
        rest_.remove_prefix(std::min<std::size_t>(1, rest_.size()));
        return taken;
    }
    [[nodiscard]] std::string_view rest() { return take(rest_.size()); }

private:
    std::string_view rest_;
};

}  // namespace muster::fuzz
