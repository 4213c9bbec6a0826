#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/codec/msgpack/packer.hpp"
#include "common/codec/not_recorded.hpp"
#include "common/codec/shapes/printed_text.hpp"

namespace muster::codec {

/// Writes any value of a program as msgpack, exactly, after the content of `into`. StateReader
/// reads it, perhaps in a later version.
///
/// A struct is described by `Fields::fields(visit, value)`, which makes one call `visit("a b",
/// value.a, value.b)`. It is a map of one pair: its kind, and the array of its values. The first
/// struct of a kind has its field names as the kind; later ones have a number, which counts the
/// kinds from 0. A value with a wire form of its own is written by `Fields::write(value, bytes)`.
template <class Fields>
class StateWriter {
public:
    /// Without `names`, structs have no field names. `scratch` is a buffer of the caller, so that a
    /// temporary writer allocates nothing.
    StateWriter(std::string& into, std::string& scratch, bool names = true)
        : sink_{into}, pack_{sink_}, scratch_{scratch}, names_{names} {}

    template <class T>
    void write(const T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            value ? pack_.pack_true() : pack_.pack_false();
        } else if constexpr (std::is_enum_v<T>) {
            write(raw(value));
        } else if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
            pack_.pack_int64(value);
        } else if constexpr (std::is_integral_v<T>) {
            pack_.pack_uint64(value);
        } else if constexpr (requires { Fields::write(value, scratch_); }) {
            Fields::write(value, scratch_);
            pack_bytes(pack_, scratch_);
        } else if constexpr (requires { Fields::fields(*this, value); }) {
            Fields::fields(*this, value);
        } else {
            put(value);
        }
    }

    template <class... T>
    void operator()(std::string_view names, const T&... values) {
        std::array<Field, sizeof...(T)> fields{field(values)...};
        put_struct(names, fields);
    }

private:
    /// A value and how it is written. A struct is a list of them, so that its type costs little
    /// code.
    struct Field {
        const void* value = nullptr;
        void (*write)(StateWriter& writer, const void* value) = nullptr;  // Null: not recorded.
    };
    template <class T>
    static Field field(const T& value) {
        return {&value, &write_field<T>};
    }
    static Field field(const NotRecorded& /*member*/) { return {}; }
    template <class T>
    static void write_field(StateWriter& writer, const void* value) {
        writer.write(*static_cast<const T*>(value));
    }

    void put_struct(std::string_view names, std::span<Field> fields) {
        // TODO(clang15): Clang 14 cannot use std::ranges::remove.
        const auto is_empty = [](const Field& field) { return field.write == nullptr; };
        fields = {fields.begin(), std::remove_if(fields.begin(), fields.end(), is_empty)};
        if (names_) {
            const auto [known, is_new] = kinds_.try_emplace(names, kinds_.size());
            pack_.pack_map(1);
            if (is_new) {
                put(names);
            } else {
                pack_.pack_uint64(known->second);
            }
        }
        pack_.pack_array(static_cast<std::uint32_t>(fields.size()));
        for (const Field& one : fields) {
            one.write(*this, one.value);
        }
    }

    void put(std::string_view value) { pack_text(pack_, value); }
    void put(const std::string& value) { put(std::string_view{value}); }
    void put(Duration value) { pack_.pack_int64(value.count()); }
    void put(Instant value) { put(value.time_since_epoch()); }
    void put(std::monostate) { pack_.pack_nil(); }
    template <class Tag>
    void put(const Id128<Tag>& id) {
        const auto value = bytes_of(id.high, id.low);
        pack_bytes(pack_, {value.data(), value.size()});
    }
    /// An optional value: std::optional, Boxed, Shared.
    template <class T>
        requires requires(const T& value) { static_cast<bool>(value) && (*value, true); }
    void put(const T& value) {
        if (value) {
            pack_.pack_array(1);
            write(*value);
        } else {
            pack_.pack_nil();
        }
    }
    template <class... T>
    void put(const std::variant<T...>& value) {
        pack_.pack_array(2);
        pack_.pack_uint64(value.index());
        std::visit([this](const auto& one) { this->write(one); }, value);
    }
    template <class... T>
    void put(const std::tuple<T...>& value) {
        pack_.pack_array(sizeof...(T));
        std::apply([this](const auto&... one) { (this->write(one), ...); }, value);
    }
    template <class A, class B>
    void put(const std::pair<A, B>& value) {
        pack_.pack_array(2);
        write(value.first);
        write(value.second);
    }
    template <std::ranges::sized_range T>
    void put(const T& values) {
        pack_.pack_array(static_cast<std::uint32_t>(values.size()));
        for (const auto& value : values) {
            write(value);
        }
    }

    Sink sink_;
    Packer pack_;
    std::string& scratch_;
    bool names_;
    // Kinds of structs, by the names of their fields.
    std::map<std::string_view, std::size_t> kinds_;
};

}  // namespace muster::codec
