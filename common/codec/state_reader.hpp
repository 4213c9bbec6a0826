#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/codec/msgpack/cursor.hpp"
#include "common/codec/not_recorded.hpp"
#include "common/codec/shapes/printed_text.hpp"

namespace muster::codec {

/// Reads the output of StateWriter into values in their initial state. A field that the writer did
/// not know stays so; a field that no longer exists is skipped. Faults stay in the cursor; after
/// one the values are useless.
template <class Fields>
class StateReader {
public:
    /// Without `names`, structs have no field names: fields were only ever added at the end.
    explicit StateReader(Cursor& cursor, bool names = true) : cursor_{cursor}, names_{names} {}

    template <class T>
    void read(T& into) {
        if constexpr (std::is_same_v<T, bool>) {
            into = cursor_.truth(what);
        } else if constexpr (std::is_enum_v<T>) {
            std::underlying_type_t<T> number{};
            read(number);
            into = static_cast<T>(number);
        } else if constexpr (std::is_integral_v<T>) {
            number(into);
        } else if constexpr (requires { Fields::read(std::string_view{}, into); }) {
            if (auto read = Fields::read(cursor_.bytes(what, most), into); !read && cursor_.ok()) {
                cursor_.fail(read.error().code, what, read.error().detail);
            }
        } else if constexpr (requires { Fields::fields(*this, into); }) {
            Fields::fields(*this, into);
        } else {
            take(into);
        }
    }

    template <class... T>
    void operator()(std::string_view names, T&... values) {
        std::array<Field, sizeof...(T)> fields{field(values)...};
        read_struct(names, fields);
    }

private:
    /// A value and how it is read. A struct is a list of them, so that its type costs little code.
    struct Field {
        void* into = nullptr;
        void (*read)(StateReader& reader, void* into) = nullptr;  // Null: not recorded.
    };
    template <class T>
    static Field field(T& into) {
        return {&into, &read_field<T>};
    }
    static Field field(const NotRecorded& /*member*/) { return {}; }
    template <class T>
    static void read_field(StateReader& reader, void* into) {
        reader.read(*static_cast<T*>(into));
    }

    void read_struct(std::string_view names, std::span<Field> fields) {
        // TODO(clang15): Clang 14 cannot use std::ranges::remove.
        const auto is_empty = [](const Field& field) { return field.read == nullptr; };
        fields = {fields.begin(), std::remove_if(fields.begin(), fields.end(), is_empty)};
        names_ ? read_named(names, fields) : read_in_order(fields);
    }
    void read_in_order(std::span<const Field> fields) {
        std::size_t left = cursor_.array(what, most);
        for (auto one = fields.begin(); one != fields.end() && left > 0; ++one, --left) {
            one->read(*this, one->into);
        }
        for (; left > 0 && cursor_.ok(); --left) {
            pass_over(0);
        }
    }
    void read_named(std::string_view names, std::span<const Field> fields) {
        const Names* const written = begin_struct();
        if (written == nullptr) {
            return;
        }
        const Names& own = own_names(names);
        for (std::size_t i = 0; i < written->size(); ++i) {
            const bool same = i < own.size() && own[i] == (*written)[i];
            const auto at =
                same
                    ? i
                    : static_cast<std::size_t>(std::ranges::find(own, (*written)[i]) - own.begin());
            if (at < fields.size()) {
                fields[at].read(*this, fields[at].into);
            } else {
                pass_over(0);
            }
        }
    }

    static constexpr std::string_view what = "a state";
    static constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
    static constexpr int deepest = 64;
    using Names = std::vector<std::string>;

    [[nodiscard]] static Names split(std::string_view text) {
        Names names;
        for (const std::string_view word : words_of(text)) {
            names.emplace_back(word);
        }
        return names;
    }
    /// The names of the values that follow; null after a fault.
    [[nodiscard]] const Names* begin_struct() {
        cursor_.map(what, 1);
        const Names* names = nullptr;
        if (cursor_.at_text()) {
            names = &kinds_.emplace_back(split(cursor_.text(what, most)));
        } else if (const std::uint64_t kind = cursor_.number(what, most); kind < kinds_.size()) {
            names = &kinds_[kind];
        }
        if (names == nullptr || cursor_.array(what, most) != names->size()) {
            cursor_.fail(Errc::malformed, what, "has other fields than it names");
        }
        return cursor_.ok() ? names : nullptr;
    }
    /// Skips a value, but reads the kinds that it defines.
    void pass_over(int depth) {
        if (depth > deepest) {
            cursor_.fail(Errc::malformed, what, "is nested too deeply");
        } else if (cursor_.at_map()) {
            const Names* const names = begin_struct();
            for (std::size_t i = 0; names != nullptr && i < names->size() && cursor_.ok(); ++i) {
                pass_over(depth + 1);
            }
        } else if (cursor_.at_array()) {
            each([&] { pass_over(depth + 1); });
        } else {
            cursor_.skip(what);
        }
    }
    [[nodiscard]] const Names& own_names(std::string_view names) {
        const auto [known, is_new] = own_.try_emplace(names);
        if (is_new) {
            known->second = split(names);
        }
        return known->second;
    }

