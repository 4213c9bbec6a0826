#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// The source files of the tree, as text.
namespace muster::tree {

/// True for a file of one of the two cores.
[[nodiscard]] bool is_core(std::string_view path);
[[nodiscard]] bool is_word_character(char c);
[[nodiscard]] bool contains_word(std::string_view text, std::string_view word);
/// The position just after the first `mark` from `from` on, or the end of the text.
[[nodiscard]] std::size_t behind(std::string_view text, std::string_view mark, std::size_t from);
/// The names in the #includes of the text, with the opening bracket or quote.
[[nodiscard]] std::vector<std::string> included_in(std::string_view text);
/// All files below the root, as sorted relative paths.
[[nodiscard]] std::vector<std::string> files_of(const std::filesystem::path& root);
[[nodiscard]] std::string text_of(const std::filesystem::path& path);

}  // namespace muster::tree
