#include "tests/unit/tree/source_files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>

namespace muster::tree {

using namespace std::string_view_literals;

namespace {

bool is_source(const std::filesystem::path& path) {
    static constexpr std::array suffixes{".hpp"sv, ".cpp"sv, ".h"sv,  ".c"sv,    ".py"sv,
                                         ".mjs"sv, ".js"sv,  ".sh"sv, ".cmake"sv};
    return path.filename() == "CMakeLists.txt" || path.parent_path().filename() == "scripts" ||
           std::find(suffixes.begin(), suffixes.end(), path.extension().string()) != suffixes.end();
}

// Build directories of any name, and git's own, are in the tree but are not part of it.
bool is_foreign_directory(const std::filesystem::path& path) {
    const auto name = path.filename().string();
    return name.starts_with(".") || name == "build" || name == "node_modules" ||
           std::filesystem::exists(path / "CMakeCache.txt");
}

}  // namespace

bool is_core(std::string_view path) {
    return path.starts_with("coordinator/core/") || path.starts_with("agent/core/");
}

bool is_word_character(char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool contains_word(std::string_view text, std::string_view word) {
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const auto end = at + word.size();
        if ((at == 0 || !is_word_character(text[at - 1])) &&
            (end == text.size() || !is_word_character(text[end]))) {
            return true;
        }
    }
    return false;
}

std::size_t behind(std::string_view text, std::string_view mark, std::size_t from) {
    const auto at = text.find(mark, from);
    return at == std::string_view::npos ? text.size() : at + mark.size();
}

std::vector<std::string> included_in(std::string_view text) {
    std::vector<std::string> headers;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = behind(text, "\n", at);
        auto line = text.substr(at, end - at);
        at = end;
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (!line.starts_with('#') || !contains_word(line, "include")) {
            continue;
        }
        const auto name = line.find_first_of("<\"");
        if (name != std::string_view::npos) {
            headers.emplace_back(line.substr(name, line.find_last_of(">\"") + 1 - name));
        }
    }
    return headers;
}

std::vector<std::string> files_of(const std::filesystem::path& root) {
    std::vector<std::string> files;
    auto entry = std::filesystem::recursive_directory_iterator{root};
    for (; entry != std::filesystem::recursive_directory_iterator{}; ++entry) {
        if (entry->is_directory() && is_foreign_directory(entry->path())) {
            entry.disable_recursion_pending();
        } else if (entry->is_regular_file() && is_source(entry->path())) {
            files.push_back(entry->path().lexically_relative(root).generic_string());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace muster::tree
