#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "cli/help.hpp"
#include "cli/verb_table.hpp"
#include "common/base/ensure.hpp"

namespace muster::cli {

namespace {

// Both scripts parse the command line in the same way: the words so far that are not options are
// the verb, and the case of that verb sets the options and words that may follow.
constexpr std::string_view frame = R"(@head@

_muster_names() {
    local name rest
    muster "$@" list --timeout 500ms 2>/dev/null | while read -r name rest; do
        [[ $name == no || $name == NODE || $name == TASK ]] || echo "$name"
    done
}

_muster() {
    local current=${@line@[@at@]} previous=${@line@[@at@ - 1]}
    local options= @words@= verb= i
    local -a to=()
    for ((i = @first@; i < @at@; i++)); do
        case ${@line@[i]} in
            --) return ;;
            -c | --coordinator | --run-dir) to+=("${@line@[i]}" "${@line@[i + 1]}"); i=$((i + 1)) ;;
@taking@) i=$((i + 1)) ;;
            -*) ;;
            *) verb+=${verb:+ }${@line@[i]} ;;
        esac
    done
    case $previous in
@values@    esac
    case $verb in
@verbs@    esac
    if [[ $current == -* ]]; then
        @words@="$options @common@"
    fi
    @end@
)";

/// The differences between the shells.
struct Shell {
    std::string_view head;
    std::string_view line;   ///< The variable with the words of the command line.
    std::string_view at;     ///< The variable with the index of the word that is completed.
    std::string_view first;  ///< The index of the first word after the program.
    std::string_view words;  ///< The variable with the words that may follow.
    std::string_view end;    ///< Offers the words, and registers the function.
    std::string_view files;  ///< Offers files, and returns.
    std::string_view offer;  ///< Offers `{}`, and returns.
};

constexpr Shell bash{.head = "# Completion of muster for bash. Made by: muster completion bash",
                     .line = "COMP_WORDS",
                     .at = "COMP_CWORD",
                     .first = "1",
                     .words = "words",
                     .end = R"(COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -F _muster muster)",
                     .files = R"(COMPREPLY=($(compgen -f -- "$current")); return)",
                     .offer = R"(COMPREPLY=($(compgen -W "{}" -- "$current")); return)"};

constexpr Shell zsh{.head = R"(#compdef muster
# Completion of muster for zsh. Made by: muster completion zsh)",
                    .line = "words",
                    .at = "CURRENT",
                    .first = "2",
                    .words = "follow",
                    .end = R"(compadd -- ${=follow}
}

if [[ $funcstack[1] == _muster ]]; then
    _muster "$@"
else
    compdef _muster muster
fi)",
                    .files = "_files; return",
                    .offer = "compadd -- {}; return"};

void fill_in(std::string& text, std::string_view mark, std::string_view with) {
    auto at = text.find(mark);
    ensure(at != std::string::npos, "the completion frame has every mark");
    for (; at != std::string::npos; at = text.find(mark, at + with.size())) {
        text.replace(at, mark.size(), with);
    }
}

std::string spellings(const OptionEntry& option) {
    return option.letter == '\0' ? std::string{option.name}
                                 : fmt::format("-{} | {}", option.letter, option.name);
}

std::string names_of(std::span<const OptionEntry> options) {
    return joined(options, " ", &OptionEntry::name);
}

/// Every option that takes a value, once.
std::vector<OptionEntry> options_with_value() {
    std::vector<OptionEntry> found;
    const auto gather = [&](std::span<const OptionEntry> options) {
        for (const OptionEntry& option : options) {
            const auto known = std::ranges::find(found, option.name, &OptionEntry::name);
            if (!option.value.empty() && known == found.end()) {
                found.push_back(option);
            }
        }
    };
    for (const VerbEntry& entry : verb_table()) {
        gather(entry.options);
    }
    gather(common_options());
    return found;
}

std::string value_cases(const Shell& shell) {
    std::string text;
    std::string free_text;
    for (const OptionEntry& option : options_with_value()) {
        const auto fixed = choices(option.words);
        if (option.words == Words::file) {
            text += fmt::format("        {}) {} ;;\n", spellings(option), shell.files);
        } else if (!fixed.empty()) {
            const auto offer = fmt::format(fmt::runtime(shell.offer), fixed);
            text += fmt::format("        {}) {} ;;\n", spellings(option), offer);
        } else {
            free_text += (free_text.empty() ? "" : " | ") + spellings(option);
        }
    }
    return text + fmt::format("        {}) return ;;\n", free_text);
}

/// Words that may come first, or second after the group `first`.
std::string verbs_behind(std::string_view first) {
    std::string text;
    for (const VerbEntry& entry : verb_table()) {
        const auto space = entry.words.find(' ');
        const auto head = entry.words.substr(0, space);
        if (first.empty() ? (' ' + text + ' ').find(fmt::format(" {} ", head)) == std::string::npos
                          : head == first && space != std::string_view::npos) {
            const auto word = first.empty() ? head : entry.words.substr(space + 1);
            text += (text.empty() ? "" : " ") + std::string{word};
        }
    }
    return text;
}

std::string words_of(Words words) {
    if (words == Words::node) {
        return R"($(_muster_names node "${to[@]}"))";
    }
    if (words == Words::task) {
        return R"($(_muster_names task "${to[@]}"))";
    }
    return std::string{choices(words)};
}

std::string verb_cases(const Shell& shell) {
    std::string text = fmt::format("        '') {}='{}' ;;\n", shell.words, verbs_behind(""));
    std::string_view group;
    for (const VerbEntry& entry : verb_table()) {
        const auto space = entry.words.find(' ');
        if (space != std::string_view::npos && entry.words.substr(0, space) != group) {
            group = entry.words.substr(0, space);
            text += fmt::format("        {0} | 'help {0}') {1}='{2}' ;;\n", group, shell.words,
                                verbs_behind(group));
        }
        if (entry.argument_words == Words::verb) {  // Nothing follows a complete verb.
            text +=
                fmt::format("        {}) {}='{}' ;;\n", entry.words, shell.words, verbs_behind(""));
        }
        text += fmt::format("        '{}'*) options='{}'", entry.words, names_of(entry.options));
        if (const auto words = words_of(entry.argument_words); !words.empty()) {
            text +=
                fmt::format("; [[ $verb != '{}' ]] || {}=\"{}\"", entry.words, shell.words, words);
        }
        text += " ;;\n";
    }
    return text;
}

std::string script_for(const Shell& shell) {
    std::string text{frame};
    fill_in(text, "@head@", shell.head);
    fill_in(text, "@line@", shell.line);
    fill_in(text, "@at@", shell.at);
    fill_in(text, "@first@", shell.first);
    fill_in(text, "@words@", shell.words);
    fill_in(text, "@end@", shell.end);
    fill_in(text, "@taking@", "            " + joined(options_with_value(), " | ", spellings));
    fill_in(text, "@values@", value_cases(shell));
    fill_in(text, "@verbs@", verb_cases(shell));
    fill_in(text, "@common@", names_of(common_options()));
    return text;
}

}  // namespace

Result<std::string> completion_script(std::string_view shell) {
    if (shell == "bash") {
        return script_for(bash);
    }
    if (shell == "zsh") {
        return script_for(zsh);
    }
    return fail(Errc::invalid,
                fmt::format("there is completion for bash and zsh, not for '{}'", shell));
}

}  // namespace muster::cli
