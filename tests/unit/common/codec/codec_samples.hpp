#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "common/base/random.hpp"
#include "common/codec/fields/agent.hpp"
#include "common/codec/fields/operator.hpp"
#include "common/messages/message.hpp"
#include "common/messages/operator.hpp"

/// Messages of every kind with random values in every field. They are made from the descriptions
/// that the codec uses, so a new field is tested at once.
namespace muster::codec_samples {

using codec::fields;

/// Fills described fields with valid random values.
class Filler {
public:
    explicit Filler(Random& random) : random_{random} {}

    /// Some optional fields keep their default, which some writers omit.
    void operator()(std::string_view, auto& member, codec::Rule rule) {
        if (!rule.default_ok || random_.chance(3, 4)) {
            fill(member, rule);
        }
    }

    template <class T>
        requires std::is_class_v<T>
    void fill(T& into, codec::Rule rule) {
        if constexpr (codec::Short<T>::possible) {
            if (random_.chance(1, 2)) {
                typename codec::Short<T>::Value value{};
                fill(value, rule);
                into = codec::Short<T>::from(value);
                return;
            }
        }
        fields(*this, into);
    }
    void fill(bool& into, codec::Rule) { into = random_.chance(1, 2); }
    template <std::integral N>
    void fill(N& into, codec::Rule) {
        // Every width of msgpack's numbers, and the limits of the type.
        into = static_cast<N>(random_.next() >> random_.below(64));
    }
    template <codec::OpaqueNumber E>
    void fill(E& into, codec::Rule rule) {
        std::underlying_type_t<E> number{};
        fill(number, rule);
        into = static_cast<E>(number);
    }
    void fill(RlimitValue& into, codec::Rule) {
        into = random_.chance(1, 3) ? RlimitValue::unlimited : RlimitValue{random_.next() >> 1U};
    }
    template <Named E>
    void fill(E& into, codec::Rule) {
        into = static_cast<E>(random_.below(enum_names<E>.size()));
    }
    template <class Tag>
    void fill(Id128<Tag>& into, codec::Rule) {
        into = {random_.next(), random_.next()};
    }
    void fill(Duration& into, codec::Rule) {
        into = std::chrono::milliseconds{random_.below(3'600'000)};
    }
    void fill(std::string& into, codec::Rule rule) {
        into.clear();
        const std::size_t pieces = random_.below(12) + (rule.name ? 1 : 0);
        for (std::size_t i = 0; i < pieces; ++i) {
            const std::string_view piece =
                rule.name ? name_pieces[random_.below(4)] : text_pieces[random_.below(8)];
            if (into.size() + piece.size() <= rule.bytes) {
                into += piece;
            }
        }
    }
    void fill(Constraint& into, codec::Rule) {
        constexpr std::string_view constraints[] = {"rack = r7", "rack != r7", "zone in (a, b)",
                                                    "ssd exists", "cores >= -16"};
        into = *parse_constraint(constraints[random_.below(std::size(constraints))]);
    }
    template <class N>
    void fill(std::optional<N>& into, codec::Rule rule) {
        into.reset();
        if (random_.chance(1, 2)) {
            fill(into.emplace(), rule);
        }
    }
    template <class T>
    void fill(std::vector<T>& into, codec::Rule rule) {
        into.clear();
        const std::size_t count =
            random_.chance(1, 8) ? std::min<std::size_t>(20, rule.count) : random_.below(3);
        for (std::size_t i = 0; i < count; ++i) {
            fill(into.emplace_back(), rule);
        }
    }
    template <class T>
    void fill(std::map<std::string, T>& into, codec::Rule rule) {
        into.clear();
        for (std::uint64_t left = random_.below(4); left > 0; --left) {
            std::string key;
            fill(key, rule);
            fill(into[key], rule);
        }
    }

private:
    static constexpr std::string_view name_pieces[] = {"web", "7", "n-1", "a_b"};
    static constexpr std::string_view text_pieces[] = {
        "word", " ", "\"", "\\", "\n", "{[", "\xc3\xa4", "a text of more than thirty-one bytes"};

    Random& random_;
};

template <class T>
[[nodiscard]] T sample(Random& random) {
    T message;
    Filler filler{random};
    fields(filler, message);
    return message;
}

/// Calls `use(sample)` for one random message of every alternative.
template <class Any, class... T>
struct EachOf {
    template <class Use>
    static void sample(Random& random, Use use) {
        (use(Any{codec_samples::sample<T>(random)}), ...);
    }
};
template <class Any>
struct Each;
template <class... T>
struct Each<std::variant<T...>> : EachOf<std::variant<T...>, T...> {};
template <class... T>
struct Each<OutOfLine<std::variant<T...>>> : EachOf<OutOfLine<std::variant<T...>>, T...> {};

}  // namespace muster::codec_samples
