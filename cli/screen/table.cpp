#include "cli/screen/table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "cli/screen/text.hpp"
#include "common/base/ensure.hpp"

namespace muster::cli {

namespace {

constexpr std::size_t gap = 2;  // Between two columns.
// A last cell with too little room beside the others goes below its row, unless there is hardly any
// room at all.
constexpr std::size_t below = 4;  // Its indentation.
constexpr std::size_t least_beside = 24;
constexpr std::size_t least_for_below = 40;

// The colour of each tone, in their order.
constexpr std::array<std::string_view, 5> colours{"", "\033[32m", "\033[33m", "\033[31m",
                                                  "\033[2m"};

/// One line, cut to the width as a whole; the colours are added after the cut.
std::string line_of(const std::vector<Cell>& row, const std::vector<std::size_t>& widths,
                    const Style& style) {
    std::string line;
    std::size_t at = 0;
    std::size_t padding = 0;
    for (std::size_t column = 0; column < row.size(); ++column) {
        if (widths[column] == 0) {
            continue;
        }
        const std::size_t left = style.columns > at + padding ? style.columns - at - padding : 0;
        const auto text = style.columns == 0 ? row[column].text : cut_to(row[column].text, left);
        if (!text.empty()) {
            line += std::string(padding, ' ') + toned(text, row[column].tone, style);
            at += padding + width_of(text);
            padding = 0;
        }
        padding += widths[column] + gap - width_of(text);
    }
    return line + '\n';
}

}  // namespace

std::string toned(std::string_view text, Tone tone, const Style& style) {
    const auto colour = colours[static_cast<std::size_t>(tone)];
    if (!style.colours || colour.empty() || text.empty()) {
        return std::string{text};
    }
    return std::string{colour} + std::string{text} + "\033[0m";
}

void Table::add(std::vector<Cell> row) {
    ensure(row.size() == heading_.size(), "a row has a cell for each column");
    for (Cell& cell : row) {
        cell.text = printable(cell.text);
    }
    rows_.push_back(std::move(row));
}

std::string Table::to_text(const Style& style) const {
    std::vector<std::size_t> widths(heading_.size(), 0);
    for (const auto& row : rows_) {
        for (std::size_t column = 0; column < row.size(); ++column) {
            widths[column] = std::max(widths[column], width_of(row[column].text));
        }
    }
    std::vector<Cell> heading;
    for (std::size_t column = 0; column < heading_.size(); ++column) {
        heading.emplace_back(heading_[column], Tone::faint);
        if (widths[column] > 0) {
            widths[column] = std::max(widths[column], width_of(heading_[column]));
        }
    }
    std::size_t last_at = 0;
    for (std::size_t column = 0; column + 1 < widths.size(); ++column) {
        last_at += widths[column] == 0 ? 0 : widths[column] + gap;
    }
    std::string text = line_of(heading, widths, style);
    for (std::vector<Cell> row : rows_) {
        const Cell last = row.back();
        const std::size_t room = style.columns > last_at ? style.columns - last_at : 0;
        const bool is_below =
            style.columns >= least_for_below && room < least_beside && width_of(last.text) > room;
        const std::size_t indent = is_below ? below : last_at;
        auto pieces = wrapped(last.text, is_below ? style.columns - below : room);
        if (is_below) {
            pieces.insert(pieces.begin(), "");
        }
        row.back().text = pieces.front();
        text += line_of(row, widths, style);
        for (auto piece = std::next(pieces.begin()); piece != pieces.end(); ++piece) {
            text += std::string(indent, ' ') + toned(*piece, last.tone, style) + '\n';
        }
    }
    return text;
}

Tone tone_of(std::string_view word) {
    static constexpr std::array<std::pair<std::string_view, Tone>, 30> tones{{
        {"healthy", Tone::good},       {"running", Tone::good},
        {"converged", Tone::good},     {"leading", Tone::good},
        {"add", Tone::good},           {"unready", Tone::attention},
        {"flaky", Tone::bad},          {"lost", Tone::bad},
        {"draining", Tone::attention}, {"offline", Tone::attention},
        {"failed", Tone::bad},         {"unplaced", Tone::bad},
        {"remove", Tone::bad},         {"ahead", Tone::bad},
        {"backoff", Tone::attention},  {"rolling", Tone::attention},
        {"placing", Tone::attention},  {"unseen", Tone::attention},
        {"change", Tone::attention},   {"scale", Tone::attention},
        {"restart", Tone::attention},  {"pending", Tone::attention},
        {"starting", Tone::attention}, {"ordered", Tone::attention},
        {"stopping", Tone::attention}, {"recovering", Tone::attention},
        {"frozen", Tone::bad},         {"unchanged", Tone::faint},
        {"halted", Tone::bad},         {"silent", Tone::attention},
    }};
    const auto found = std::ranges::find(tones, word, [](const auto& one) { return one.first; });
    return found == tones.end() ? Tone::plain : found->second;
}

}  // namespace muster::cli
