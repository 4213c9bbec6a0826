#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace muster::codec {

/// How many names one string has.
constexpr std::size_t count_names(std::string_view names) {
    return static_cast<std::size_t>(std::count(names.begin(), names.end(), ' ')) + 1;
}

/// Calls `use` with all members of a struct. One that has more or fewer does not compile.
template <std::size_t Count>
void use_members(auto& it, auto&& use) {
    if constexpr (Count == 1) {
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
    } else {
        static_assert(Count == 15, "no struct of so many members was described yet");
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = it;
        use(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
    }
}

/// Visits a struct of which `Fields::names()` has the names of all members.
template <class Fields>
void visit_members(auto& visit, auto& it) {
    constexpr std::string_view names = Fields::names(static_cast<decltype(&it)>(nullptr));
    use_members<count_names(names)>(it, [&](auto&... all) { visit(names, all...); });
}

}  // namespace muster::codec
