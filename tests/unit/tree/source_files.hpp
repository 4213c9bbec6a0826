#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// The source files of the tree, as text.
namespace muster::tree {

/// True of a file of one of the two cores.
[[nodiscard]] bool is_core(std::string_view path);
[[nodiscard]] bool is_word_character(char c);
[[nodiscard]] bool contains_word(std::string_view text, std::string_view word);
/// Where what begins at `from` ends: just behind the `mark`, or at the end of the text.
[[nodiscard]] std::size_t behind(std::string_view text, std::string_view mark, std::size_t from);
/// What each #include of the text names, with its opening bracket or quote.
[[nodiscard]] std::vector<std::string> included_in(std::string_view text);
/// All below the root, by their paths from there, in order.
[[nodiscard]] std::vector<std::string> files_of(const std::filesystem::path& root);
[[nodiscard]] std::string text_of(const std::filesystem::path& path);

}  // namespace muster::tree
