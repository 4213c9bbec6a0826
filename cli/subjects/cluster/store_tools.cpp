#include "cli/subjects/cluster/store_tools.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

#include "cli/subjects/console.hpp"
#include "common/base/process.hpp"

namespace muster::cli {

namespace {

constexpr const char* daemon_with_store = "muster-coordinator";

/// What that program is given, from its own name on.
std::vector<std::string> words_for_coordinator(const CommandLine& line) {
    const std::string verb{entry_of(line.verb).words};
    std::vector<std::string> words{daemon_with_store, "store", verb.substr(verb.find(' ') + 1)};
    for (const OptionEntry& option : entry_of(line.verb).options) {
        if (!line.has(option.name)) {
            continue;
        }
        const std::string name{option.name};
        words.push_back(option.value.empty() ? name : name + '=' + line.value(name).value_or(""));
    }
    words.emplace_back("--");
    words.insert(words.end(), line.arguments.begin(), line.arguments.end());
    return words;
}

}  // namespace

ExitCode run_store(const CommandLine& line) {
    if (line.wants_json()) {
        show_error({Errc::invalid, "'muster store' has no other form than text"}, true);
        return ExitCode::usage;
    }
    const std::string path = program_of_muster(daemon_with_store);
    if (path.empty()) {
        show_error({Errc::not_found,
                    "muster-coordinator, which can use a store, is not beside this program nor in "
                    "../libexec/muster: run this on a control node"},
                   false);
        return ExitCode::error;
    }
    std::vector<std::string> words = words_for_coordinator(line);
    std::vector<char*> arguments;
    std::ranges::transform(words, std::back_inserter(arguments),
                           [](std::string& word) { return word.data(); });
    arguments.push_back(nullptr);
    execv(path.c_str(), arguments.data());
    show_error({Errc::io, path + " cannot be run: " + std::strerror(errno)}, false);
    return ExitCode::error;
}

}  // namespace muster::cli
