#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/limits.hpp"
#include "common/codec/msgpack/cursor.hpp"
#include "common/codec/shapes/field_list.hpp"
#include "common/codec/shapes/printed_text.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/codec/shapes/simple_value.hpp"

namespace muster::codec {

/// Reads what shape.hpp describes from msgpack. Faults stay in the cursor; after one the values are
/// useless. Lists grow with the bytes that were really read, and their memory is used again.
class MsgpackReader {
public:
    explicit MsgpackReader(Cursor& cursor, UnknownFields unknown = UnknownFields::ignored)
        : cursor_{cursor}, unknown_{unknown} {}

    /// The fields of a message that is an array, after its number. Elements that a later version
    /// added at the end are skipped; elements that an earlier version did not know have their
    /// default.
    template <class T>
    void values(T& message, std::size_t count) {
        if (count < count_fields(message)) {
            message = T{};  // Not the earlier content.
        }
        const auto read_one = [&](std::string_view name, auto& member, Rule rule) {
            this->read(name, member, rule);
        };
        std::size_t left = count;
        const auto read_if_left = [&](std::string_view name, auto& member, Rule rule) {
            if (left > 0) {
                --left;
                this->read(name, member, rule);
            } else if (!rule.default_ok && cursor_.ok()) {
                cursor_.fail(Errc::malformed, name, "is missing at the end of the array");
            }
        };
        std::size_t known = 0;
        const auto count_known = [&](std::string_view, auto&, Rule) { ++known; };
        fields(count_known, message);
        count < known ? fields(read_if_left, message) : fields(read_one, message);
        for (; count > known && cursor_.ok(); --count) {
            cursor_.skip("an element");
        }
    }

    /// The fields of a map, in any order. Unknown names are skipped.
    template <class T>
    void map(std::string_view what, T& message) {
        pairs(what, Fields{message});
    }

private:
    using Fields = FieldList<MsgpackReader, void*>;
    friend Fields;

    template <class T>
    static void use(MsgpackReader& reader, const Fields::Field& field) {
        reader.read(field.name, *static_cast<T*>(field.value), field.rule);
    }
    void pairs(std::string_view what, const Fields& known);
    void note_unknown(std::string_view key, const Fields& known);

    template <class T>
        requires(!Simple<T>)
    void read(std::string_view what, T& into, Rule rule) {
        if constexpr (Short<T>::possible) {
            if (!cursor_.at_map()) {
                typename Short<T>::Value value{};
                read(what, value, rule);
                into = Short<T>::from(value);
                return;
            }
        }
        if constexpr (UnknownKey<T>::is_kept) {
            unknown_key_ = {};
        }
        if constexpr (is_read_whole<T>) {
            fault_ =
                unknown_ == UnknownFields::refused ? std::optional{std::string{}} : std::nullopt;
        }
        if constexpr (positional<T>) {
            values(into, cursor_.array(what, limits::map_fields));
        } else {
            // A missing key has its default, not the earlier content.
            Reading<T>::begin(into);
            map(what, into);
            Reading<T>::end(into);
        }
        if constexpr (UnknownKey<T>::is_kept) {
            UnknownKey<T>::key_of(into) = unknown_key_;
        }
        if constexpr (is_read_whole<T>) {
            if (fault_ && !fault_->empty()) {
                cursor_.fail(Errc::invalid, "task " + in_quotes(into.name), *fault_);
            }
            fault_.reset();
        }
    }
    template <Simple T>
    void read(std::string_view what, T& into, Rule rule) {
        if constexpr (by_number<T>) {
            into = static_cast<T>(cursor_.number(what, enum_names<T>.size() - 1));
        } else {
            read_simple(cursor_, what, into, rule);
        }
    }
    template <class Tag>
    void read(std::string_view what, Id128<Tag>& into, Rule) {
        const auto bytes = cursor_.bytes(what, id_bytes);
        if (bytes.size() != id_bytes) {
            cursor_.fail(Errc::malformed, what, "does not have 16 bytes");
            return;
        }
        into = {number_of(bytes.substr(0, 8)), number_of(bytes.substr(8))};
    }
    template <class N>
    void read(std::string_view what, std::optional<N>& into, Rule rule) {
        read(what, into.emplace(), rule);
    }
    template <class T>
    void read(std::string_view what, std::vector<T>& into, Rule rule) {
        const std::size_t count = cursor_.array(what, rule.count);
        into.resize(std::min(into.size(), count));
        for (auto& element : into) {
            read(what, element, rule);
        }
        while (into.size() < count && cursor_.ok()) {
            read(what, into.emplace_back(), rule);
        }
    }
    template <class T>
    void read(std::string_view what, std::map<std::string, T>& into, Rule rule) {
        const std::size_t count = cursor_.map(what, rule.count);
        into.clear();
        for (std::size_t i = 0; i < count && cursor_.ok(); ++i) {
            const auto [at, is_new] = into.try_emplace(std::string{cursor_.text(what, rule.bytes)});
            read(what, at->second, rule);
            if (!is_new) {
                cursor_.fail(Errc::malformed, what, "holds a key twice");
            }
        }
    }

    Cursor& cursor_;
    UnknownFields unknown_;
    std::string_view unknown_key_;  // The first that was skipped. See UnknownKey.
    /// In a struct that is read whole: the first key that was skipped, in a sentence.
    std::optional<std::string> fault_;
};

}  // namespace muster::codec
