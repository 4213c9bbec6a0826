// The list of what the systems before muster did, and what they did wrong, held against the tags of
// the tests: an id is proven by a test that has it as a tag of its own.

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "tests/catch.hpp"

namespace muster {
namespace {

// What docs/internals/simulation.md calls numbers of what the systems before muster do. Those that
// need pieces still to come (pools, the agent's journal) are not in it.
constexpr std::array ids{
    "SP-1",  "SP-2",   "SP-3",   "SP-4",   "SP-5",   "SP-6",   "SP-7",             // the planner
    "GO-01", "GO-02",  "GO-03",  "GO-04",  "GO-05",  "GO-06",  "GO-07",  "GO-08",  // workload
    "GO-09", "GO-10",  "GO-11",  "GO-12",  "GO-13",  "GO-14",  "GO-15",  "GO-16",  //
    "GO-17", "GO-18",  "GO-19",  "GO-20",  "GO-21",  "GO-24",                      //
    "GO-D1", "GO-D2",  "GO-D3",  "GO-D4",  "GO-D5",  "GO-D6",  "GO-D7",  "GO-D8",  //
    "GO-D9", "GO-D10", "GO-D11", "GO-D12", "GO-D13", "GO-D14", "GO-D15",           //
    "SC-01", "SC-02",  "SC-03",  "SC-04",  "SC-05",  "SC-06",  "SC-07",  "SC-08",  // nodes
    "SC-09", "SC-10",  "SC-11",  "SC-15",  "SC-16",  "SC-17",  "SC-18",  "SC-19",  //
    "SC-20", "SC-21",  "SC-22",  "SC-23",  "SC-24",  "SC-25",  "SC-26",            //
    "SC-D1", "SC-D2",  "SC-D3",  "SC-D4",  "SC-D5",  "SC-D6",  "SC-D7",  "SC-D8",  //
    "SC-D9", "SC-D10", "SC-D11", "SC-D12", "SC-D13", "SC-D15", "SC-D16",
};

bool is_id(std::string_view tag) {
    return tag.starts_with("SP-") || tag.starts_with("GO-") || tag.starts_with("SC-");
}

// Adds the tags of a literal such as "[planner][GO-07]".
void add_tags(std::string_view literal, std::set<std::string>& tags) {
    while (literal.starts_with('[')) {
        const auto end = literal.find(']');
        if (end == std::string_view::npos) {
            return;
        }
        if (is_id(literal.substr(1, end - 1))) {
            tags.emplace(literal.substr(1, end - 1));
        }
        literal.remove_prefix(end + 1);
    }
}

// What stands in tags, not what comments mention.
std::set<std::string> tags_of(std::string_view text) {
    std::set<std::string> tags;
    for (auto at = text.find("\"["); at != std::string_view::npos; at = text.find("\"[", at + 1)) {
        const auto end = text.find_first_of("\"\n", at + 1);
        if (end == std::string_view::npos || text[end] == '\n') {
            continue;
        }
        add_tags(text.substr(at + 1, end - at - 1), tags);
    }
    return tags;
}

std::set<std::string> tags_below(const std::filesystem::path& root) {
    std::set<std::string> tags;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{root}) {
        const auto& path = entry.path();
        if (path.extension() == ".cpp" && path.filename() != "conformance_test.cpp") {
            std::ifstream file{path, std::ios::binary};
            const std::string text{std::istreambuf_iterator<char>{file}, {}};
            tags.merge(tags_of(text));
        }
    }
    return tags;
}

bool is_in(std::string_view id, const auto& list) {
    return std::find(list.begin(), list.end(), id) != list.end();
}

}  // namespace

// Goal: nothing that was promised is forgotten.
// Method: read the tags of every test.
TEST_CASE("every id of the conformance list is the tag of a test", "[source][conformance]") {
    const auto tags = tags_below(std::filesystem::path{MUSTER_SOURCE_DIR} / "tests");
    REQUIRE(tags.size() > 40);
    for (const std::string id : ids) {
        CAPTURE(id);
        CHECK(tags.contains(id));
    }
    for (const auto& tag : tags) {
        CAPTURE(tag);
        CHECK(is_in(tag, ids));
    }
}

TEST_CASE("an id is read from a test's tags, not from what is said beside it",
          "[source][conformance]") {
    CHECK(tags_of("TEST_CASE(\"x\", \"[a][GO-01][SC-D3]\")") ==
          std::set<std::string>{"GO-01", "SC-D3"});
    CHECK(tags_of("// [GO-01], and \"[GO-02\n TEST_CASE(\"[x\", \"[a]\")").empty());
}

}  // namespace muster
