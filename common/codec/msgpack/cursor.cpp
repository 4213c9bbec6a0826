#include "common/codec/msgpack/cursor.hpp"

#include <array>
#include <cstring>
#include <endian.h>
#include <limits>

#include "common/base/limits.hpp"

namespace muster::codec {

namespace {

// The heads of msgpack's longer forms (https://github.com/msgpack/msgpack/blob/master/spec.md).
enum Head : std::uint8_t {
    nil = 0xc0,
    never_used = 0xc1,
    false_value = 0xc2,
    true_value = 0xc3,
    bin8 = 0xc4,
    bin16 = 0xc5,
    bin32 = 0xc6,
    ext8 = 0xc7,
    ext32 = 0xc9,
    float32 = 0xca,
    float64 = 0xcb,
    uint8 = 0xcc,
    uint64 = 0xcf,
    int8 = 0xd0,
    int64 = 0xd3,
    fixext1 = 0xd4,
    fixext16 = 0xd8,
    str8 = 0xd9,
    str16 = 0xda,
    str32 = 0xdb,
    array16 = 0xdc,
    array32 = 0xdd,
    map16 = 0xde,
    map32 = 0xdf,
    negative_fixint = 0xe0,
};

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

}  // namespace

void Cursor::fail(Errc code, std::string_view what, std::string_view is_wrong) {
    if (!fault_) {
        fault_ = Error{code, std::string{what} + ' ' + std::string{is_wrong} + " (byte " +
                                 std::to_string(at_ - begin_) + ')'};
    }
    at_ = end_;
}

void Cursor::too_large(std::string_view what, std::uint64_t size, std::uint64_t max) {
    fail(Errc::too_large, what,
         "is " + std::to_string(size) + "; at most " + std::to_string(max) + " is allowed");
}

void Cursor::wrong_kind(std::string_view what, std::string_view kind) {
    fail(Errc::malformed, what,
         at_ == end_ ? "is missing: the message ends too early" : "is not " + std::string{kind});
}

Result<void> Cursor::finish(std::string_view message) {
    if (!fault_ && at_ != end_) {
        fail(Errc::malformed, "the message", "has " + std::to_string(left()) + " bytes too many");
    }
    if (fault_) {
        return muster::fail(fault_->code, std::string{message} + ": " + fault_->detail);
    }
    return {};
}

std::optional<std::uint64_t> Cursor::behind_head(std::size_t bytes) {
    if (left() <= bytes) {
        return std::nullopt;
    }
    std::uint64_t number = 0;
    for (++at_; bytes > 0; --bytes) {
        number = number << 8U | static_cast<std::uint8_t>(*at_++);
    }
    return number;
}

inline bool Cursor::load(std::uint64_t max, std::uint64_t& into) {
    if (left() <= sizeof into || head() < uint8 || head() > uint64) {
        return false;
    }
    const unsigned bytes = 1U << (head() - uint8);
    std::memcpy(&into, at_ + 1, sizeof into);
    into = be64toh(into) >> (64 - 8 * bytes);
    at_ += into <= max ? 1 + bytes : 0;
    return into <= max;
}

std::optional<Cursor::Whole> Cursor::whole_number() {
    const std::uint8_t kind = at_ == end_ ? std::uint8_t{never_used} : head();
    if (kind < 0x80U || kind >= negative_fixint) {
        ++at_;
        return Whole{static_cast<std::int8_t>(kind), kind >= negative_fixint};
    }
    const std::size_t bytes = std::size_t{1} << ((kind - uint8) & 3U);
    const auto number = kind >= uint8 && kind <= int64 ? behind_head(bytes) : std::nullopt;
    if (!number) {
        return std::nullopt;
    }
    const auto unused_bits = kind <= uint64 ? 0 : 64 - 8 * bytes;
    const auto value = static_cast<std::int64_t>(*number << unused_bits) >> unused_bits;
    return Whole{value, kind > uint64 && value < 0};
}

std::uint64_t Cursor::long_number(std::string_view what, std::uint64_t max) {
    if (std::uint64_t number = 0; load(max, number)) [[likely]] {
        return number;
    }
    const char* const begin = at_;
    const auto whole = whole_number();
    const auto value = whole ? static_cast<std::uint64_t>(whole->value) : 0;
    if (!whole || whole->is_negative) {
        at_ = begin;
        wrong_kind(what, "a number from 0 on");
    } else if (value > max) {
        too_large(what, value, max);
    } else {
        return value;
    }
    return 0;
}

std::int64_t Cursor::long_signed_number(std::string_view what, std::int64_t min, std::int64_t max) {
    if (std::uint64_t number = 0; min <= 0 && load(static_cast<std::uint64_t>(max), number)) {
        return static_cast<std::int64_t>(number);
    }
    const char* const begin = at_;
    const auto whole = whole_number();
    const bool fits = whole && whole->is_negative == (whole->value < 0);
    if (!fits || whole->value < min || whole->value > max) {
        at_ = begin;
        wrong_kind(what, "a number in its range");
        return 0;
    }
    return whole->value;
}

bool Cursor::truth(std::string_view what) {
    if (at_ != end_ && (head() == false_value || head() == true_value)) {
        return static_cast<std::uint8_t>(*at_++) == true_value;
    }
    wrong_kind(what, "true or false");
    return false;
}

std::string_view Cursor::take(std::string_view what, std::uint64_t size, std::size_t max) {
    if (size > max) {
        fail(Errc::too_large, what, "has " + too_many(size, "bytes", max));
        return {};
    }
    if (size > left()) {
        fail(Errc::malformed, what, "ends before its last byte");
        return {};
    }
    const std::string_view text{at_, static_cast<std::size_t>(size)};
    at_ += size;
    return text;
}

std::string_view Cursor::long_text(std::string_view what, std::size_t max) {
    std::optional<std::uint64_t> size;
    if (at_ != end_ && (head() & 0xe0U) == 0xa0U) {
        size = static_cast<std::uint8_t>(*at_++) & 0x1fU;
    } else if (at_ != end_ && head() >= str8 && head() <= str32) {
        size = behind_head(std::size_t{1} << (head() - str8));
    }
    if (size) {
        return take(what, *size, max);
    }
    wrong_kind(what, "a text");
    return {};
}

std::string_view Cursor::bytes(std::string_view what, std::size_t max) {
    if (at_ == end_ || head() < bin8 || head() > bin32) {
        return text(what, max);
    }
    if (const auto size = behind_head(std::size_t{1} << (head() - bin8))) {
        return take(what, *size, max);
    }
    wrong_kind(what, "a whole byte string");
    return {};
}

// The short head holds the count itself; in the other heads 2 or 4 bytes follow.
std::size_t Cursor::count_after(std::uint8_t head_of_short, std::uint8_t head16,
                                std::uint8_t head32, std::string_view what, std::size_t max,
                                std::size_t bytes_each, std::string_view kind) {
    std::optional<std::uint64_t> count;
    if (at_ != end_ && (head() & 0xf0U) == head_of_short) {
        count = static_cast<std::uint8_t>(*at_++) & 0x0fU;
    } else if (at_ != end_ && (head() == head16 || head() == head32)) {
        count = behind_head(head() == head16 ? 2 : 4);
    }
    if (!count) {
        wrong_kind(what, kind);
    } else if (*count > max) {
        fail(Errc::too_large, what, "has " + too_many(*count, "elements", max));
    } else if (*count > left() / bytes_each) {
        fail(Errc::malformed, what, "ends before its last element");
    } else {
        return static_cast<std::size_t>(*count);
    }
    return 0;
}

std::size_t Cursor::long_array(std::string_view what, std::size_t max) {
    return count_after(0x90U, array16, array32, what, max, 1, "an array");
}

std::size_t Cursor::long_map(std::string_view what, std::size_t max) {
    return count_after(0x80U, map16, map32, what, max, 2, "a map");
}

// Skips a value's own bytes and returns how many values it contains.
std::uint64_t Cursor::skip_one(std::string_view what) {
    const std::uint8_t kind = at_ == end_ ? std::uint8_t{never_used} : head();
    if (kind < 0x80U || kind >= negative_fixint || kind == nil || kind == false_value ||
        kind == true_value) {
        ++at_;
        return 0;
    }
    if (at_text()) {
        (void)text(what, left());
        return 0;
    }
    if (at_map()) {
        return 2 * map(what, left());
    }
    if (at_array()) {
        return array(what, left());
    }
    if (kind >= bin8 && kind <= bin32) {
        (void)bytes(what, left());
        return 0;
    }
    if (kind >= uint8 && kind <= int64) {
        const unsigned power = (kind - uint8) & 3U;
        ++at_;
        (void)take(what, std::size_t{1} << power, no_limit);
        return 0;
    }
    // Floating point and extension types: no message of ours has them, not even in unknown keys.
    wrong_kind(what, "a value of a kind this protocol uses");
    return 0;
}

void Cursor::skip(std::string_view what) {
    std::array<std::uint64_t, limits::nesting> open{};  // Values left at each depth.
    std::size_t depth = 0;
    open[0] = 1;
    while (ok()) {
        while (open[depth] == 0) {
            if (depth == 0) {
                return;
            }
            --depth;
        }
        --open[depth];
        const std::uint64_t inside = skip_one(what);
        if (inside == 0) {
            continue;
        }
        if (++depth == limits::nesting) {
            fail(Errc::too_large, what,
                 "nests deeper than " + std::to_string(limits::nesting) + " levels");
            return;
        }
        open[depth] = inside;
    }
}

}  // namespace muster::codec
