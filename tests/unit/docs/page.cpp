#include "tests/unit/docs/page.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "tests/catch.hpp"

namespace muster::docs {

namespace {

bool writes() { return std::getenv("MUSTER_WRITE_DOCS") != nullptr; }

std::string path_of(const std::string& page) { return MUSTER_SOURCE_DIR "/docs/" + page; }

/// A page, and the position of the part in it.
struct Place {
    std::string text;
    std::size_t begin = 0;
    std::size_t length = 0;

    [[nodiscard]] std::string part() const { return text.substr(begin, length); }
};

Place find_part(const std::string& page, const std::string& part) {
    std::ifstream file{path_of(page), std::ios::binary};
    Place place;
    place.text.assign(std::istreambuf_iterator<char>{file}, {});
    const std::string mark = "<!-- begin " + part + " -->\n\n";
    const auto begin = place.text.find(mark);
    const auto end = place.text.find("\n<!-- end " + part + " -->\n");
    INFO("docs/" << page << " marks no part '" << part << "'");
    REQUIRE(begin != std::string::npos);
    REQUIRE(end != std::string::npos);
    place.begin = begin + mark.size();
    REQUIRE(place.begin <= end);
    place.length = end - place.begin;
    return place;
}

void write(const std::string& page, Place place, const std::string& text) {
    std::ofstream{path_of(page), std::ios::binary}
        << place.text.replace(place.begin, place.length, text);
}

/// The name in the first cell: the text in its first code span.
std::string name_in(const std::string& row) {
    if (!row.starts_with("| `")) {
        return {};
    }
    return row.substr(3, row.find('`', 3) - 3);
}

/// True if the row has text after the first cell.
bool has_text(const std::string& row) {
    return row.find_first_not_of("| \n", row.find(" | ")) != std::string::npos;
}

}  // namespace

void check_part(const std::string& page, const std::string& part, const std::string& text) {
    const Place place = find_part(page, part);
    if (writes()) {
        write(page, place, text);
        return;
    }
    INFO("to write the part again: MUSTER_WRITE_DOCS=1 docs_tests");
    CHECK(place.part() == text);
}

void check_names(const std::string& page, const std::string& part,
                 const std::set<std::string>& names) {
    const Place place = find_part(page, part);
    std::istringstream lines{place.part()};
    std::string kept;
    std::set<std::string> described;
    for (std::string line; std::getline(lines, line);) {
        const std::string name = name_in(line);
        if (name.empty() || names.contains(name)) {
            kept += line + '\n';
        }
        if (!name.empty()) {
            CAPTURE(page, name);
            CHECK(described.insert(name).second);  // Each is there once,
            CHECK((writes() || has_text(line)));   // and with a description.
        }
    }
    if (!writes()) {
        INFO("to drop and add rows: MUSTER_WRITE_DOCS=1 docs_tests");
        CHECK(described == names);
        return;
    }
    for (const std::string& name : names) {
        kept += described.contains(name) ? "" : row_of({in_code(name), ""});
    }
    write(page, place, kept);
}

std::string row_of(std::initializer_list<std::string_view> cells) {
    std::string row = "|";
    for (const std::string_view cell : cells) {
        row += (cell.empty() ? "" : " " + std::string{cell}) + " |";
    }
    return row + '\n';
}

std::string in_code(std::string_view text) { return '`' + std::string{text} + '`'; }

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        result += c == '|' ? "\\|" : std::string{c};
    }
    return result;
}

}  // namespace muster::docs
