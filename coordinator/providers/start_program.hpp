#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

#include "common/base/file_descriptor.hpp"
#include "common/base/result.hpp"

namespace muster::coordinator {

/// A child that was started. It is the first process of a session and a group of its own.
struct StartedProgram {
    pid_t id = 0;
    FileDescriptor process;  ///< Readable once it has ended.
    FileDescriptor input;    ///< Our ends of its standard files. None of them blocks.
    FileDescriptor output;
    FileDescriptor errors;
};

/// What a program gets of this process's environment: PATH, HOME, LANG, TZ, and what begins with
/// MUSTER_. The others may hold secrets, or tell libraries to behave as this daemon needs it. It
/// reads the environment, which nobody may set meanwhile.
[[nodiscard]] std::vector<std::string> environment_of_programs();

/// Starts the program `words[0]`, which is a path. It has no other open file than the standard
/// ones, no blocked or ignored signal, and it works in `/`. Any thread may call this. It blocks
/// until the kernel has read the file of the program.
[[nodiscard]] Result<StartedProgram> start_program(std::vector<std::string> words,
                                                   std::vector<std::string> environment);

}  // namespace muster::coordinator
