#pragma once

// The only include of Catch: Debian 12 has version 2, later releases have version 3.
#if __has_include(<catch2/catch_all.hpp>)
#include <string>
#include <utility>

#include <catch2/catch_all.hpp>

// The names of version 2 for matchers of texts.
namespace Catch {
using Matchers::EndsWith;
using Matchers::StartsWith;
inline auto Contains(std::string part) { return Matchers::ContainsSubstring(std::move(part)); }
}  // namespace Catch
#else
#include <catch2/catch.hpp>
#endif
