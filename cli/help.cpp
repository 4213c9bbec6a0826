#include "cli/help.hpp"

#include <span>

#include <fmt/format.h>

namespace muster::cli {

namespace {

std::string usage_of(const VerbEntry& entry) {
    return entry.arguments.empty() ? std::string{entry.words}
                                   : fmt::format("{} {}", entry.words, entry.arguments);
}

std::string option_lines(std::span<const OptionEntry> options) {
    std::string text;
    for (const OptionEntry& option : options) {
        const auto letter =
            option.letter == '\0' ? std::string{"    "} : fmt::format("-{}, ", option.letter);
        const auto name = option.value.empty() ? std::string{option.name}
                                               : fmt::format("{} {}", option.name, option.value);
        text += fmt::format("  {}{:<24}  {}\n", letter, name, option.summary);
    }
    return text;
}

}  // namespace

std::string help_text() {
    std::string text =
        "muster keeps a wanted set of tasks running on a fleet of hosts.\n\n"
        "usage: muster VERB [ARGUMENTS] [OPTIONS]\n\n";
    for (const VerbEntry& entry : verb_table()) {
        text += fmt::format("  {:<36}  {}\n", usage_of(entry), entry.summary);
    }
    text += "\nEvery verb takes:\n" + option_lines(common_options());
    text +=
        "\nA PATTERN is a name, a glob (web-*) or a range (n[1-40,52]); put it in quotes.\n"
        "Exit codes: 0 ok, 1 error, 2 usage, 3 difference (plan, status --check), 4 no leader or\n"
        "unreachable, 5 out of time, 6 refused. 'muster VERB --help' explains a verb.\n";
    return text;
}

std::string help_text(const VerbEntry& entry) {
    std::string text = fmt::format("muster {}: {}\n\nusage: muster {} [OPTIONS]\n", entry.words,
                                   entry.summary, usage_of(entry));
    if (!entry.options.empty()) {
        text += "\n" + option_lines(entry.options);
    }
    return text + "\nas every verb:\n" + option_lines(common_options()) +
           fmt::format("\nexample: {}\n", entry.example);
}

}  // namespace muster::cli
