#include "common/spec.hpp"

#include <array>
#include <csignal>
#include <string>
#include <sys/resource.h>
#include <utility>

#include "common/fnv.hpp"
#include "common/limits.hpp"
#include "common/spec_toml.hpp"

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

constexpr std::array<std::pair<std::string_view, int>, 14> rlimit_resources{{
    {"as", RLIMIT_AS},
    {"core", RLIMIT_CORE},
    {"cpu", RLIMIT_CPU},
    {"data", RLIMIT_DATA},
    {"fsize", RLIMIT_FSIZE},
    {"memlock", RLIMIT_MEMLOCK},
    {"msgqueue", RLIMIT_MSGQUEUE},
    {"nice", RLIMIT_NICE},
    {"nofile", RLIMIT_NOFILE},
    {"nproc", RLIMIT_NPROC},
    {"rtprio", RLIMIT_RTPRIO},
    {"rttime", RLIMIT_RTTIME},
    {"sigpending", RLIMIT_SIGPENDING},
    {"stack", RLIMIT_STACK},
}};

constexpr std::string_view reserved_env_prefix = "MUSTER_";

using Fault = std::optional<FieldFault>;

FieldFault wrong(std::string_view field, std::string what) { return {field, std::move(what)}; }

std::string at_most(std::size_t limit) { return "at most " + std::to_string(limit); }

bool has_zero_byte(std::string_view text) { return text.find('\0') != std::string_view::npos; }

Fault check_argv(const WantedTask& task) {
    const auto& argv = task.spec.argv;
    if (argv.empty()) {
        return wrong("argv", "is empty; its first word is the program to run");
    }
    if (argv.front().empty()) {
        return wrong("argv", "begins with an empty word; its first word is the program to run");
    }
    if (argv.size() > limits::argv_count) {
        return wrong("argv", "has " + std::to_string(argv.size()) + " words; " +
                                 at_most(limits::argv_count) + " are allowed");
    }
    for (const auto& word : argv) {
        if (has_zero_byte(word)) {
            return wrong("argv", "holds a zero byte, which no program can be given");
        }
    }
    return std::nullopt;
}

Fault check_env(const WantedTask& task) {
    const auto& env = task.spec.env;
    if (env.size() > limits::env_count) {
        return wrong("env", "has " + std::to_string(env.size()) + " variables; " +
                                at_most(limits::env_count) + " are allowed");
    }
    for (const auto& [key, value] : env) {
        if (key.empty() || key.find('=') != std::string::npos || has_zero_byte(key) ||
            has_zero_byte(value)) {
            return wrong("env", "has the variable '" + key +
                                    "'; a variable has a name without '=', and no zero byte");
        }
        if (key.starts_with(reserved_env_prefix)) {
            return wrong("env",
                         "sets '" + key + "'; names that begin with MUSTER_ are set by the agent");
        }
    }
    return std::nullopt;
}

Fault check_workdir(const WantedTask& task) {
    const auto& workdir = task.spec.workdir;
    if (!workdir.empty() && workdir.front() != '/') {
        return wrong("workdir", "is '" + workdir +
                                    "'; it is an absolute path, or left out for a directory "
                                    "of the instance's own");
    }
    if (workdir.size() >= limits::path_bytes || has_zero_byte(workdir)) {
        return wrong("workdir", "is no path the kernel takes: under " +
                                    std::to_string(limits::path_bytes) +
                                    " bytes, none of them zero");
    }
    return std::nullopt;
}

Fault check_text_bytes(const WantedTask& task) {
    std::size_t bytes = task.spec.workdir.size();
    for (const auto& word : task.spec.argv) {
        bytes += word.size();
    }
    for (const auto& [key, value] : task.spec.env) {
        bytes += key.size() + value.size();
    }
    if (bytes > limits::spec_text_bytes) {
        return wrong("argv", "has, with env and workdir, " + std::to_string(bytes) + " bytes; " +
                                 at_most(limits::spec_text_bytes) + " are allowed");
    }
    return std::nullopt;
}

