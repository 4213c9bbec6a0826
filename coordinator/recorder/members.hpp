#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common/codec/not_recorded.hpp"

namespace muster::coordinator {

/// Fields::names() knows this struct. A variable, so that a compiler evaluates it once.
template <class Fields, class T>
inline constexpr bool has_names = requires {
    Fields::names(static_cast<const T*>(nullptr));
};
template <class Fields, class T>
inline constexpr bool is_named = has_names<Fields, std::remove_cvref_t<T>>;

/// Takes structs apart to be recorded. The core's structs make only this friend, and its members,
/// see their private state.
struct CoreFields {
    struct OfCore;
    struct OfPools;

    /// Visits the recorded members of a struct. `Fields::names()` lists all its members in their
    /// order; a missing or surplus name does not compile. A name with a minus before it is not
    /// recorded: it refers to another object, lasts one step, or is rebuilt by
    /// `Fields::rebuild()` once the others are read.
    template <class Fields>
    static void visit_members(auto& visit, auto& it) {
        using Its = Described<Fields, std::remove_cvref_t<decltype(it)>>;
        with_members<Its::count>(it, [&](auto&... members) {
            visit_recorded<Its>(visit, std::make_index_sequence<Its::count>{}, members...);
        });
        if constexpr (requires { Fields::rebuild(it); }) {
            Fields::rebuild(it);
        }
    }

private:
    template <std::size_t Count, std::size_t Size>
    struct Split {
        std::array<bool, Count> is_recorded{};
        std::array<char, Size> names{};
        std::size_t size = 0;
    };
    /// The recorded members, and their names.
    template <std::size_t Count, std::size_t Size>
    static constexpr Split<Count, Size> split_of(std::string_view names) {
        Split<Count, Size> result;
        std::size_t begin = 0;
        for (std::size_t place = 0; place < Count; ++place) {
            const std::string_view name = names.substr(begin, names.find(' ', begin) - begin);
            begin += name.size() + 1;
            if (name.starts_with('-')) {
                continue;
            }
            if (result.size > 0) {
                result.names[result.size++] = ' ';
            }
            result.is_recorded[place] = true;
            for (const char letter : name) {
                result.names[result.size++] = letter;
            }
        }
        return result;
    }

    template <class Fields, class T>
    struct Described {
        static constexpr std::string_view names = Fields::names(static_cast<const T*>(nullptr));
        static constexpr auto count = static_cast<std::size_t>(
            names.empty() ? 0 : std::count(names.begin(), names.end(), ' ') + 1);
        static constexpr auto recorded = split_of<count, names.size()>(names);
    };

    template <class Its, std::size_t... At>
    static void visit_recorded(auto& visit, std::index_sequence<At...> /*each*/, auto&... members) {
        visit(std::string_view{Its::recorded.names.data(), Its::recorded.size},
              if_recorded<Its::recorded.is_recorded[At]>(members)...);
    }
    template <bool IsRecorded>
    static auto& if_recorded(auto& member) {
        if constexpr (IsRecorded) {
            return member;
        } else {
            return codec::not_recorded;
        }
    }

    template <std::size_t Count>
    static void with_members(auto& it, auto use) {
        if constexpr (Count == 0) {
            use();
        } else if constexpr (Count == 1) {
            auto& [a] = it;
            use(a);
        } else if constexpr (Count == 2) {
            auto& [a, b] = it;
            use(a, b);
        } else if constexpr (Count == 3) {
            auto& [a, b, c] = it;
            use(a, b, c);
        } else if constexpr (Count == 4) {
            auto& [a, b, c, d] = it;
            use(a, b, c, d);
        } else if constexpr (Count == 5) {
            auto& [a, b, c, d, e] = it;
            use(a, b, c, d, e);
        } else if constexpr (Count == 6) {
            auto& [a, b, c, d, e, f] = it;
            use(a, b, c, d, e, f);
        } else if constexpr (Count == 7) {
            auto& [a, b, c, d, e, f, g] = it;
            use(a, b, c, d, e, f, g);
        } else if constexpr (Count == 8) {
            auto& [a, b, c, d, e, f, g, h] = it;
            use(a, b, c, d, e, f, g, h);
        } else if constexpr (Count == 9) {
            auto& [a, b, c, d, e, f, g, h, i] = it;
            use(a, b, c, d, e, f, g, h, i);
        } else if constexpr (Count == 10) {
            auto& [a, b, c, d, e, f, g, h, i, j] = it;
            use(a, b, c, d, e, f, g, h, i, j);
        } else if constexpr (Count == 11) {
            auto& [a, b, c, d, e, f, g, h, i, j, k] = it;
            use(a, b, c, d, e, f, g, h, i, j, k);
        } else if constexpr (Count == 12) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l] = it;
            use(a, b, c, d, e, f, g, h, i, j, k, l);
        } else if constexpr (Count == 13) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = it;
            use(a, b, c, d, e, f, g, h, i, j, k, l, m);
        } else if constexpr (Count == 14) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = it;
            use(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
        } else if constexpr (Count == 15) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = it;
            use(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
        } else if constexpr (Count == 16) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = it;
            use(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
        } else if constexpr (Count == 17) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = it;
            use(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
        } else if constexpr (Count == 18) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = it;
            use(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
        } else {
            static_assert(Count == 19, "no struct of so many members was described yet");
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = it;
            use(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
        }
    }
};

}  // namespace muster::coordinator
