#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/limits.hpp"
#include "common/spec/duration.hpp"
#include "common/spec/placement.hpp"
#include "common/spec/spec.hpp"

/// The rules of a spec, by subject. Only fault_of() calls them.
namespace muster::spec_rules {

using Fault = std::optional<FieldFault>;

/// The texts of the process: argv, pre_start, post_stop, env, env_files, workdir, secrets.
[[nodiscard]] Fault fault_of_texts(const TaskSpec& spec);
/// The user and limits of the process: user, user_group, umask, nice, rlimits, limits, log.
[[nodiscard]] Fault fault_of_process(const TaskSpec& spec);
/// Its start, end and replacement: start_timeout, stop, restart, update, exclusive.
[[nodiscard]] Fault fault_of_life(const TaskSpec& spec);

inline FieldFault wrong(std::string_view field, std::string what) {
    return {field, std::move(what)};
}

inline bool has_zero_byte(std::string_view text) {
    return text.find('\0') != std::string_view::npos;
}

/// `what` begins the text: `is` or `has the backoff`.
inline Fault fault_of_range(std::string_view field, std::string_view what, Duration value,
                            Duration least, Duration most) {
    if (value < least || value > most) {
        return wrong(field, std::string{what} + ' ' + to_string(value) + "; it is " +
                                to_string(least) + " to " + to_string(most));
    }
    if (value % 1ms != Duration::zero()) {
        return wrong(field, std::string{what} + ' ' + to_string(value) +
                                " and a part of a millisecond; write whole ones");
    }
    return std::nullopt;
}

}  // namespace muster::spec_rules