Fault check_numbers(const WantedTask& task) {
    const auto& spec = task.spec;
    if (task.instances > limits::instances_per_task) {
        return wrong("instances", "is " + std::to_string(task.instances) + "; " +
                                      at_most(limits::instances_per_task) + " are allowed");
    }
    if (task.place.every_node && task.instances > 1) {
        return wrong("instances", "is " + std::to_string(task.instances) +
                                      " beside every_node; leave it out, or write 0 for nowhere");
    }
    if (spec.max_per_node == 0 || spec.max_per_node > limits::instances_per_node) {
        return wrong("max_per_node", "is " + std::to_string(spec.max_per_node) + "; it is 1 to " +
                                         std::to_string(limits::instances_per_node));
    }
    for (const auto number : {spec.update.max_surge, spec.update.max_unavailable}) {
        if (number > limits::instances_per_task) {
            return wrong("update", "has the number " + std::to_string(number) + "; " +
                                       at_most(limits::instances_per_task) + " is allowed");
        }
    }
    if (spec.update.max_surge == 0 && spec.update.max_unavailable == 0) {
        return wrong("update",
                     "has max_surge and max_unavailable 0, so that no roll-out could ever begin; "
                     "one of them is 1 or more");
    }
    return std::nullopt;
}

Fault check_stop(const WantedTask& task) {
    const auto& spec = task.spec;
    if (const auto number = stop_signal_number(spec.stop_signal); !number) {
        return wrong("stop_signal", number.error().detail);
    }
    if (spec.grace < Duration::zero() || spec.grace > limits::grace_max) {
        return wrong("grace", "is " + to_string(spec.grace) + "; it is 0s to " +
                                  to_string(limits::grace_max));
    }
    if (spec.grace % 1ms != Duration::zero()) {
        return wrong("grace", "is not a whole number of milliseconds");
    }
    return std::nullopt;
}

}  // namespace

std::string_view to_string(RestartPolicy policy) {
    switch (policy) {
        case RestartPolicy::always: return "always";
        case RestartPolicy::on_failure: return "on-failure";
        case RestartPolicy::never: return "never";
    }
    return "unknown";
}

std::optional<FieldFault> fault_of(const WantedTask& task) {
    if (!is_valid_name(task.name)) {
        return wrong("name", "is not allowed; " + std::string{name_rule()});
    }
    for (const auto check :
         {check_argv, check_env, check_workdir, check_text_bytes, check_numbers, check_stop}) {
        if (auto fault = check(task)) {
            return fault;
        }
    }
    return fault_of(task.place);
}

Result<void> validate(const WantedTask& task) {
    if (const auto fault = fault_of(task)) {
        return fail(Errc::invalid, "task '" + task.name.substr(0, limits::name_bytes) +
                                       "': " + std::string{fault->field} + ' ' + fault->what);
    }
    return {};
}

Digest digest_of(const TaskSpec& spec) {
    Fnv fnv;
    fnv.number(spec.argv.size());
    for (const auto& word : spec.argv) {
        fnv.text(word);
    }
    fnv.number(spec.env.size());
    for (const auto& [key, value] : spec.env) {
        fnv.text(key);
        fnv.text(value);
    }
    fnv.text(spec.workdir);
    fnv.text(spec.stop_signal);
    fnv.number(static_cast<std::uint64_t>(to_ms(spec.grace)));
    fnv.text(to_string(spec.restart.policy));
    fnv.number(spec.max_per_node);
    fnv.number(spec.update.max_surge);
    fnv.number(spec.update.max_unavailable);
    return fnv.digest();
}

Result<int> rlimit_resource(std::string_view name) {
    std::string names;
    for (const auto& [known, number] : rlimit_resources) {
        if (known == name) {
            return number;
        }
        names += ' ' + std::string{known};
    }
    return fail(Errc::invalid, "is '" + std::string{name.substr(0, limits::name_bytes)} +
                                   "'; it is one of" + names);
}

Result<int> stop_signal_number(std::string_view name) {
    for (const auto& [known, number] : stop_signals) {
        if (known == name) {
            return number;
        }
    }
    return fail(Errc::invalid, "is '" + std::string{name.substr(0, limits::name_bytes)} +
                                   "'; it is one of TERM INT QUIT HUP USR1 USR2 KILL");
}

}  // namespace muster
