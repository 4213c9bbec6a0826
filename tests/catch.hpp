#pragma once

// The one way to include Catch: version 2 is in Debian 12, later releases have version 3.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
