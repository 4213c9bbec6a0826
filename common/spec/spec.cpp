#include "common/spec/spec.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <sys/resource.h>
#include <utility>

#include <fmt/format.h>

namespace muster {

namespace {

constexpr std::array<std::pair<std::string_view, int>, 7> stop_signals{{
    {"TERM", SIGTERM},
    {"INT", SIGINT},
    {"QUIT", SIGQUIT},
    {"HUP", SIGHUP},
    {"USR1", SIGUSR1},
    {"USR2", SIGUSR2},
    {"KILL", SIGKILL},
}};

constexpr std::array<std::string_view, 14> resource_names{
    "as",   "core",   "cpu",   "data",   "fsize",  "memlock",    "msgqueue",
    "nice", "nofile", "nproc", "rtprio", "rttime", "sigpending", "stack"};
constexpr std::array<int, resource_names.size()> resource_numbers{
    RLIMIT_AS,      RLIMIT_CORE,     RLIMIT_CPU,        RLIMIT_DATA,   RLIMIT_FSIZE,
    RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE, RLIMIT_NICE,       RLIMIT_NOFILE, RLIMIT_NPROC,
    RLIMIT_RTPRIO,  RLIMIT_RTTIME,   RLIMIT_SIGPENDING, RLIMIT_STACK};

}  // namespace

void apply_defaults(TaskSpec& spec) {
    auto& max_surge = spec.update.max_surge;
    if (max_surge == max_surge_unsaid) {
        max_surge = spec.exclusive ? 0 : UpdatePolicy{}.max_surge;
    }
}

std::span<const std::string_view> rlimit_names() { return resource_names; }

Result<int> rlimit_resource(std::string_view name) {
    const auto* const found = std::ranges::find(resource_names, name);
    if (found != resource_names.end()) {
        return resource_numbers.at(static_cast<std::size_t>(found - resource_names.begin()));
    }
    return fail(Errc::invalid, fmt::format("is {}; it is one of {}", in_quotes(name),
                                           fmt::join(resource_names, " ")));
}

Result<int> stop_signal_number(std::string_view name) {
    for (const auto& [known, number] : stop_signals) {
        if (known == name) {
            return number;
        }
    }
    return fail(Errc::invalid,
                "is " + in_quotes(name) + "; it is one of TERM INT QUIT HUP USR1 USR2 KILL");
}

}  // namespace muster