    template <class N>
    void number(N& into) {
        if constexpr (std::is_signed_v<N>) {
            into = static_cast<N>(cursor_.signed_number(what, std::numeric_limits<N>::min(),
                                                        std::numeric_limits<N>::max()));
        } else {
            into = static_cast<N>(cursor_.number(what, std::numeric_limits<N>::max()));
        }
    }
    void take(std::string& into) { into = cursor_.text(what, most); }
    /// A string_view points into a literal of the program; a copy that is never freed replaces it.
    void take(std::string_view& into) {
        static std::set<std::string, std::less<>> literals;
        into = *literals.emplace(cursor_.text(what, most)).first;
    }
    void take(Duration& into) {
        std::int64_t count = 0;
        number(count);
        into = Duration{count};
    }
    void take(Instant& into) {
        Duration since{};
        take(since);
        into = Instant{since};
    }
    void take(std::monostate&) { cursor_.skip(what); }
    template <class Tag>
    void take(Id128<Tag>& into) {
        const std::string_view bytes = cursor_.bytes(what, id_bytes);
        if (bytes.size() != id_bytes) {
            cursor_.fail(Errc::malformed, what, "has an id without 16 bytes");
            return;
        }
        into = {number_of(bytes.substr(0, 8)), number_of(bytes.substr(8))};
    }
    /// Whether the value is present.
    [[nodiscard]] bool is_there() {
        if (!cursor_.at_array()) {
            cursor_.skip(what);
            return false;
        }
        return cursor_.array(what, 1) == 1;
    }
    /// An optional value: std::optional, Boxed, Shared.
    template <class T>
        requires requires(const T& value) { static_cast<bool>(value) && (*value, true); }
    void take(T& into) {
        into = {};
        if (is_there()) {
            std::remove_cvref_t<decltype(*into)> value{};
            read(value);
            into = std::move(value);
        }
    }
    template <class... T>
    void take(std::variant<T...>& into) {
        cursor_.array(what, 2);
        const std::uint64_t index = cursor_.number(what, sizeof...(T) - 1);
        std::uint64_t at = 0;
        static_cast<void>(((at++ == index && (read(into.template emplace<T>()), true)) || ...));
    }
    template <class... T>
    void take(std::tuple<T...>& into) {
        cursor_.array(what, sizeof...(T));
        std::apply([this](auto&... one) { (this->read(one), ...); }, into);
    }
    template <class A, class B>
    void take(std::pair<A, B>& into) {
        cursor_.array(what, 2);
        read(into.first);
        read(into.second);
    }
    /// Calls `one()` for each element.
    void each(auto one) {
        const std::size_t count = cursor_.array(what, most);
        for (std::size_t i = 0; i < count && cursor_.ok(); ++i) {
            one();
        }
    }
    template <class T>
        requires requires(T& list) { list.emplace_back(); }
    void take(T& into) {
        into.clear();
        each([&] { read(into.emplace_back()); });
    }
    void take(std::vector<bool>& into) {
        into.clear();
        each([&] { into.push_back(cursor_.truth(what)); });
    }
    template <class T, std::size_t N>
    void take(std::array<T, N>& into) {
        std::size_t at = 0;
        each([&] {
            if (at < N) {
                read(into[at++]);
            } else {
                cursor_.skip(what);
            }
        });
    }
    template <class T, class Less>
    void take(std::set<T, Less>& into) {
        into.clear();
        each([&] {
            T value{};
            read(value);
            into.insert(into.end(), std::move(value));
        });
    }
    template <class Key, class T, class Less>
    void take(std::map<Key, T, Less>& into) {
        into.clear();
        each([&] {
            cursor_.array(what, 2);
            Key key{};
            read(key);
            read(into.try_emplace(into.end(), std::move(key))->second);
        });
    }

    Cursor& cursor_;
    bool names_;
    std::deque<Names> kinds_;  // As the writer defined them, in the order of their first struct.
    std::map<std::string_view, Names> own_;  // As this program has them.
};

}  // namespace muster::codec
