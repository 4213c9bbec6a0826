#include <algorithm>
#include <cstddef>
#include <vector>

#include "common/base/ids.hpp"
#include "common/spec/spec_rules.hpp"
#include "common/text/template.hpp"

namespace muster::spec_rules {

namespace {

constexpr std::string_view reserved_env_prefix = "MUSTER_";

Fault fault_of_variables(std::string_view field, const std::string& text) {
    if (auto fault = fault_of_template(text)) {
        return wrong(field, *std::move(fault));
    }
    return std::nullopt;
}

Fault fault_of_command(std::string_view field, const std::vector<std::string>& command) {
    if (command.front().empty()) {
        return wrong(field, "begins with an empty word; its first word is the program to run");
    }
    if (command.size() > limits::argv_count) {
        return wrong(field, "has " + too_many(command.size(), "words", limits::argv_count));
    }
    for (const auto& word : command) {
        if (has_zero_byte(word)) {
            return wrong(field, "holds a zero byte, which no program can be given");
        }
        if (auto fault = fault_of_variables(field, word)) {
            return fault;
        }
    }
    return std::nullopt;
}

Fault check_argv(const TaskSpec& spec) {
    if (spec.argv.empty()) {
        return wrong("argv", "is empty; its first word is the program to run");
    }
    return fault_of_command("argv", spec.argv);
}

Fault check_hooks(const TaskSpec& spec) {
    auto fault = spec.pre_start.empty() ? Fault{} : fault_of_command("pre_start", spec.pre_start);
    if (!fault && !spec.post_stop.empty()) {
        fault = fault_of_command("post_stop", spec.post_stop);
    }
    return fault;
}

Fault check_env(const TaskSpec& spec) {
    if (spec.env.size() > limits::env_count) {
        return wrong("env", "has " + too_many(spec.env.size(), "variables", limits::env_count));
    }
    for (const auto& [key, value] : spec.env) {
        if (key.empty() || key.find('=') != std::string::npos || has_zero_byte(key) ||
            has_zero_byte(value)) {
            return wrong("env", "has the variable '" + key +
                                    "'; a variable has a name without '=', and no zero byte");
        }
        if (key.starts_with(reserved_env_prefix)) {
            return wrong("env",
                         "sets '" + key + "'; names that begin with MUSTER_ are set by the agent");
        }
        if (auto fault = fault_of_variables("env", value)) {
            return fault;
        }
    }
    return std::nullopt;
}

/// The agent checks the full rule for a path that begins with a variable.
bool may_be_absolute(std::string_view path) {
    return path.starts_with('/') || begins_with_variable(path);
}

Fault fault_of_path(std::string_view field, const std::string& path) {
    if (path.size() >= limits::path_bytes || has_zero_byte(path)) {
        return wrong(field, "is no path the kernel takes: under " +
                                std::to_string(limits::path_bytes) + " bytes, none of them zero");
    }
    return fault_of_variables(field, path);
}

Fault check_workdir(const TaskSpec& spec) {
    if (!spec.workdir.empty() && !may_be_absolute(spec.workdir)) {
        return wrong("workdir", "is '" + spec.workdir +
                                    "'; it is an absolute path, or left out for a directory "
                                    "of the instance's own");
    }
    return fault_of_path("workdir", spec.workdir);
}

Fault check_env_files(const TaskSpec& spec) {
    if (spec.env_files.size() > limits::env_files) {
        return wrong("env_files",
                     "names " + too_many(spec.env_files.size(), "files", limits::env_files));
    }
    for (const auto& path : spec.env_files) {
        if (!may_be_absolute(path)) {
            return wrong("env_files", "names " + in_quotes(path) +
                                          "; each is an absolute path on the node's host");
        }
        if (auto fault = fault_of_path("env_files", path)) {
            return fault;
        }
    }
    return std::nullopt;
}

Fault check_secrets(const TaskSpec& spec) {
    const auto& secrets = spec.secrets;
    if (secrets.size() > limits::secrets) {
        return wrong("secrets", "names " + too_many(secrets.size(), "files", limits::secrets));
    }
    for (auto at = secrets.begin(); at != secrets.end(); ++at) {
        if (!is_valid_name(*at)) {
            return wrong("secrets", "names " + in_quotes(*at) + "; " + std::string{name_rule()});
        }
        if (std::find(secrets.begin(), at, *at) != at) {
            return wrong("secrets", "names " + in_quotes(*at) + " twice; name it once");
        }
    }
    return std::nullopt;
}

Fault check_cluster_secrets(const TaskSpec& spec) {
    const auto& secrets = spec.cluster_secrets;
    if (secrets.size() > limits::cluster_secrets) {
        return wrong("cluster_secrets",
                     "names " + too_many(secrets.size(), "secrets", limits::cluster_secrets));
    }
    for (auto at = secrets.begin(); at != secrets.end(); ++at) {
        if (!is_valid_name(*at)) {
            return wrong("cluster_secrets",
                         "names " + in_quotes(*at) + "; " + std::string{name_rule()});
        }
        const bool is_file = std::ranges::find(spec.secrets, *at) != spec.secrets.end();
        if (is_file || std::find(secrets.begin(), at, *at) != at) {
            return wrong("cluster_secrets", "names " + in_quotes(*at) +
                                                (is_file ? ", and so does secrets" : " twice") +
                                                "; name it once");
        }
    }
    return std::nullopt;
}

Fault check_signature(const TaskSpec& spec) {
    constexpr std::string_view digits = "0123456789abcdef";
    constexpr std::size_t key_digits = 64;
    const std::string& text = spec.signature;
    const std::string_view key = std::string_view{text}.substr(0, key_digits);
    const std::string_view rest =
        text.size() > key_digits ? std::string_view{text}.substr(key_digits) : "";
    const bool is_whole = text.size() == limits::signature_bytes && rest.starts_with(' ') &&
                          key.find_first_not_of(digits) == std::string_view::npos &&
                          rest.substr(1).find_first_not_of(digits) == std::string_view::npos;
    if (!text.empty() && !is_whole) {
        return wrong("signature",
                     "is not the key of a signer, a space and a signature, with 64 and 128 "
                     "hexadecimal digits; 'muster apply --sign FILE' makes it");
    }
    return std::nullopt;
}

Fault check_text_bytes(const TaskSpec& spec) {
    std::size_t bytes = spec.workdir.size();
    for (const auto* const texts : {&spec.argv, &spec.pre_start, &spec.post_stop, &spec.env_files,
                                    &spec.secrets, &spec.cluster_secrets}) {
        for (const auto& text : *texts) {
            bytes += text.size();
        }
    }
    for (const auto& [key, value] : spec.env) {
        bytes += key.size() + value.size();
    }
    if (bytes > limits::spec_text_bytes) {
        return wrong("argv", "has, with env, paths and other commands, " +
                                 too_many(bytes, "bytes", limits::spec_text_bytes));
    }
    return std::nullopt;
}

}  // namespace

Fault fault_of_texts(const TaskSpec& spec) {
    return first_fault(
        spec, {check_argv, check_hooks, check_env, check_workdir, check_env_files, check_secrets,
               check_cluster_secrets, check_signature, check_text_bytes});
}

}  // namespace muster::spec_rules
