#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/log/log.hpp"

/// The common part of both daemons' mains: they read the command line and the configuration, of
/// which the command line wins, and print one line if they cannot start.
namespace muster::daemon_main {

inline constexpr int exit_error = 1;  ///< The environment is at fault: a file, a port.
inline constexpr int exit_usage = 2;  ///< The command line is at fault.

struct Program {
    const char* name;
    const char* version;
    const char* summary;
};

/// `--name VALUE`, or `--name` for a flag. A missing option leaves `into` unchanged; an empty value
/// is refused.
struct Option {
    const char* name;
    std::string* into;
    const char* summary;
    bool* flag = nullptr;  ///< Instead of a value: set to true.
};

/// Reads the command line. A status: the program ends with it, after it printed the error or help.
[[nodiscard]] std::optional<int> read_command_line(int argc, const char* const* argv,
                                                   const Program& program,
                                                   std::initializer_list<Option> options);

/// The text of a configuration file; none without a path.
[[nodiscard]] Result<std::string> configuration(const std::string& path);

/// A given value wins; empty means not given.
void override_with(const std::string& given, std::string& option);
[[nodiscard]] Result<void> override_with(const std::string& given, log::Level& level);

/// Writes `PROGRAM: SENTENCE` to stderr, without control characters, because a sentence may repeat
/// foreign input. Returns the status, to end with.
[[nodiscard]] int end_with(int status, std::string_view program, std::string sentence);

}  // namespace muster::daemon_main
