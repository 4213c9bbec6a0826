#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/crypto/key.hpp"
#include "common/spec/spec.hpp"

namespace muster::agent {

/// What a host lets tasks do, whatever a coordinator orders. A local file says it
/// (policy_file.hpp), so a stolen coordinator cannot widen it.
struct Policy {
    /// The most that the limits of a task may be. 0: no bound, and a task needs no limit.
    struct Most {
        std::uint64_t cpu_milli = 0;
        std::uint64_t memory_bytes = 0;
        std::uint32_t pids = 0;
        std::uint64_t nofile = 0;

        friend bool operator==(const Most&, const Most&) = default;
    };

    std::optional<std::vector<std::string>> users{};  ///< Names or numbers. Nothing: any user.
    bool root = true;                                 ///< Tasks may run as user or group 0.
    /// Programs; a text that ends in / means all programs below. Nothing: any program.
    std::optional<std::vector<std::string>> commands{};
    /// Tasks may work in these and below, besides their own directories, and have their env_files
    /// there. Nothing: anywhere.
    std::optional<std::vector<std::string>> directories{};
    Most most{};
    /// Keys of operators. Only specs that one of them signed start. Nothing: any spec.
    std::optional<std::vector<PublicKey>> signers{};

    friend bool operator==(const Policy&, const Policy&) = default;
};

/// What a host found for a spec. Paths have no symbolic links.
struct FoundTask {
    struct Program {
        std::string field;  ///< argv, pre_start or post_stop.
        std::string path;
    };

    std::uint32_t user = 0;
    std::string user_name{};  ///< Empty: the number has no name here.
    std::uint32_t group = 0;
    bool is_group_of_user = true;  ///< The user has this group without the task's user_group.
    std::vector<Program> programs{};
    std::string directory{};  ///< Empty: the instance's own.
    std::vector<std::string> env_files{};
    std::vector<std::string> variables{};  ///< The names of its environment.
};

/// The first rule of the policy that a task breaks, as a sentence about this host. Nothing: the
/// host may run it.
[[nodiscard]] std::optional<std::string> broken_rule(const Policy& policy, const TaskSpec& spec,
                                                     const FoundTask& found);

/// Why the spec of this task does not have the signature that the policy wants, as such a sentence.
[[nodiscard]] std::optional<std::string> fault_of_signature(const Policy& policy,
                                                            const std::string& task,
                                                            const TaskSpec& spec);

/// `path` is `entry`, or below it if `entry` ends in `/`.
[[nodiscard]] bool covers(const std::string& entry, const std::string& path);

}  // namespace muster::agent
