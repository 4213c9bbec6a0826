#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

/// The meaning of a cell: a colour on terminals that want colours, nothing elsewhere.
enum class Tone : std::uint8_t { plain, good, attention, bad, faint };

struct Cell {
    std::string text;
    Tone tone = Tone::plain;

    Cell(std::string content, Tone meant = Tone::plain)  // NOLINT(google-explicit-constructor)
        : text{std::move(content)}, tone{meant} {}
    Cell(const char* content) : text{content} {}  // NOLINT(google-explicit-constructor)
};

/// How text is printed: with colours or not, and the greatest width (0: no limit).
struct Style {
    bool colours = false;
    std::size_t columns = 0;
};

/// The text in the colour of its tone. The text is not cleaned here.
[[nodiscard]] std::string toned(std::string_view text, Tone tone, const Style& style);

/// Rows in aligned columns, two spaces apart, below a heading. Cells are made printable; a column
/// whose cells are all empty is omitted. Lines are cut to the style's width, but a last cell that
/// does not fit continues below itself, or below its row.
class Table {
public:
    explicit Table(std::vector<std::string> heading) : heading_{std::move(heading)} {}

    void add(std::vector<Cell> row);
    [[nodiscard]] std::string to_text(const Style& style) const;

private:
    std::vector<std::string> heading_;
    std::vector<std::vector<Cell>> rows_;
};

/// The tone of a state, a health or an action, by its word.
[[nodiscard]] Tone tone_of(std::string_view word);

}  // namespace muster::cli
