#include "cli/help.hpp"

#include <fmt/format.h>

#include "cli/screen/text.hpp"
#include "common/codec/codec.hpp"
#include "common/messages/operator.hpp"

namespace muster::cli {

namespace {

constexpr std::size_t line_columns = 80;  // Also when the terminal's width is unknown.

std::string with_arguments(const VerbEntry& entry) {
    return entry.arguments.empty() ? std::string{entry.words}
                                   : fmt::format("{} {}", entry.words, entry.arguments);
}

/// Verbs whose options do not come last have `[OPTIONS]` in their arguments.
std::string usage_of(const VerbEntry& entry) {
    const bool has_options = entry.arguments.find("[OPTIONS]") != std::string_view::npos;
    return fmt::format("muster {}{}", with_arguments(entry), has_options ? "" : " [OPTIONS]");
}

/// A term and its meaning, in two columns.
std::string explained(std::string_view term, std::string_view meaning, std::size_t column) {
    std::string text;
    std::string head = fmt::format("  {:<{}}", term, column - 4);
    if (width_of(head) > column - 2) {
        text = head + '\n';
        head.clear();
    }
    for (const auto& line : wrapped(meaning, line_columns - column)) {
        text += fmt::format("{:<{}}{}\n", head, column, line);
        head.clear();
    }
    return text;
}

std::string verb_lines(std::span<const VerbEntry* const> verbs) {
    std::string text;
    for (const VerbEntry* const entry : verbs) {
        text += explained(with_arguments(*entry), entry->summary, 34);
    }
    return text;
}

/// One line for each verb, grouped by subject.
std::string verb_lines() {
    std::string text;
    const auto add = [&](std::optional<codec::Area> area, std::string_view title) {
        std::vector<const VerbEntry*> verbs;
        for (const VerbEntry& entry : verb_table()) {
            if (entry.area == area) {
                verbs.push_back(&entry);
            }
        }
        text += fmt::format("{}:\n{}\n", title, verb_lines(verbs));
    };
    for (auto number = 0U; number <= static_cast<unsigned>(codec::Area::keys); ++number) {
        const auto area = static_cast<codec::Area>(number);
        add(area, to_string(area));
    }
    add(std::nullopt, "this program");
    return text;
}

std::string option_lines(std::span<const OptionEntry> options) {
    std::string text;
    for (const OptionEntry& option : options) {
        const auto letter =
            option.letter == '\0' ? std::string{"    "} : fmt::format("-{}, ", option.letter);
        const auto value = option.value.empty() ? std::string{} : fmt::format(" {}", option.value);
        text += explained(fmt::format("{}{}{}", letter, option.name, value), option.summary, 32);
    }
    return text;
}

}  // namespace

std::vector<const VerbEntry*> verbs_under(std::string_view words) {
    std::vector<const VerbEntry*> verbs;
    for (const VerbEntry& entry : verb_table()) {
        if (words.empty() || entry.words == words ||
            entry.words.starts_with(std::string{words} + ' ')) {
            verbs.push_back(&entry);
        }
    }
    return verbs;
}

std::string help_text() {
    return "muster keeps a wanted set of tasks running on a fleet of hosts.\n\n"
           "usage: muster VERB [ARGUMENTS] [OPTIONS]\n\n" +
           verb_lines() + "every verb takes:\n" + option_lines(common_options()) +
           "\nA PATTERN is a name, a glob (web-*) or a range (n[1-40,52]); put it in quotes.\n"
           "Most reads take --watch. Colours only on a terminal, and not with NO_COLOR set.\n"
           "Exit codes: 0 ok, 1 error, 2 usage, 3 difference (plan, status --check), 4 no\n"
           "leader or unreachable, 5 timeout, 6 refused. 'muster VERB --help' explains\n"
           "a verb.\n";
}

std::string help_text(std::string_view group, std::span<const VerbEntry* const> verbs) {
    return fmt::format(
        "usage: muster {} VERB [ARGUMENTS] [OPTIONS]\n\n{}\n"
        "'muster {} VERB --help' explains one.\n",
        group, verb_lines(verbs), group);
}

std::string help_text(const VerbEntry& entry) {
    std::string text =
        fmt::format("muster {}: {}\n\nusage: {}\n", entry.words, entry.summary, usage_of(entry));
    if (!entry.options.empty()) {
        text += "\n" + option_lines(entry.options);
    }
    return text + "\noptions of every verb:\n" + option_lines(common_options()) +
           fmt::format("\nexample: {}\n", example_of(entry));
}

std::string help_document(std::span<const VerbEntry* const> verbs) {
    HelpReply help;
    for (const VerbEntry* const entry : verbs) {
        help.verbs.push_back({std::string{entry->words}, usage_of(*entry),
                              std::string{entry->summary}, example_of(*entry)});
    }
    return codec::to_json(ReplyBody{help}) + '\n';
}

}  // namespace muster::cli
