#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/log/log.hpp"

/// What the mains of both daemons do alike: read their command line and their configuration, let
/// the first win over the second, and say in one line why they cannot go on.
namespace muster::daemon_main {

inline constexpr int exit_error = 1;  ///< The world is not as it should be: a file, a port.
inline constexpr int exit_usage = 2;  ///< The command line is not.

struct Program {
    const char* name;
    const char* version;
    const char* summary;
};

/// `--name VALUE`. A value that is not given leaves `into` as it is; none may be empty.
struct Option {
    const char* name;
    std::string* into;
    const char* summary;
};

/// Reads the command line. A status: the program ends with it, and has said why, or its help.
[[nodiscard]] std::optional<int> read_command_line(int argc, const char* const* argv,
                                                   const Program& program,
                                                   std::initializer_list<Option> options);

/// The text of a configuration file; none without a path.
[[nodiscard]] Result<std::string> configuration(const std::string& path);

/// What was given wins; empty is not given.
void override_with(const std::string& given, std::string& option);
[[nodiscard]] Result<void> override_with(const std::string& given, log::Level& level);

/// Writes `PROGRAM: SENTENCE` to stderr, without what a terminal would take as an order: a sentence
/// may repeat what was given to us. Returns the status, to end with.
[[nodiscard]] int end_with(int status, std::string_view program, std::string sentence);

}  // namespace muster::daemon_main
