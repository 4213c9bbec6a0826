#include "cli/command_line.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/text/suggestions.hpp"

namespace muster::cli {

namespace {

using Given = std::vector<std::string>;

/// -1 is not an option: the error for a bad number should come from the option that needs a number.
bool is_option(std::string_view word) {
    return word.size() > 1 && word[0] == '-' && (word[1] < '0' || word[1] > '9');
}

/// Whether the option, in any verb, takes the next word as its value. The verb may follow later; an
/// option name means the same in all verbs.
bool takes_next_word(std::string_view word) {
    for (const VerbEntry& entry : verb_table()) {
        if (const auto option = find_option(entry, word)) {
            return !option->value.empty();
        }
    }
    return false;
}

/// The words before `--` that are neither options nor their values.
Given plain_words(std::span<const std::string> words) {
    Given plain;
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
        if (!is_option(words[i])) {
            plain.push_back(words[i]);
        } else if (takes_next_word(words[i])) {
            ++i;
        }
    }
    return plain;
}

std::size_t count_words(std::string_view text) {
    return 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), ' '));
}

std::string meant(const std::vector<std::string_view>& near) {
    return near.empty() ? std::string{} : "did you mean '" + std::string{near.front()} + "'? ";
}

/// The second words of the verbs with this first word; empty if there are none.
std::string verbs_of_group(std::string_view first) {
    std::string seconds;
    for (const VerbEntry& entry : verb_table()) {
        if (entry.words.starts_with(std::string{first} + ' ')) {
            seconds +=
                (seconds.empty() ? "" : ", ") + std::string{entry.words.substr(first.size() + 1)};
        }
    }
    return seconds;
}

tl::unexpected<Error> unknown_verb(const Given& plain) {
    const std::string group = verbs_of_group(plain[0]);
    if (!group.empty() && plain.size() == 1) {
        return fail(Errc::invalid, '\'' + plain[0] + "' is followed by one of " + group);
    }
    const std::string two = plain.size() > 1 ? plain[0] + ' ' + plain[1] : plain[0];
    const auto near = suggestions({two, plain[0]}, verb_table(), &VerbEntry::words);
    const auto& typed = group.empty() ? plain[0] : two;
    const std::string list = group.empty() ? "help" : "help " + plain[0];
    return fail(Errc::invalid, "there is no verb '" + typed + "': " + meant(near) + "'muster " +
                                   list + "' lists all");
}

Result<const VerbEntry*> find_verb(const Given& plain) {
    for (const VerbEntry& entry : verb_table()) {
        const auto count = count_words(entry.words);
        if (plain.size() >= count &&
            entry.words == (count == 1 ? plain[0] : plain[0] + ' ' + plain[1])) {
            return &entry;
        }
    }
    return unknown_verb(plain);
}

tl::unexpected<Error> unknown_option(const VerbEntry& entry, const std::string& name) {
    std::vector<std::string_view> known;
    for (const auto options : {entry.options, common_options()}) {
        for (const OptionEntry& option : options) {
            known.push_back(option.name);
        }
    }
    const std::string verb{entry.words};
    return fail(Errc::invalid, '\'' + verb + "' has no option " + name + ": " +
                                   meant(suggestions(name, known)) + "'muster " + verb +
                                   " --help' lists them");
}

/// An option as it was written: `--name=value` and `-nvalue` contain their value.
struct Spelled {
    std::string name;
    std::optional<std::string> value;
};

Spelled spelled(const std::string& word) {
    if (word.starts_with("--")) {
        const auto equals = word.find('=');
        if (equals != std::string::npos) {
            return {word.substr(0, equals), word.substr(equals + 1)};
        }
    } else if (word.size() > 2) {
        return {word.substr(0, 2), word.substr(2)};
    }
    return {word, std::nullopt};
}

/// Reads the option at `at`, and moves to its value if that is a separate word.
Result<void> take_option(const VerbEntry& entry, std::span<const std::string> words,
                         std::size_t& at, CommandLine& line) {
    Spelled given = spelled(words[at]);
    const auto option = find_option(entry, given.name);
    if (!option) {
        return unknown_option(entry, given.name);
    }
    const std::string name{option->name};
    if (option->value.empty()) {
        if (given.value) {
            return fail(Errc::invalid,
                        name + " takes no value, it was given '" + *given.value + "'");
        }
        line.options[name].emplace_back();
        return {};
    }
    if (!given.value) {
        if (at + 1 == words.size()) {
            return fail(Errc::invalid, name + " needs a value, " + std::string{option->value} +
                                           ", as in: " + example_of(entry));
        }
        given.value = words[++at];
    }
    line.options[name].push_back(std::move(*given.value));
    return {};
}

