#pragma once

#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "common/codec/msgpack/packer.hpp"
#include "common/codec/shapes/field_list.hpp"
#include "common/codec/shapes/printed_text.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/codec/shapes/simple_value.hpp"

namespace muster::codec {

/// Writes what shape.hpp describes as msgpack, after the content of `into`.
class MsgpackWriter {
public:
    explicit MsgpackWriter(std::string& into) : sink_{into}, pack_{sink_} {}

    /// A message that is an array: its number, then its fields.
    template <class T>
    void numbered(const T& message) {
        pack_.pack_array(count_fields(message) + 1);
        pack_.pack_uint8(message_number<T>);
        values(message);
    }

    /// A separate map, such as a spec in the store.
    template <class T>
    void map(const T& message) {
        const Fields its{message};
        map_of(its.size());
        pairs(its);
    }
    /// Begins a map; so many pairs must follow.
    void map_of(std::size_t count) { pack_.pack_map(static_cast<std::uint32_t>(count)); }
    void pair(std::string_view name, std::string_view value) {
        text(name);
        text(value);
    }
    using Fields = FieldList<MsgpackWriter, const void*>;
    void pairs(const Fields& fields);

    // For write_simple().
    void truth(bool value) { value ? pack_.pack_true() : pack_.pack_false(); }
    void number(std::signed_integral auto value) { pack_.pack_int64(value); }
    void number(std::unsigned_integral auto value) { pack_.pack_uint64(value); }
    void text(std::string_view value) { pack_text(pack_, value); }

private:
    friend Fields;

    template <class T>
    static void use(MsgpackWriter& writer, const Fields::Field& field) {
        writer.write(*static_cast<const T*>(field.value), field.rule);
    }

    template <class T>
    void values(const T& message) {
        const auto visit = [this](std::string_view, const auto& member, Rule rule) {
            this->write(member, rule);
        };
        fields(visit, message);
    }

    template <class T>
        requires(!Simple<T>)
    void write(const T& structure, Rule rule) {
        if constexpr (Short<T>::possible) {
            if (Short<T>::fits(structure)) {
                return write(Short<T>::value_of(structure), rule);
            }
        }
        if constexpr (positional<T>) {
            pack_.pack_array(count_fields(structure));
            values(structure);
        } else {
            map(structure);
        }
    }
    template <Simple T>
    void write(const T& value, Rule rule) {
        if constexpr (by_number<T>) {
            number(raw(value));
        } else {
            write_simple(*this, value, rule);
        }
    }
    template <class Tag>
    void write(const Id128<Tag>& id, Rule) {
        const auto bytes = bytes_of(id.high, id.low);
        pack_bytes(pack_, {bytes.data(), bytes.size()});
    }
    template <class T>
    void write(const std::vector<T>& list, Rule rule) {
        pack_.pack_array(static_cast<std::uint32_t>(list.size()));
        for (const auto& element : list) {
            write(element, rule);
        }
    }
    template <class T>
    void write(const std::map<std::string, T>& map, Rule rule) {
        pack_.pack_map(static_cast<std::uint32_t>(map.size()));
        for (const auto& [key, element] : map) {
            write(key, rule);
            write(element, rule);
        }
    }

    Sink sink_;
    Packer pack_;
};

}  // namespace muster::codec
