// tests/conformance.md lists the behaviours that muster implements. Each has an id, and a test
// proves it with this id as a tag.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

namespace muster {
namespace {

bool is_id(std::string_view tag) {
    return tag.starts_with("SP-") || tag.starts_with("GO-") || tag.starts_with("SC-") ||
           tag.starts_with("MG-") || tag.starts_with("FN-");
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

// Only tags, not mentions in comments.
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

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::set<std::string> tags_below(const std::filesystem::path& root) {
    std::set<std::string> tags;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{root}) {
        const auto& path = entry.path();
        if (path.extension() == ".cpp" && path.filename() != "conformance_test.cpp") {
            tags.merge(tags_of(text_of(path)));
        }
    }
    return tags;
}

// The ids of the page, in order. The sentence of an id follows it on the same line.
std::vector<std::string> ids_of(std::string_view page) {
    std::vector<std::string> ids;
    constexpr std::string_view before = "\n- **";
    constexpr std::string_view behind = "**: ";
    for (auto at = page.find(before); at != std::string_view::npos;
         at = page.find(before, at + 1)) {
        const auto begin = at + before.size();
        const auto line = page.substr(begin, page.find('\n', begin) - begin);
        const auto end = line.find(behind);
        if (end != std::string_view::npos && is_id(line.substr(0, end))) {
            ids.emplace_back(line.substr(0, end));
        }
    }
    return ids;
}

}  // namespace

// Goal: no behaviour of the list is forgotten, and no tag lacks an explanation.
// Method: compare the ids of the page with the tags of all tests.
TEST_CASE(
    "every id of the conformance page is the tag of a test, and every such tag is on the page",
    "[source][conformance]") {
    const auto tests = std::filesystem::path{MUSTER_SOURCE_DIR} / "tests";
    const auto tags = tags_below(tests);
    const auto ids = ids_of(text_of(tests / "conformance.md"));
    const std::set<std::string> explained{ids.begin(), ids.end()};
    CHECK(explained.size() == ids.size());
    REQUIRE(explained.size() > 80);
    for (const auto& id : ids) {
        CAPTURE(id);
        CHECK(tags.contains(id));
    }
    for (const auto& tag : tags) {
        CAPTURE(tag);
        CHECK(explained.contains(tag));
    }
}

TEST_CASE("an id is read from a test's tags, not from other text", "[source][conformance]") {
    CHECK(tags_of("TEST_CASE(\"x\", \"[a][GO-01][SC-D3]\")") ==
          std::set<std::string>{"GO-01", "SC-D3"});
    CHECK(tags_of("// [GO-01], and \"[GO-02\n TEST_CASE(\"[x\", \"[a]\")").empty());
}

TEST_CASE("an id of the page is at the beginning of its line", "[source][conformance]") {
    CHECK(ids_of("# SP-9\n\n- **SP-1**: as SP-2.\n- **(a) GO-01.** x\n- **GO-D1**: y\n") ==
          std::vector<std::string>{"SP-1", "GO-D1"});
}

}  // namespace muster
