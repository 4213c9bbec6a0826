#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/text/utf8.hpp"

/// Texts for a terminal, which must not receive control characters from the cluster.
namespace muster::cli {

/// Text of several lines for a terminal: keeps tabs, line ends and changes of colour, and treats
/// the rest like muster::printable().
[[nodiscard]] std::string harmless(std::string_view text);

/// Columns of the text, one for each code point. (Wide East Asian characters are counted too
/// narrow.)
[[nodiscard]] std::size_t width_of(std::string_view text);

/// The text cut to that many columns; `~` marks the cut.
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t columns);

/// The text in lines of at most that many columns, broken between words where possible; one line
/// for 0. With very few columns the text is cut instead.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

/// An age for a table: `12s`, `3m05s`, `4h10m`, `6d`; `-` for never, `0s` if the time is ahead of
/// our clock.
[[nodiscard]] std::string age(CivilMs then, CivilMs now);
/// A length of time: `12s`, `3m20s`, `5h02m`, `4d`.
[[nodiscard]] std::string length(Duration time);

/// As `2026-11-21 10:04:33.120Z`: UTC, so that it can be compared between hosts.
[[nodiscard]] std::string civil_time(CivilMs at);

/// The moment of a `--since`: a time before now (`10m`), or a time in UTC as civil_time() writes
/// it, with or without seconds. It is in the past.
[[nodiscard]] Result<CivilMs> parse_since(std::string_view text, CivilMs now);

/// The natural order of names: n2 before n10.
[[nodiscard]] bool naturally_less(std::string_view left, std::string_view right);
[[nodiscard]] bool naturally_less(const InstanceId& left, const InstanceId& right);

/// The rows in the natural order of their names. Rows from the cluster are in the order of bytes.
template <class Row, class Name>
[[nodiscard]] std::vector<Row> in_natural_order(std::vector<Row> rows, Name name) {
    std::ranges::stable_sort(
        rows, [](const auto& left, const auto& right) { return naturally_less(left, right); },
        name);
    return rows;
}

/// `1 task`, `2 tasks`.
[[nodiscard]] std::string counted(std::size_t count, std::string_view thing);

}  // namespace muster::cli
