#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "cli/screen/facts.hpp"
#include "cli/subjects/render.hpp"
#include "common/spec/duration.hpp"
#include "common/spec/quantity.hpp"

namespace muster::cli {

namespace {

/// In a form that can be typed: words with special characters are in quotes.
std::string command_line_of(std::span<const std::string> argv) {
    std::string text;
    for (const std::string& word : argv) {
        const bool plain = !word.empty() &&
                           word.find_first_of(" \t\n\"'\\$`*?[](){}<>|&;#~!") == std::string::npos;
        std::string quoted = word;
        for (auto at = quoted.find('\''); at != std::string::npos; at = quoted.find('\'', at + 4)) {
            quoted.replace(at, 1, "'\\''");
        }
        text += (text.empty() ? "" : " ") + (plain ? word : '\'' + quoted + '\'');
    }
    return text;
}

std::string text_of(const Rlimit& limit) {
    return limit.soft == limit.hard ? to_string(limit.soft)
                                    : fmt::format("{}, which it may raise to {}",
                                                  to_string(limit.soft), to_string(limit.hard));
}

std::string text_of(const RestartRule& rule) {
    const std::string policy{to_string(rule.policy)};
    return rule == RestartRule{.policy = rule.policy}
               ? policy
               : fmt::format("{}, after {} and longer, failed after {} in {}", policy,
                             to_string(rule.backoff), counted(rule.max, "start"),
                             to_string(rule.window));
}

std::string text_of(const CgroupLimits& limits) {
    std::string text;
    const auto add = [&](std::uint64_t value, const std::string& written) {
        text += value == 0 ? "" : (text.empty() ? "" : ", ") + written;
    };
    add(limits.cpu_milli, cores_text(limits.cpu_milli));
    add(limits.memory_bytes, size_text(limits.memory_bytes) + " memory");
    add(limits.pids, fmt::format("{} pids", limits.pids));
    return text;
}

/// The user it runs as, and its limits.
void add_process(Facts& facts, const TaskSpec& spec) {
    const TaskSpec plain;
    facts.add_unless_empty("user", spec.user);
    facts.add_unless_empty("user group", spec.user_group);
    facts.add_if(spec.umask != plain.umask, "umask", fmt::format("{:03o}", spec.umask));
    facts.add_if(spec.nice != plain.nice, "nice", std::to_string(spec.nice));
    for (const auto& [name, limit] : spec.rlimits) {
        facts.add("rlimit", fmt::format("{} {}", name, text_of(limit)));
    }
    facts.add_unless_empty("limits", text_of(spec.limits));
    facts.add_if(spec.sandbox != plain.sandbox, "sandbox", std::string{to_string(spec.sandbox)});
    if (spec.log != plain.log) {
        const auto age = spec.log.max_age == Duration::zero()
                             ? std::string{}
                             : fmt::format(", of the last {}", to_string(spec.log.max_age));
        facts.add("log", fmt::format("{} of each stream{}", size_text(spec.log.max_bytes), age));
    }
}

/// Its start, end and replacement.
void add_life(Facts& facts, const TaskSpec& spec) {
    facts.add_unless_empty("pre_start", command_line_of(spec.pre_start));
    facts.add_unless_empty("post_stop", command_line_of(spec.post_stop));
    facts.add_if(spec.start_timeout != Duration::zero(), "start",
                 fmt::format("within {}", to_string(spec.start_timeout)));
    facts.add("restart", text_of(spec.restart));
    facts.add("stop", fmt::format("{}, killed after {}", spec.stop_signal, to_string(spec.grace)));
    facts.add("update", fmt::format("{} more, {} fewer at a time, each healthy after {}",
                                    spec.update.max_surge, spec.update.max_unavailable,
                                    to_string(spec.update.min_healthy)));
    facts.add_if(spec.exclusive, "exclusive", "never two copies of an instance");
}

}  // namespace

void add_spec(Facts& facts, const TaskSpec& spec) {
    facts.add("command", command_line_of(spec.argv));
    for (const auto& [key, value] : spec.env) {
        facts.add("environment", fmt::format("{}={}", key, value));
    }
    for (const std::string& path : spec.env_files) {
        facts.add("env file", path);
    }
    for (const std::string& name : spec.secrets) {
        facts.add("secret", name);
    }
    for (const std::string& name : spec.cluster_secrets) {
        facts.add("cluster secret", name);
    }
    facts.add_if(!spec.signature.empty(), "signed by", spec.signature.substr(0, 64));
    facts.add("directory", spec.workdir.empty() ? "one of its own" : spec.workdir);
    add_process(facts, spec);
    add_life(facts, spec);
}

}  // namespace muster::cli
