#include <string>
#include <vector>

#include "cli/run.hpp"
#include "common/base/process.hpp"

int main(int count, char** arguments) {
    muster::hold_standard_files();
    muster::keep_memory_private();  // It reads the key of a context, and tokens.
    const std::vector<std::string> words(arguments + (count > 0 ? 1 : 0), arguments + count);
    return static_cast<int>(muster::cli::run(words, MUSTER_VERSION));
}
