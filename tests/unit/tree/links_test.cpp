// The documentation pages: the targets of their links, and their length.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/tree/source_files.hpp"

using namespace muster;
namespace fs = std::filesystem;

namespace {

const fs::path root{MUSTER_SOURCE_DIR};

std::vector<fs::path> pages() {
    std::vector<fs::path> found{root / "README.md", root / "CONTRIBUTING.md"};
    for (const auto& entry : fs::recursive_directory_iterator{root / "docs"}) {
        if (entry.path().extension() == ".md") {
            found.push_back(entry.path());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

/// The lines of a page that are prose: neither in a fenced block nor indented code.
std::vector<std::string> prose_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in{text};
    bool is_fenced = false;
    for (std::string line; std::getline(in, line);) {
        const bool is_fence = line.starts_with("```");
        is_fenced = is_fenced != is_fence;
        if (!is_fence && !is_fenced && !line.starts_with("    ")) {
            lines.push_back(line);
        }
    }
    return lines;
}

/// The anchor of a heading on GitHub and similar sites.
std::string anchor_of(const std::string& heading) {
    std::string anchor;
    for (const char c : heading) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
            anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (c == ' ') {
            anchor += '-';
        }
    }
    return anchor;
}

std::set<std::string> anchors_of(const std::string& text) {
    std::set<std::string> anchors;
    std::map<std::string, int> seen;
    for (const std::string& line : prose_of(text)) {
        const auto level = line.find_first_not_of('#');
        if (level > 0 && level != std::string::npos && line[level] == ' ') {
            const std::string anchor = anchor_of(line.substr(level + 1));
            const int before = seen[anchor]++;
            anchors.insert(before == 0 ? anchor : anchor + '-' + std::to_string(before));
        }
    }
    return anchors;
}

std::vector<std::string> links_of(const std::string& text) {
    static const std::regex span{"`[^`]*`"};
    static const std::regex link{"\\]\\(([^)\\s]+)\\)"};
    std::vector<std::string> links;
    for (const std::string& line : prose_of(text)) {
        const std::string plain = std::regex_replace(line, span, "");
        for (std::sregex_iterator at{plain.begin(), plain.end(), link};
             at != std::sregex_iterator{}; ++at) {
            links.push_back((*at)[1]);
        }
    }
    return links;
}

/// The error of a link on this page; empty: it has a target.
std::string fault_of(const fs::path& page, const std::string& link) {
    if (link.find("://") != std::string::npos) {
        return {};
    }
    const auto mark = link.find('#');
    const fs::path target =
        mark == 0 ? page : (page.parent_path() / link.substr(0, mark)).lexically_normal();
    if (!fs::exists(target)) {
        return "there is no " + target.lexically_relative(root).string();
    }
    if (mark != std::string::npos &&
        !anchors_of(tree::text_of(target)).contains(link.substr(mark + 1))) {
        return target.lexically_relative(root).string() + " has no heading #" +
               link.substr(mark + 1);
    }
    return {};
}

}  // namespace

// Goal: every link works.
// Method: check the file of each relative link, and the heading of its anchor.
TEST_CASE("every relative link of the documentation leads to a file and a heading", "[docs]") {
    std::size_t links = 0;
    for (const fs::path& page : pages()) {
        for (const std::string& link : links_of(tree::text_of(page))) {
            ++links;
            INFO(page.lexically_relative(root).string() << " links to " << link);
            CHECK(fault_of(page, link) == "");
        }
    }
    CHECK(links > 100);
}

TEST_CASE("no page of the operations has more than 200 lines", "[docs]") {
    for (const fs::path& page : pages()) {
        if (page.parent_path() == root / "docs/operations") {
            const std::string text = tree::text_of(page);
            CAPTURE(page.filename().string());
            CHECK(std::count(text.begin(), text.end(), '\n') <= 200);
        }
    }
}
