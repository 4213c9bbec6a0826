#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/base/ids.hpp"
#include "common/base/limits.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/codec/shapes/printed_text.hpp"
#include "common/codec/shapes/rlimit_text.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/spec/constraint.hpp"

namespace muster::codec {

using ParsedJson = nlohmann::json;

/// The tree of a text that is one JSON object, once its size and its depth are known to be bounded.
[[nodiscard]] Result<ParsedJson> parse_json(std::string_view text, std::size_t max_bytes);

/// Reads what shape.hpp describes from a JSON object. As with msgpack, names that are not ours are
/// passed over and every bound is held. The first fault is kept.
class JsonReader {
public:
    template <class T>
    void pairs(const ParsedJson& object, T& message) {
        const auto visit = [&](std::string_view name, auto& member, const Rule& rule) {
            const auto found = object.find(std::string{name});
            if (found != object.end()) {
                read(name, *found, member, rule);
            } else if (!rule.default_ok) {
                fail(Errc::malformed, name, "is missing");
            }
        };
        fields(visit, message);
    }

    [[nodiscard]] Result<void> finish(std::string_view message);

private:
    void fail(Errc code, std::string_view what, std::string_view is_wrong);
    [[nodiscard]] std::uint64_t number(std::string_view what, const ParsedJson& tree,
                                       std::uint64_t max);
    [[nodiscard]] std::int64_t signed_number(std::string_view what, const ParsedJson& tree,
                                             std::int64_t min, std::int64_t max);
    [[nodiscard]] std::string_view text(std::string_view what, const ParsedJson& tree,
                                        std::size_t max);
    /// False, and a fault: the tree is not a list (or object) of at most `max` elements.
    [[nodiscard]] bool is_list(std::string_view what, const ParsedJson& tree, std::size_t max);
    [[nodiscard]] bool is_object(std::string_view what, const ParsedJson& tree, std::size_t max);

    template <class T>
        requires std::is_class_v<T>
    void read(std::string_view what, const ParsedJson& tree, T& into, const Rule& rule) {
        if constexpr (Short<T>::possible) {
            if (!tree.is_object()) {
                typename Short<T>::Value value{};
                read(what, tree, value, rule);
                into = Short<T>::from(value);
                return;
            }
        }
        if (is_object(what, tree, limits::map_fields)) {
            Reading<T>::begin(into);
            pairs(tree, into);
            Reading<T>::end(into);
        }
    }
    void read(std::string_view what, const ParsedJson& tree, bool& into, const Rule&);
    template <Unsigned N>
    void read(std::string_view what, const ParsedJson& tree, N& into, const Rule&) {
        into = static_cast<N>(number(what, tree, std::numeric_limits<N>::max()));
    }
    template <std::signed_integral N>
    void read(std::string_view what, const ParsedJson& tree, N& into, const Rule&) {
        into = static_cast<N>(signed_number(what, tree, std::numeric_limits<N>::min(),
                                            std::numeric_limits<N>::max()));
    }
    template <OpaqueNumber E>
    void read(std::string_view what, const ParsedJson& tree, E& into, const Rule& rule) {
        std::underlying_type_t<E> number{};
        read(what, tree, number, rule);
        into = static_cast<E>(number);
    }
    void read(std::string_view what, const ParsedJson& tree, RlimitValue& into, const Rule&);
    template <Named E>
    void read(std::string_view what, const ParsedJson& tree, E& into, const Rule&) {
        if (!enum_from(text(what, tree, limits::name_bytes), into)) {
            fail(Errc::malformed, what, "is none of " + names_of<E>());
        }
    }
    template <class Tag>
    void read(std::string_view what, const ParsedJson& tree, Id128<Tag>& into, const Rule&) {
        const auto id = parse_id<Id128<Tag>>(text(what, tree, limits::name_bytes));
        if (id) {
            into = *id;
        } else {
            fail(Errc::malformed, what, "is not 32 hexadecimal digits");
        }
    }
    void read(std::string_view what, const ParsedJson& tree, Duration& into, const Rule&);
    void read(std::string_view what, const ParsedJson& tree, std::string& into, const Rule& rule);
    void read(std::string_view what, const ParsedJson& tree, Constraint& into, const Rule& rule);
    template <class N>
    void read(std::string_view what, const ParsedJson& tree, std::optional<N>& into,
              const Rule& rule) {
        read(what, tree, into.emplace(), rule);
    }
    template <class T>
    void read(std::string_view what, const ParsedJson& tree, std::vector<T>& into,
              const Rule& rule) {
        into.clear();
        if (!is_list(what, tree, rule.count)) {
            return;
        }
        for (const auto& element : tree) {
            read(what, element, into.emplace_back(), rule);
        }
    }
    template <class T>
    void read(std::string_view what, const ParsedJson& tree, std::map<std::string, T>& into,
              const Rule& rule) {
        into.clear();
        if (!is_object(what, tree, rule.count)) {
            return;
        }
        for (const auto& [key, element] : tree.items()) {
            if (key.size() > rule.bytes) {
                fail(Errc::too_large, what, "has a key that is too long");
            }
            read(what, element, into[key], rule);
        }
    }

    std::optional<Error> fault_;
};

}  // namespace muster::codec
