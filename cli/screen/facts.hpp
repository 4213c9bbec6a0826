#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "cli/screen/table.hpp"
#include "cli/screen/text.hpp"

namespace muster::cli {

/// `name  value` lines, the names aligned, long values over several lines.
class Facts {
public:
    explicit Facts(const Style& style) : style_{style} {}

    void add(std::string_view name, std::string_view value, Tone tone = Tone::plain) {
        const std::size_t room = style_.columns > indent ? style_.columns - indent : 0;
        std::string head = printable(name);
        for (const std::string& line : wrapped(printable(value), room)) {
            text_ += toned(fmt::format("{:<{}}", head, indent), Tone::faint, style_) +
                     toned(line, tone, style_) + '\n';
            head.clear();
        }
    }
    void add_if(bool is_so, std::string_view name, std::string_view value,
                Tone tone = Tone::plain) {
        if (is_so) {
            add(name, value, tone);
        }
    }
    void add_unless_empty(std::string_view name, std::string_view value, Tone tone = Tone::plain) {
        add_if(!value.empty(), name, value, tone);
    }
    [[nodiscard]] std::string text() const { return text_; }

private:
    static constexpr std::size_t indent = 12;

    Style style_;
    std::string text_;
};

}  // namespace muster::cli
