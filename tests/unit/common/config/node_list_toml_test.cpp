#include <string>

#include "tests/catch.hpp"

#include "common/config/spec_toml.hpp"

using namespace muster;

namespace {

std::string fault_in(const std::string& text) {
    const auto nodes = nodes_from_toml(text, "nodes.toml");
    REQUIRE_FALSE(nodes);
    CHECK(nodes.error().code == Errc::invalid);
    return nodes.error().detail;
}

}  // namespace

TEST_CASE("a list of nodes is read with the pool of each", "[nodes][toml]") {
    const auto nodes = nodes_from_toml(
        "[[node]]\nname = \"n1\"\n\n[[node]]\nname = \"n2\"\npool = \"fast\"\n", "nodes.toml");
    REQUIRE(nodes);
    CHECK(*nodes == std::vector{ListedNode{"n1"}, ListedNode{"n2", "fast"}});
}

// Goal: the sentence alone is enough to find the error. Method: one error in each file.
TEST_CASE("an error in a list of nodes is reported with its line", "[nodes][toml]") {
    CHECK_THAT(fault_in("[[node]]\nname = \"N 1\"\n"), Catch::StartsWith("nodes.toml:1: name is"));
    CHECK_THAT(fault_in("[[node]]\npool = \"a\"\n"), Catch::StartsWith("nodes.toml:1: name is"));
    CHECK_THAT(fault_in("[[node]]\nname = \"n1\"\npool = \"\"\n"), Catch::Contains("pool is"));
    CHECK_THAT(fault_in("[[node]]\nname = \"n1\"\npol = \"a\"\n"),
               Catch::StartsWith("nodes.toml:3") && Catch::Contains("pool"));
    CHECK_THAT(fault_in("[[node]]\nname = \"n1\"\n[[node]]\nname = \"n1\"\n"),
               Catch::StartsWith("nodes.toml:3") && Catch::Contains("given twice"));
    CHECK_THAT(fault_in("node = 7\n"), Catch::Contains("begin each node with [[node]]"));
    CHECK_THAT(fault_in(""), Catch::Contains("begin each node with [[node]]"));
    CHECK_THAT(fault_in("[[node\n"), Catch::Contains("not TOML"));
}