Result<void> check_arguments(const VerbEntry& entry, const CommandLine& line) {
    const auto [least, most] = entry.count();
    const auto count = line.arguments.size();
    if (count >= least && count <= most) {
        return {};
    }
    std::string right{entry.words};
    if (!entry.arguments.empty()) {
        right += ' ' + std::string{entry.arguments};
    }
    const auto wrong = count < least ? std::string{"an argument is missing"}
                                     : "unexpected argument '" + line.arguments[most] + '\'';
    return fail(Errc::invalid,
                wrong + "; usage: muster " + right + "; for example: " + example_of(entry));
}

Result<void> check_choice(std::string_view of, Words kind, const std::string& word) {
    const std::string known{choices(kind)};
    if (known.empty() || (' ' + known + ' ').find(' ' + word + ' ') != std::string::npos) {
        return {};
    }
    return fail(Errc::invalid, std::string{of} + " is one of " + known + ", not '" + word + "'");
}

/// Checks words with a fixed set of choices before the coordinator is asked.
Result<void> check_choices(const VerbEntry& entry, const CommandLine& line) {
    if (!line.arguments.empty()) {
        const std::string_view first = entry.arguments.substr(0, entry.arguments.find(' '));
        if (auto checked = check_choice(first, entry.argument_words, line.arguments.front());
            !checked) {
            return checked;
        }
    }
    for (const auto& [name, values] : line.options) {
        const auto option = find_option(entry, name);
        if (entry.verb == Verb::bundle && name == "--output") {
            continue;  // It is a file.
        }
        if (auto checked = check_choice(name, option->words, values.back()); !checked) {
            return checked;
        }
    }
    return {};
}

CommandLine help_about(std::string_view verb, bool json) {
    CommandLine line;
    line.arguments.emplace_back(verb);
    if (json) {
        line.options["--output"].emplace_back("json");
    }
    return line;
}

bool asks_for_help(std::string_view word) { return word == "-h" || word == "--help"; }

/// `--version` and `--help` stand for the verbs of these names if there is no other verb.
std::optional<Given> with_verb(std::span<const std::string> words) {
    Given named(words.begin(), words.end());
    for (std::string& word : named) {
        if (asks_for_help(word) || word == "--version") {
            word = word == "--version" ? "version" : "help";
            return named;
        }
    }
    return std::nullopt;
}

/// True if the words before `--` ask for help.
bool wants_help(std::span<const std::string> words) {
    const auto end = std::find(words.begin(), words.end(), "--");
    return std::any_of(words.begin(), end, asks_for_help);
}

}  // namespace

std::optional<std::string> CommandLine::value(std::string_view option) const {
    const auto found = options.find(option);
    return found == options.end() ? std::nullopt : std::optional{found->second.back()};
}

std::vector<std::string> CommandLine::values(std::string_view option) const {
    const auto found = options.find(option);
    return found == options.end() ? std::vector<std::string>{} : found->second;
}

Result<CommandLine> read_command_line(std::span<const std::string> words) {
    if (words.empty()) {
        return CommandLine{};
    }
    const Given plain = plain_words(words);
    if (plain.empty()) {
        const auto named = with_verb(words);
        return named ? read_command_line(*named)
                     : fail(Errc::invalid, "a verb is missing; 'muster help' lists the verbs");
    }
    if (plain.size() == 1 && wants_help(words) && !verbs_of_group(plain[0]).empty()) {
        return help_about(plain[0], asks_for_json(words));
    }
    const auto entry = find_verb(plain);
    if (!entry) {
        return tl::unexpected(entry.error());
    }
    CommandLine line;
    line.verb = (*entry)->verb;
    std::size_t verb_words = count_words((*entry)->words);
    bool literal = false;
    for (std::size_t at = 0; at < words.size(); ++at) {
        if (!literal && words[at] == "--") {
            literal = true;
        } else if (!literal && is_option(words[at])) {
            if (auto taken = take_option(**entry, words, at, line); !taken) {
                return tl::unexpected(taken.error());
            }
        } else if (verb_words > 0) {
            --verb_words;
        } else {
            line.arguments.push_back(words[at]);
            line.arguments_before_dashes += literal ? 0U : 1U;
        }
    }
    if (line.has("--help")) {
        return help_about((*entry)->words, line.wants_json());
    }
    return check_arguments(**entry, line)
        .and_then([&] { return check_choices(**entry, line); })
        .map([&] { return std::move(line); });
}

bool asks_for_json(std::span<const std::string> words) {
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
        const Spelled given = spelled(words[i]);
        const bool is_output = given.name == "-o" || given.name == "--output";
        if (is_output && (given.value == "json" ||
                          (!given.value && i + 1 < words.size() && words[i + 1] == "json"))) {
            return true;
        }
    }
    return false;
}

}  // namespace muster::cli
