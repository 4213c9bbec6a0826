#include "agent/policy/policy.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/crypto/signature.hpp"
#include "common/spec/quantity.hpp"
#include "common/spec/signed_spec.hpp"
#include "common/text/utf8.hpp"

namespace muster::agent {

namespace {

using Reason = std::optional<std::string>;
using Texts = std::vector<std::string>;

// The reason travels in messages and lists, so a long policy is not shown whole.
constexpr std::size_t most_shown = 4;

std::string list_of(const Texts& texts) {
    std::string list;
    for (std::size_t at = 0; at < std::min(texts.size(), most_shown); ++at) {
        list += (at == 0 ? "" : ", ") + printable(texts[at]);
    }
    return texts.empty() ? "none" : list + (texts.size() > most_shown ? ", ..." : "");
}

bool contains(const Texts& texts, const std::string& text) {
    return std::ranges::find(texts, text) != texts.end();
}

std::string user_text(const FoundTask& found) {
    return found.user_name.empty() ? std::to_string(found.user) : found.user_name;
}

Reason check_user(const Policy& policy, const TaskSpec& /*spec*/, const FoundTask& found) {
    const std::string user = user_text(found);
    if (!policy.root && found.user == 0) {
        return "its policy does not allow user root: set `user` in the task to another user";
    }
    if (policy.users && !contains(*policy.users, user) &&
        !contains(*policy.users, std::to_string(found.user))) {
        return "its policy does not allow user " + user + ": set `user` in the task to one of " +
               list_of(*policy.users);
    }
    return std::nullopt;
}

// A task could get the rights of others by their group, such as those of root by `disk`.
Reason check_group(const Policy& policy, const TaskSpec& spec, const FoundTask& found) {
    const std::string group =
        spec.user_group.empty() ? std::to_string(found.group) : spec.user_group;
    if (!policy.root && found.group == 0) {
        return "its policy does not allow group root: set `user_group` in the task to another "
               "group";
    }
    if (policy.users && !found.is_group_of_user) {
        return "its policy does not allow group " + group + " for user " + user_text(found) +
               ": leave out `user_group` in the task, or name a group of this user";
    }
    return std::nullopt;
}

Reason check_programs(const Policy& policy, const TaskSpec& /*spec*/, const FoundTask& found) {
    if (!policy.commands) {
        return std::nullopt;
    }
    for (const auto& [field, program] : found.programs) {
        const auto& path = program;  // TODO(clang16): a lambda captures no structured binding.
        const bool is_allowed = std::ranges::any_of(
            *policy.commands, [&](const std::string& entry) { return covers(entry, path); });
        if (!is_allowed) {
            return "its policy does not allow the program " + printable(path) + ": set `" + field +
                   "` in the task to one of " + list_of(*policy.commands);
        }
    }
    // With these variables the loader runs code from anywhere inside an allowed program.
    const auto loads = std::ranges::find_if(
        found.variables, [](const std::string& name) { return name.starts_with("LD_"); });
    if (loads != found.variables.end()) {
        return "its policy allows only some programs, so the task must not set the variable " +
               *loads + ": remove it from `env` and from its env_files";
    }
    return std::nullopt;
}

bool is_in(const Texts& directories, const std::string& path) {
    return std::ranges::any_of(directories, [&](const std::string& entry) {
        return path + '/' == entry || covers(entry, path) || covers(entry + '/', path);
    });
}

Reason check_directories(const Policy& policy, const TaskSpec& /*spec*/, const FoundTask& found) {
    if (!policy.directories) {
        return std::nullopt;
    }
    if (!found.directory.empty() && !is_in(*policy.directories, found.directory)) {
        return "its policy does not allow the working directory " + printable(found.directory) +
               ": leave out `workdir` in the task, or set it below one of " +
               list_of(*policy.directories);
    }
    // The agent reads them as root. A task must not get to know other files of the host so.
    for (const std::string& file : found.env_files) {
        if (!is_in(*policy.directories, file)) {
            return "its policy does not allow the env file " + printable(file) +
                   ": take it out of `env_files` in the task, or move it below one of " +
                   list_of(*policy.directories);
        }
    }
    return std::nullopt;
}

struct Bound {
    std::string_view key;
    std::string_view table;
    std::uint64_t asked;  // 0: not set.
    std::uint64_t most;
    std::string (*text)(std::uint64_t);
};

std::string number_text(std::uint64_t number) { return std::to_string(number); }

Reason check_limits(const Policy& policy, const TaskSpec& spec, const FoundTask& /*found*/) {
    const auto files = spec.rlimits.find("nofile");
    const std::array bounds{
        Bound{"cpu", "limits", spec.limits.cpu_milli, policy.most.cpu_milli, cores_text},
        Bound{"memory", "limits", spec.limits.memory_bytes, policy.most.memory_bytes, size_text},
        Bound{"pids", "limits", spec.limits.pids, policy.most.pids, number_text}};
    const auto sentence = [](const Bound& bound, const std::string& asked) {
        const std::string key = std::string{bound.table} + '.' + std::string{bound.key};
        return "its policy allows at most " + bound.text(bound.most) + " for " + key +
               ", and the task " + asked + ": set `" + std::string{bound.key} +
               "` in the task's `" + std::string{bound.table} + "`";
    };
    for (const Bound& bound : bounds) {
        if (bound.most != 0 && (bound.asked == 0 || bound.asked > bound.most)) {
            return sentence(bound,
                            bound.asked == 0 ? "sets none" : "asks for " + bound.text(bound.asked));
        }
    }
    const std::uint64_t most = policy.most.nofile;
    if (most != 0 && (files == spec.rlimits.end() || raw(files->second.hard) > most)) {
        return sentence({"nofile", "rlimits", 0, most, number_text},
                        files == spec.rlimits.end() ? "sets none"
                                                    : "asks for " + to_string(files->second.hard));
    }
    return std::nullopt;
}

}  // namespace

bool covers(const std::string& entry, const std::string& path) {
    return path == entry || (entry.ends_with('/') && path.starts_with(entry));
}

std::optional<std::string> fault_of_signature(const Policy& policy, const std::string& task,
                                              const TaskSpec& spec) {
    if (!policy.signers) {
        return std::nullopt;
    }
    if (spec.signature.empty()) {
        return "its policy starts only specs that an operator signed, and this one is not signed: "
               "'muster apply --sign FILE' signs it";
    }
    switch (check_signature(spec.signature, signed_bytes(task, spec), *policy.signers)) {
        case Signed::yes: return std::nullopt;
        case Signed::unreadable: return "the signature of the spec cannot be read: sign it again";
        case Signed::by_another:
            return "its policy does not list the signer of the spec, " +
                   spec.signature.substr(0, 16) + "...: let another operator sign it";
        case Signed::of_another: break;
    }
    return "the signature does not belong to this task with this spec: the spec was changed after "
           "it was signed; sign it again";
}

std::optional<std::string> broken_rule(const Policy& policy, const TaskSpec& spec,
                                       const FoundTask& found) {
    for (const auto check :
         {check_user, check_group, check_programs, check_directories, check_limits}) {
        if (auto reason = check(policy, spec, found)) {
            return reason;
        }
    }
    return std::nullopt;
}

}  // namespace muster::agent
