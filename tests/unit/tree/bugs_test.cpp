// docs/internals/bugs.md names the test that holds each bug. A renamed test is renamed there, too.

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/tree/source_files.hpp"

namespace muster::tree {
namespace {

namespace fs = std::filesystem;

/// The literal that begins at the quote `at`, without its backslashes. `at` is behind it then.
std::string literal_at(std::string_view text, std::size_t& at) {
    std::string literal;
    for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\' && at + 1 < text.size()) {
            ++at;
        }
        literal += text[at];
    }
    ++at;
    return literal;
}

/// The names after `macro`, each of which may be several literals in a row.
void add_names_after(std::string_view macro, std::string_view text, std::set<std::string>& names) {
    for (auto at = behind(text, macro, 0); at < text.size(); at = behind(text, macro, at)) {
        std::string name;
        at = std::min(text.find_first_not_of(" \n", at), text.size());
        while (at < text.size() && text[at] == '"') {
            name += literal_at(text, at);
            at = std::min(text.find_first_not_of(" \n", at), text.size());
        }
        names.insert(name);
    }
}

/// The literals of a CMakeLists.txt, as ctest shows them and without the program before the colon.
void add_names_of_ctest(std::string_view text, std::set<std::string>& names) {
    for (auto at = text.find('"'); at < text.size(); at = text.find('"', at)) {
        const std::string name = literal_at(text, at);
        names.insert(name.substr(name.find(':') + 1));
        names.insert(name);
    }
}

/// The names of all tests that the file defines.
std::set<std::string> tests_in(const std::string& path, std::string_view text) {
    std::set<std::string> names;
    if (path.ends_with(".cpp")) {
        add_names_after("TEST_CASE(", text, names);
        add_names_after("SCENARIO(", text, names);
    } else if (path.ends_with("CMakeLists.txt")) {
        add_names_of_ctest(text, names);
    }
    return names;
}

/// Also the inputs of fuzz targets: a test runs each of them.
std::set<std::string> tests_of_tree(const fs::path& root) {
    std::set<std::string> names;
    for (const std::string& path : files_of(root)) {
        if (path.starts_with("tests/") || path.starts_with("bench/")) {
            names.merge(tests_in(path, text_of(root / path)));
        }
    }
    for (const auto& entry : fs::recursive_directory_iterator{root / "tests/fuzz/corpus"}) {
        names.insert(entry.path().filename().string());
    }
    return names;
}

/// The quoted names in the last column of the rows of a table.
std::vector<std::string> holders_in(std::string_view page) {
    std::vector<std::string> names;
    for (auto at = behind(page, "\n|---|", 0); at < page.size(); at = behind(page, "\n", at)) {
        const std::string_view line = page.substr(at, page.find('\n', at) - at);
        if (!line.starts_with('|') || line.size() < 2) {
            continue;
        }
        const std::string_view held = line.substr(line.rfind('|', line.size() - 2) + 1);
        for (auto quote = held.find('"'); quote < held.size(); quote = held.find('"', quote)) {
            names.push_back(literal_at(held, quote));
        }
    }
    return names;
}

}  // namespace

// Goal: whoever reads of a bug finds the test that holds it.
TEST_CASE("every test that the record of bugs names is in the tree", "[source][docs]") {
    const fs::path root{MUSTER_SOURCE_DIR};
    const auto tests = tests_of_tree(root);
    const auto holders = holders_in(text_of(root / "docs/internals/bugs.md"));
    REQUIRE(holders.size() > 300);
    for (const std::string& name : holders) {
        if (!tests.contains(name)) {
            FAIL_CHECK("docs/internals/bugs.md names the test \"" + name + "\", which is nowhere");
        }
    }
}

TEST_CASE("a test has its name in one literal or several, and in ctest behind its program",
          "[source][docs]") {
    CHECK(tests_in("a.cpp", "TEST_CASE(\"a \\\"b\\\"\"\n    \" c\", \"[d]\") { f(\"e\"); }") ==
          std::set<std::string>{"a \"b\" c"});
    CHECK(tests_in("a/CMakeLists.txt", "add_test(NAME \"a:b c\" COMMAND d)") ==
          std::set<std::string>{"a:b c", "b c"});
    CHECK(tests_in("a.hpp", "TEST_CASE(\"a\")").empty());
}

TEST_CASE("a holder is a name in quotes in the last column of the record", "[source][docs]") {
    CHECK(holders_in("\"a\"\n| b | \"c\" |\n|---|---|\n| \"d\" | \"e\", \"f\" |\n| g | the seed |\n"
                     "\n\"h\"\n") == std::vector<std::string>{"e", "f"});
}

}  // namespace muster::tree
