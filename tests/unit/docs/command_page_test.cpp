// The pages of the command and of its exit codes, from the tables of `muster help`.

#include <cctype>
#include <optional>
#include <span>
#include <string>

#include "tests/catch.hpp"

#include "cli/exit_code.hpp"
#include "cli/verb_table.hpp"
#include "tests/unit/docs/page.hpp"

namespace muster::cli {

using docs::escaped;
using docs::in_code;
using docs::row_of;

namespace {

std::string options_of(std::span<const OptionEntry> options) {
    std::string text = row_of({"option", "meaning"}) + "|---|---|\n";
    for (const OptionEntry& option : options) {
        std::string name{option.name};
        name += option.value.empty() ? "" : " " + std::string{option.value};
        std::string cell = in_code(name);
        if (option.letter != '\0') {
            cell = in_code(std::string{'-', option.letter}) + ", " + cell;
        }
        text += row_of({escaped(cell), escaped(option.summary)});
    }
    return text;
}

std::string section_of(const VerbEntry& entry) {
    std::string usage = "muster " + std::string{entry.words};
    usage += entry.arguments.empty() ? "" : " " + std::string{entry.arguments};
    std::string summary{entry.summary};
    summary.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(summary.front())));
    return "### " + std::string{entry.words} + "\n\n    " + usage + "\n\n" + summary +
           ". Example: " + in_code(example_of(entry)) + "\n" +
           (entry.options.empty() ? "" : "\n" + options_of(entry.options));
}

/// The verbs of one subject, each under a heading.
std::string verbs_of(std::optional<codec::Area> area) {
    std::string text = "## About ";
    text += area ? std::string{to_string(*area)} : "this program";
    for (const VerbEntry& entry : verb_table()) {
        text += entry.area == area ? "\n\n" + section_of(entry) : "";
        text.erase(text.find_last_not_of('\n') + 1);
    }
    return text;
}

}  // namespace

// Goal: the page of the command is correct.
// Method: compare its parts with the table of verbs.
TEST_CASE("the page of the command has every verb with every option", "[docs]") {
    std::string verbs;
    for (auto number = 0U; number <= static_cast<unsigned>(codec::Area::keys); ++number) {
        verbs += verbs_of(static_cast<codec::Area>(number)) + "\n\n";
    }
    docs::check_part("reference/command.md", "verbs", verbs + verbs_of(std::nullopt) + "\n");
    docs::check_part("reference/command.md", "options", options_of(common_options()));
}

// Goal: a script's author finds the meaning of an exit code.
// Method: compare the page with the table, and the table with the codes.
TEST_CASE("the page of the exit codes has each with its meaning", "[docs]") {
    std::string table = row_of({"exit code", "meaning"}) + "|---|---|\n";
    int expected = 0;
    for (const ExitEntry& entry : exit_table()) {
        CHECK(static_cast<int>(entry.code) == expected++);
        table += row_of({std::to_string(static_cast<int>(entry.code)), escaped(entry.meaning)});
    }
    CHECK(static_cast<int>(exit_table().back().code) == static_cast<int>(ExitCode::refused));
    docs::check_part("reference/exit-codes.md", "exit codes", table);
}

}  // namespace muster::cli
