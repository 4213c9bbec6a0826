#include "agent/exec/launch/process_mark.hpp"

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/number.hpp"
#include "common/base/read_file.hpp"

namespace muster::agent {

std::string to_string(const ProcessMark& mark) {
    return mark.home + '/' + std::to_string(raw(mark.process));
}

std::optional<ProcessMark> parse_process_mark(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) {
        return std::nullopt;
    }
    const auto process = number_in<ProcessId>(text.substr(slash + 1));
    return process ? std::optional{ProcessMark{std::string{text.substr(0, slash)}, *process}}
                   : std::nullopt;
}

std::string home_of(const std::string& state_directory) {
    struct stat status = {};
    if (stat(state_directory.c_str(), &status) != 0) {
        return {};
    }
    return std::to_string(status.st_dev) + '-' + std::to_string(status.st_ino);
}

std::optional<ProcessMark> mark_of(pid_t pid) {
    const auto environment = read_file("/proc/" + std::to_string(pid) + "/environ", unbounded);
    if (!environment) {
        return std::nullopt;
    }
    for (std::string_view rest = *environment; !rest.empty();) {
        const std::string_view variable = rest.substr(0, rest.find('\0'));
        if (variable.starts_with(process_mark_variable) &&
            variable.substr(process_mark_variable.size()).starts_with('=')) {
            return parse_process_mark(variable.substr(process_mark_variable.size() + 1));
        }
        rest.remove_prefix(std::min(variable.size() + 1, rest.size()));
    }
    return std::nullopt;
}

std::vector<MarkedProcess> processes_of_home(const std::string& home) {
    std::vector<MarkedProcess> found;
    for (const std::string& name : names_in("/proc")) {
        const auto pid = number_in<pid_t>(name);
        const auto mark = pid && *pid != getpid() ? mark_of(*pid) : std::nullopt;
        if (mark && mark->home == home) {
            found.push_back({*pid, mark->process});
        }
    }
    return found;
}

// The name is in brackets and may contain blanks and brackets. Field 3 comes after it.
std::optional<std::uint64_t> start_ticks_of(pid_t pid) {
    const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat", unbounded);
    auto at = stat ? stat->rfind(')') : std::string::npos;
    for (int field = 2; at != std::string::npos && field < 22; ++field) {
        at = stat->find(' ', at + 1);
    }
    if (at == std::string::npos) {
        return std::nullopt;
    }
    const std::string_view rest = std::string_view{*stat}.substr(at + 1);
    return number_in<std::uint64_t>(rest.substr(0, rest.find(' ')));
}

}  // namespace muster::agent
