#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verb_table.hpp"
#include "common/base/result.hpp"

namespace muster::cli {

/// A parsed command line: a verb, its arguments and its options.
///
/// Options may come anywhere, as `--timeout 5s`, `--timeout=5s`, `-t 5s` or `-t5s`. After `--`
/// nothing is an option any more. Of a repeated option the last one counts; only `--env` collects.
struct CommandLine {
    Verb verb = Verb::help;
    std::vector<std::string> arguments;
    std::size_t arguments_before_dashes = 0;  ///< Arguments before a `--`; all without one.
    std::map<std::string, std::vector<std::string>, std::less<>> options;  ///< By `--name`.

    [[nodiscard]] bool has(std::string_view option) const {
        return options.find(option) != options.end();
    }
    /// The last value of the option; nothing if the option was not given.
    [[nodiscard]] std::optional<std::string> value(std::string_view option) const;
    [[nodiscard]] std::vector<std::string> values(std::string_view option) const;
    [[nodiscard]] bool wants_json() const { return value("--output") == "json"; }
};

/// Reads the words after the program's name. An error (always Errc::invalid) is about the command
/// line: exit code 2. `--help` alone is `help`; a verb with `--help` is `help` with that verb.
[[nodiscard]] Result<CommandLine> read_command_line(std::span<const std::string> words);

/// True when the words ask for JSON, even if they are otherwise invalid: errors have that form,
/// too.
[[nodiscard]] bool asks_for_json(std::span<const std::string> words);

}  // namespace muster::cli
