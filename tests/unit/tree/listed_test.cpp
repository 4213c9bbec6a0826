// A test that is in no list of CMake is never built, and nobody sees that it does not run.

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/tree/source_files.hpp"

namespace muster::tree {
namespace {

/// The text of each file, by its path below the root.
using Texts = std::map<std::string, std::string>;

struct Listed {
    std::set<std::string> paths;
    std::set<std::string> ends;  ///< Of paths that begin with a variable.
};

bool is_cmake(std::string_view path) {
    return path.ends_with("CMakeLists.txt") || path.ends_with(".cmake");
}

/// The words of a list outside of its comments.
std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words{""};
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '#') {
            at = behind(text, "\n", at) - 1;
        }
        if (std::string_view{" \n()\";"}.find(text[at]) == std::string_view::npos) {
            words.back() += text[at];
        } else if (!words.back().empty()) {
            words.emplace_back();
        }
    }
    return words;
}

void add_listed(const std::string& cmake, std::string_view text, Listed& listed) {
    const auto folder = std::filesystem::path{cmake}.parent_path();
    for (const std::string& word : words_of(text)) {
        const auto variable = word.rfind('}');
        if (variable == std::string::npos) {
            listed.paths.insert((folder / word).lexically_normal().generic_string());
        } else if (word.ends_with(".cpp")) {
            listed.ends.insert(word.substr(variable + 1));
        }
    }
}

bool is_listed(const std::string& path, const Listed& listed) {
    return listed.paths.contains(path) ||
           std::any_of(listed.ends.begin(), listed.ends.end(),
                       [&](const std::string& end) { return ('/' + path).ends_with(end); });
}

/// A test in shell or Python is also run by another test, which has its name.
bool is_run(const std::string& path, const Texts& files) {
    const std::string name = path.substr(path.rfind('/') + 1);
    return std::any_of(files.begin(), files.end(), [&](const auto& file) {
        return file.first != path && contains_word(file.second, name);
    });
}

/// The sources of tests that nothing builds or runs.
std::vector<std::string> forgotten_in(const Texts& files) {
    Listed listed;
    for (const auto& [path, text] : files) {
        if (is_cmake(path)) {
            add_listed(path, text, listed);
        }
    }
    std::vector<std::string> forgotten;
    for (const auto& [path, text] : files) {
        const bool is_script = path.ends_with("_test.sh") || path.ends_with("_test.py");
        if ((path.ends_with(".cpp") && !is_listed(path, listed)) ||
            (is_script && !is_run(path, files))) {
            forgotten.push_back(path);
        }
    }
    return forgotten;
}

}  // namespace

// Goal: a test that was written is run.
TEST_CASE("every source of a test is in a list of CMake", "[source]") {
    const std::filesystem::path root{MUSTER_SOURCE_DIR};
    Texts files;
    for (const std::string& path : files_of(root)) {
        const bool is_part = path.starts_with("tests/") || is_cmake(path);
        if (is_part && !path.ends_with("tree/listed_test.cpp")) {
            files.emplace(path, text_of(root / path));
        }
    }
    files.emplace("tests/unit/tree/listed_test.cpp", "");  // Its literals run no script.
    REQUIRE(files.size() > 300);
    for (const std::string& path : forgotten_in(files)) {
        FAIL_CHECK(path + " is in no list of CMake, so it is never built or run");
    }
}

TEST_CASE("a source is listed by its path from the list, or behind a variable", "[source]") {
    const std::string list =
        "muster_test(a SOURCES b_test.cpp ../c/c.cpp\n    ${d}/e/e.cpp # f_test.cpp\n)";
    const auto with = [&](const std::string& path) {
        return forgotten_in({{"tests/a/CMakeLists.txt", list}, {path, ""}});
    };
    CHECK(with("tests/a/b_test.cpp").empty());
    CHECK(with("tests/c/c.cpp").empty());
    CHECK(with("tests/d/e/e.cpp").empty());
    CHECK(with("tests/b_test.cpp").size() == 1);
    CHECK(with("tests/a/f_test.cpp").size() == 1);
    CHECK(with("tests/e.cpp").size() == 1);
}

TEST_CASE("a test in shell or Python is run by a list or by another test", "[source]") {
    const Texts tests{{"tests/CMakeLists.txt", "add_test(NAME a COMMAND ${here}/a_test.sh b)"},
                      {"tests/a_test.sh", "./b_test.py"},
                      {"tests/b_test.py", ""},
                      {"tests/c_test.sh", "# c_test.sh"}};
    CHECK(forgotten_in(tests) == std::vector<std::string>{"tests/c_test.sh"});
}

}  // namespace muster::tree
