#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/limits.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/spec/constraint.hpp"
#include "common/spec/spec.hpp"
#include "common/text/utf8.hpp"

/// Values that every form writes as a number, a boolean or a text.
namespace muster::codec {

template <class T>
concept Simple = !std::is_class_v<T> || OneOf<T, std::string, Duration, Constraint>;

[[gnu::cold]] void refuse_name(auto& cursor, std::string_view what) {
    cursor.fail(Errc::malformed, what, "is not a name: " + std::string{name_rule()});
}

/// Reads one from a cursor of any form; faults stay in it. Inlined, because half of a report is
/// texts.
[[gnu::always_inline]] inline void read_simple(auto& cursor, std::string_view what,
                                               std::string& into, Rule rule) {
    const std::string_view text = cursor.text(what, rule.bytes);
    if (text.empty()) {
        into.clear();
    } else {
        into.assign(text);
    }
    if (rule.name && !is_valid_name(text)) {
        refuse_name(cursor, what);
    }
}
template <Simple T>
void read_simple(auto& cursor, std::string_view what, T& into, Rule rule) {
    if constexpr (std::is_same_v<T, bool>) {
        into = cursor.truth(what);
    } else if constexpr (Unsigned<T>) {
        into = static_cast<T>(cursor.number(what, std::numeric_limits<T>::max()));
    } else if constexpr (std::signed_integral<T>) {
        into = static_cast<T>(cursor.signed_number(what, std::numeric_limits<T>::min(),
                                                   std::numeric_limits<T>::max()));
    } else if constexpr (std::is_same_v<T, RlimitValue>) {
        if (!cursor.at_text()) {
            into = RlimitValue{cursor.number(what, raw(RlimitValue::unlimited))};
        } else if (cursor.text(what, limits::name_bytes) == unlimited) {
            into = RlimitValue::unlimited;
        } else {
            cursor.fail(Errc::malformed, what, "is neither a whole number nor unlimited");
        }
    } else if constexpr (OpaqueNumber<T>) {
        std::underlying_type_t<T> number{};
        read_simple(cursor, what, number, rule);
        into = static_cast<T>(number);
    } else if constexpr (Named<T>) {
        if (!enum_from(cursor.text(what, limits::name_bytes), into)) {
            cursor.fail(Errc::malformed, what, "is not one of " + names_of<T>());
        }
    } else if constexpr (std::is_same_v<T, Duration>) {
        constexpr std::uint64_t most = to_ms(Duration::max());
        into = std::chrono::milliseconds{static_cast<std::int64_t>(cursor.number(what, most))};
    } else {
        static_assert(std::is_same_v<T, Constraint>);
        auto constraint = parse_constraint(cursor.text(what, rule.bytes));
        if (constraint) {
            into = *std::move(constraint);
        } else {
            cursor.fail(constraint.error().code, what,
                        "holds an invalid one: " + constraint.error().detail);
        }
    }
}

/// Writes one to a writer of any form, by its truth(), number() or text().
template <Simple T>
void write_simple(auto& writer, const T& value, Rule rule) {
    if constexpr (std::is_same_v<T, bool>) {
        writer.truth(value);
    } else if constexpr (std::is_integral_v<T>) {
        writer.number(value);
    } else if constexpr (std::is_same_v<T, Duration>) {
        writer.number(to_ms(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
        writer.text(rule.cut ? cut(value, rule.bytes) : std::string_view{value});
    } else if constexpr (std::is_same_v<T, RlimitValue>) {
        value == RlimitValue::unlimited ? writer.text(unlimited) : writer.number(raw(value));
    } else if constexpr (OpaqueNumber<T>) {
        writer.number(raw(value));
    } else {
        writer.text(to_string(value));  // The name of an enum, or a constraint.
    }
}

}  // namespace muster::codec
