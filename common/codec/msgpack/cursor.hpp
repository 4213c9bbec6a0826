#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/result.hpp"

namespace muster::codec {

/// Reads msgpack from bytes that may be anything.
///
/// Every size is checked against its limit and against the bytes left, and nothing is allocated
/// here. After the first fault the cursor stands at the end of its bytes: every further read gives
/// nothing, so a caller needs to check only now and then. `what` names the value for the text of a
/// fault.
///
/// The one-byte forms are read inline: a report consists nearly entirely of them.
class Cursor {
public:
    explicit Cursor(std::string_view bytes)
        : begin_{bytes.data()}, at_{bytes.data()}, end_{bytes.data() + bytes.size()} {}

    [[nodiscard]] bool ok() const { return !fault_; }
    [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

    [[gnu::always_inline]] std::uint64_t number(std::string_view what, std::uint64_t max) {
        if (at_ != end_ && head() < 0x80U && head() <= max) [[likely]] {
            return static_cast<std::uint8_t>(*at_++);
        }
        return long_number(what, max);
    }

    [[gnu::always_inline]] std::int64_t signed_number(std::string_view what, std::int64_t min,
                                                      std::int64_t max) {
        if (at_ != end_ && (head() < 0x80U || head() >= 0xe0U)) [[likely]] {
            const auto value = static_cast<std::int8_t>(*at_);
            if (value >= min && value <= max) [[likely]] {
                ++at_;
                return value;
            }
        }
        return long_signed_number(what, min, max);
    }

    bool truth(std::string_view what);

    [[gnu::always_inline]] std::string_view text(std::string_view what, std::size_t max) {
        if (at_ != end_ && (head() & 0xe0U) == 0xa0U) [[likely]] {
            const std::size_t size = head() & 0x1fU;
            if (size < left() && size <= max) [[likely]] {
                const std::string_view text{at_ + 1, size};
                at_ += 1 + size;
                return text;
            }
        }
        return long_text(what, max);
    }

    /// A `bin` or `str` of any content.
    std::string_view bytes(std::string_view what, std::size_t max);

    /// The number of elements that follow. Each takes at least a byte, so a number above the bytes
    /// left is a fault.
    std::size_t array(std::string_view what, std::size_t max) {
        if (at_ != end_ && (head() & 0xf0U) == 0x90U) [[likely]] {
            const std::size_t count = head() & 0x0fU;
            if (count < left() && count <= max) [[likely]] {
                ++at_;
                return count;
            }
        }
        return long_array(what, max);
    }
    std::size_t map(std::string_view what, std::size_t max) {
        if (at_ != end_ && (head() & 0xf0U) == 0x80U) [[likely]] {
            const std::size_t count = head() & 0x0fU;
            if (2 * count < left() && count <= max) [[likely]] {
                ++at_;
                return count;
            }
        }
        return long_map(what, max);
    }

    [[nodiscard]] bool at_map() const {
        return at_ != end_ && ((head() & 0xf0U) == 0x80U || head() == 0xdeU || head() == 0xdfU);
    }

    [[nodiscard]] bool at_array() const {
        return at_ != end_ && ((head() & 0xf0U) == 0x90U || head() == 0xdcU || head() == 0xddU);
    }

    [[nodiscard]] bool at_text() const {
        return at_ != end_ && ((head() & 0xe0U) == 0xa0U || (head() >= 0xd9U && head() <= 0xdbU));
    }

    /// Skips one value of any kind, no deeper than limits::nesting.
    void skip(std::string_view what);

    /// Records a fault, unless there is one already.
    [[gnu::cold]] void fail(Errc code, std::string_view what, std::string_view is_wrong);

    /// Refuses bytes after the message. Returns the first fault, if any.
    [[nodiscard]] Result<void> finish(std::string_view message);

private:
    /// If it is not negative, `value` may be an unsigned number above all signed ones.
    struct Whole {
        std::int64_t value = 0;
        bool is_negative = false;
    };

    [[nodiscard]] std::uint8_t head() const { return static_cast<std::uint8_t>(*at_); }
    /// Takes the head and the number after it, of 1, 2, 4 or 8 bytes. Nothing: the bytes end too
    /// early.
    [[nodiscard]] std::optional<std::uint64_t> behind_head(std::size_t bytes);
    /// Takes an unsigned number of at most `max` with one load. False: another value, or too near
    /// the end.
    [[nodiscard]] bool load(std::uint64_t max, std::uint64_t& into);
    /// Takes a number of any form. Nothing: another value.
    [[nodiscard]] std::optional<Whole> whole_number();
    [[gnu::cold]] void too_large(std::string_view what, std::uint64_t size, std::uint64_t max);
    [[gnu::cold]] void wrong_kind(std::string_view what, std::string_view kind);

    std::uint64_t long_number(std::string_view what, std::uint64_t max);
    std::int64_t long_signed_number(std::string_view what, std::int64_t min, std::int64_t max);
    std::string_view long_text(std::string_view what, std::size_t max);
    std::size_t long_array(std::string_view what, std::size_t max);
    std::size_t long_map(std::string_view what, std::size_t max);
    [[nodiscard]] std::string_view take(std::string_view what, std::uint64_t size, std::size_t max);
    [[nodiscard]] std::size_t count_after(std::uint8_t head_of_short, std::uint8_t head16,
                                          std::uint8_t head32, std::string_view what,
                                          std::size_t max, std::size_t bytes_each,
                                          std::string_view kind);
    [[nodiscard]] std::uint64_t skip_one(std::string_view what);

    const char* begin_;
    const char* at_;
    const char* end_;
    std::optional<Error> fault_;
};

}  // namespace muster::codec
