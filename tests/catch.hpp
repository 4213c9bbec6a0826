#pragma once

// The only include of Catch: Debian 12 has version 2, later releases have version 3.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
