#include "cli/screen/terminal.hpp"

#include <string>

#include "tests/catch.hpp"

using namespace muster::cli;

// Goal: --watch can be piped. Method: no terminal.
TEST_CASE("without a terminal a watched block is printed below the last one", "[cli]") {
    Screen screen{Terminal{}};
    CHECK(screen.next("a\nb\n") == "a\nb\n");
    CHECK(screen.next("c\n") == "\nc\n");
}

// Goal: --watch does not flicker. Method: check the bytes: move up, overwrite each line, clear only
// the rest.
TEST_CASE("on a terminal a watched block overwrites the last one", "[cli]") {
    Screen screen{Terminal{.out_is_terminal = true, .columns = 80, .rows = 24}};
    CHECK(screen.next("a\nb\n") == "a\033[K\nb\033[K\n\033[J");
    CHECK(screen.next("c\n") == "\033[2Ac\033[K\n\033[J");
    CHECK(screen.next("d\n") == "\033[1Ad\033[K\n\033[J");
}

TEST_CASE("a watched block is cut to the rows of the terminal, which would scroll otherwise",
          "[cli]") {
    Screen screen{Terminal{.out_is_terminal = true, .columns = 80, .rows = 3}};
    CHECK(screen.next("a\nb\nc\nd\n") == "a\033[K\nb\033[K\n\033[J");
    CHECK(screen.next("a\n") == "\033[2Aa\033[K\n\033[J");
}
