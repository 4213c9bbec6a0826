// Writes a manual page: muster-manual TEMPLATE [<HELP] >PAGE
//
// A template is a page in roff with marks for generated text, each on a line of its own:
//
//     @verbs@      every verb of `muster` with its options, from the table of verbs
//     @common@     the options of all verbs, from the same table
//     @exits@      the exit codes of `muster`
//     @help@       the options in a daemon's --help, read from standard input
//     @version@    the version, anywhere in a line

#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "cli/exit_code.hpp"
#include "cli/help.hpp"
#include "cli/verb_table.hpp"

namespace {

using namespace muster::cli;

// Escapes characters that roff would interpret: a dash (so that it can be searched and copied), a
// backslash, and the two characters that begin a request.
std::string roff(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '-') {
            escaped += "\\-";
        } else if (c == '\\') {
            escaped += "\\e";
        } else if ((c == '.' || c == '\'') && escaped.empty()) {
            escaped += "\\&" + std::string{c};
        } else if (c == '\'') {
            escaped += "\\(aq";
        } else {
            escaped += c;
        }
    }
    return escaped;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string paragraph(const std::string& term, std::string_view meaning) {
    return ".TP\n" + term + "\n" + roff(meaning) + "\n";
}

std::string options(std::span<const OptionEntry> entries) {
    std::string text;
    for (const OptionEntry& option : entries) {
        std::string term = bold(option.name);
        if (option.letter != '\0') {
            term = bold(std::string{'-', option.letter}) + ", " + term;
        }
        if (!option.value.empty()) {
            term += " " + italic(option.value);
        }
        text += paragraph(term, option.summary);
    }
    return text;
}

std::string verbs() {
    std::string text;
    for (const VerbEntry& entry : verb_table()) {
        const auto term = bold(std::string{"muster "} + std::string{entry.words}) +
                          (entry.arguments.empty() ? "" : " " + italic(entry.arguments));
        text += ".SS " + std::string{'"'} + term + "\"\n" + roff(entry.summary) + "\n" +
                options(entry.options) + ".PP\nExample:\n.B " + roff(example_of(entry)) + "\n";
    }
    return text;
}

std::string exits() {
    std::string text;
    for (const ExitEntry& entry : exit_table()) {
        text += paragraph(bold(std::to_string(static_cast<int>(entry.code))), entry.meaning);
    }
    return text;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    return first == std::string_view::npos
               ? std::string_view{}
               : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

// "Options:" and similar headings, then a line for each option, with its meaning two or more spaces
// later, or on deeper indented lines.
std::string help_lists(std::istream& help) {
    constexpr std::size_t term_column = 2;
    std::string text;
    std::string line;
    bool listing = false;
    while (std::getline(help, line)) {
        const auto column = line.find_first_not_of(' ');
        if (column == 0 && line.ends_with(':')) {
            // A page has its own heading for the options.
            text += line == "Options:" ? "" : ".SS " + roff(line.substr(0, line.size() - 1)) + "\n";
            listing = true;
        } else if (column == 0) {
            listing = false;
        } else if (listing && column == term_column) {
            const auto term = line.substr(term_column, line.find("  ", term_column) - term_column);
            text += ".TP\n" + bold(term) + "\n";
            line.erase(0, term_column + term.size());
        }
        if (listing && column != 0 && !trimmed(line).empty()) {
            text += roff(trimmed(line)) + "\n";
        }
    }
    return text;
}

std::string with_version(std::string line) {
    constexpr std::string_view mark = "@version@";
    const auto at = line.find(mark);
    return at == std::string::npos ? line : line.replace(at, mark.size(), MUSTER_VERSION);
}

int print_error(const std::string& what) {
    std::cerr << "muster-manual: " << what << '\n';
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::span arguments{argv, static_cast<std::size_t>(argc)};
    if (arguments.size() != 2) {
        return print_error("usage: muster-manual TEMPLATE [<HELP] >PAGE");
    }
    std::ifstream page{arguments[1]};
    std::string line;
    while (std::getline(page, line)) {
        const auto filled = line == "@verbs@"    ? verbs()
                            : line == "@common@" ? options(common_options())
                            : line == "@exits@"  ? exits()
                            : line == "@help@"   ? help_lists(std::cin)
                                                 : with_version(line) + "\n";
        if (filled.empty()) {
            return print_error("nothing is known for " + line + "; is the help on standard input?");
        }
        std::cout << filled;
    }
    if (!page.eof() || !std::cout.flush()) {
        return print_error(std::string{arguments[1]} +
                           " cannot be read, or the page not be written");
    }
    return 0;
}
