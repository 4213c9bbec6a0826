#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

/// The parts of the pages in docs/ that are made of tables in the code. A page marks such a part:
///
///     <!-- begin verbs -->
///     ...
///     <!-- end verbs -->
///
/// Each check compares. With MUSTER_WRITE_DOCS in the environment it writes the part instead.
namespace muster::docs {

/// Checks that the page's part is this text.
void check_part(const std::string& page, const std::string& part, const std::string& text);

/// Checks that the rows of the table in the page's part are exactly these names, each with a
/// description. People write the descriptions and the order. Writing keeps existing rows, drops
/// unknown names, and adds an empty row for each new name.
void check_names(const std::string& page, const std::string& part,
                 const std::set<std::string>& names);

/// `| a | b |`, with a line end.
[[nodiscard]] std::string row_of(std::initializer_list<std::string_view> cells);
[[nodiscard]] std::string in_code(std::string_view text);
/// Escapes a table cell: a bar would end it.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace muster::docs
