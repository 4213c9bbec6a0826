#include <cstdint>

#include <fmt/format.h>

#include "common/base/number.hpp"
#include "common/spec/quantity.hpp"
#include "common/spec/spec_rules.hpp"

namespace muster::spec_rules {

namespace {

bool is_account(std::string_view text) {
    constexpr std::string_view letters =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-@$\\";
    if (text.find_first_not_of(letters.substr(0, 10)) == std::string_view::npos) {
        const auto number = number_in<std::uint32_t>(text);
        return number && *number <= limits::account_number_max;
    }
    return text.size() <= limits::account_bytes && text.front() != '-' &&
           text.find_first_not_of(letters) == std::string_view::npos;
}

Fault check_accounts(const TaskSpec& spec) {
    for (const auto& [field, account] :
         {std::pair<std::string_view, const std::string&>{"user", spec.user},
          {"user_group", spec.user_group}}) {
        if (!account.empty() && !is_account(account)) {
            return wrong(field, fmt::format("is {}; it is a number up to {}, or a name of at most "
                                            "{} letters, digits and . _ - @ $ \\",
                                            in_quotes(account), limits::account_number_max,
                                            limits::account_bytes));
        }
    }
    return std::nullopt;
}

Fault check_umask_and_nice(const TaskSpec& spec) {
    if (spec.umask > limits::umask_max) {
        return wrong("umask", fmt::format("is {:04o}; it is 000 to {:03o} in octal digits",
                                          spec.umask, limits::umask_max));
    }
    if (spec.nice < limits::nice_least || spec.nice > limits::nice_most) {
        return wrong("nice", fmt::format("is {}; it is {} to {}", spec.nice, limits::nice_least,
                                         limits::nice_most));
    }
    return std::nullopt;
}

Fault check_rlimits(const TaskSpec& spec) {
    for (const auto& [name, limit] : spec.rlimits) {
        if (const auto number = rlimit_resource(name); !number) {
            return wrong("rlimits", "names a resource that " + number.error().detail);
        }
        if (limit.soft > limit.hard) {
            return wrong("rlimits",
                         fmt::format("has for {} the soft limit {} above the hard limit {}; soft "
                                     "is at most hard",
                                     name, to_string(limit.soft), to_string(limit.hard)));
        }
    }
    return std::nullopt;
}

struct CgroupBound {
    std::string_view name;
    std::uint64_t value;
    std::uint64_t least;
    std::uint64_t most;
    std::string (*text)(std::uint64_t);
};

std::string number_text(std::uint64_t number) { return std::to_string(number); }

Fault check_limits(const TaskSpec& spec) {
    const auto& has = spec.limits;
    for (const auto& [name, value, least, most, text] :
         {CgroupBound{"cpu", has.cpu_milli, limits::cgroup_cpu_milli_least, limits::cpu_milli,
                      cores_text},
          CgroupBound{"memory", has.memory_bytes, limits::cgroup_memory_least, limits::memory_bytes,
                      size_text},
          CgroupBound{"pids", has.pids, limits::cgroup_pids_least, limits::cgroup_pids,
                      number_text}}) {
        if (value != 0 && (value < least || value > most)) {
            return wrong("limits", fmt::format("has {} {}; it is {} to {}, or 0 for no bound", name,
                                               text(value), text(least), text(most)));
        }
    }
    return std::nullopt;
}

Fault check_log(const TaskSpec& spec) {
    const auto& log = spec.log;
    if (log.max_bytes < limits::log_bytes_least || log.max_bytes > limits::log_bytes_most) {
        return wrong("log", fmt::format("has max {}; it is {} to {}", size_text(log.max_bytes),
                                        size_text(limits::log_bytes_least),
                                        size_text(limits::log_bytes_most)));
    }
    if (log.max_age == Duration::zero()) {
        return std::nullopt;
    }
    auto fault = fault_of_range("log", "has max_age", log.max_age, limits::log_age_least,
                                limits::log_age_most);
    if (fault) {
        fault->what += ", or 0s for any age";
    }
    return fault;
}

}  // namespace

Fault fault_of_process(const TaskSpec& spec) {
    return first_fault(
        spec, {check_accounts, check_umask_and_nice, check_rlimits, check_limits, check_log});
}

}  // namespace muster::spec_rules
