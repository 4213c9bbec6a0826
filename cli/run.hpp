#pragma once

#include <span>
#include <string>

#include "cli/exit_code.hpp"

namespace muster::cli {

/// The whole of `muster`: reads the words after the program's name, runs the verb, and writes
/// answers to standard output and errors to standard error (with `-o json` both to standard output,
/// as one document).
[[nodiscard]] ExitCode run(std::span<const std::string> words, const std::string& version);

}  // namespace muster::cli
