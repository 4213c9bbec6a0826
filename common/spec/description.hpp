#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "common/base/limits.hpp"
#include "common/spec/spec.hpp"

/// The fields of a task's spec and its rule of placement, in one place. Task files, messages,
/// digests, differences and the output of `task show` use this list.
///
/// A new member of a described struct needs a line here, or it does not compile.
namespace muster {

/// When a field is part of a message and a digest.
enum class Presence : std::uint8_t {
    required,
    always,          ///< Since the first release.
    unless_default,  ///< Later: messages and digests of specs without it stay.
};

/// What reading checks of a field. fault_of() knows all rules.
struct FieldRule {
    Presence presence = Presence::always;
    std::int64_t least = 0;  ///< Of a number.
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::size_t bytes = 0;  ///< Of a text, or of each text in a list.
    std::size_t count = 0;  ///< Elements of a list.
    bool is_name = false;   ///< Obeys the rule for names.
    bool octal = false;     ///< A task file has it in octal digits.
};

/// The unit of a number, from the end of its name on the wire.
enum class AmountUnit : std::uint8_t { none, bytes, milli };

/// A member and its name on the wire. There the name of an amount ends in its unit (`grace_ms`,
/// `memory_bytes`, `cpu_milli`). In a task file it does not (`grace`, `memory`, `cpu`): the value
/// has its unit.
template <class Owner, class Member>
struct Field {
    using Value = Member;

    std::string_view wire_name;
    Member Owner::*member;
    FieldRule rule{};

    [[nodiscard]] constexpr AmountUnit unit() const {
        return wire_name.ends_with("_bytes")   ? AmountUnit::bytes
               : wire_name.ends_with("_milli") ? AmountUnit::milli
                                               : AmountUnit::none;
    }
    [[nodiscard]] constexpr std::string_view file_name() const {
        return std::is_same_v<Member, Duration> || unit() != AmountUnit::none
                   ? wire_name.substr(0, wire_name.rfind('_'))
                   : wire_name;
    }
    /// For digests, which must not change, and for differences.
    [[nodiscard]] constexpr std::string_view name() const {
        return std::is_same_v<Member, Duration> ? file_name() : wire_name;
    }
};

template <class Owner, class Member>
Field(std::string_view, Member Owner::*) -> Field<Owner, Member>;
template <class Owner, class Member>
Field(std::string_view, Member Owner::*, FieldRule) -> Field<Owner, Member>;

namespace description {

constexpr FieldRule text(std::size_t bytes) { return {.bytes = bytes}; }
constexpr FieldRule texts(std::size_t count, std::size_t bytes) {
    return {.bytes = bytes, .count = count};
}
constexpr FieldRule number(std::int64_t least, std::int64_t most) {
    return {.least = least, .most = most};
}
constexpr FieldRule number(std::uint64_t most) {
    return number(0, static_cast<std::int64_t>(most));
}

constexpr FieldRule required(FieldRule rule) {
    rule.presence = Presence::required;
    return rule;
}
constexpr FieldRule later(FieldRule rule) {
    rule.presence = Presence::unless_default;
    return rule;
}

constexpr FieldRule any{};
constexpr FieldRule words = texts(limits::argv_count, limits::spec_text_bytes);
constexpr FieldRule account = text(limits::account_bytes);

/// No fields for a struct that is not described.
template <class T>
inline constexpr std::tuple<> fields{};

template <>
inline constexpr std::tuple fields<UpdatePolicy>{
    Field{"max_surge", &UpdatePolicy::max_surge, number(limits::instances_per_task)},
    Field{"max_unavailable", &UpdatePolicy::max_unavailable, number(limits::instances_per_task)},
    Field{"min_healthy_ms", &UpdatePolicy::min_healthy, later(any)},
};

template <>
inline constexpr std::tuple fields<RestartRule>{
    Field{"policy", &RestartRule::policy, later(any)},
    Field{"backoff_ms", &RestartRule::backoff, later(any)},
    Field{"max", &RestartRule::max, later(number(1, limits::starts_most))},
    Field{"window_ms", &RestartRule::window, later(any)},
};

template <>
inline constexpr std::tuple fields<Rlimit>{
    Field{"soft", &Rlimit::soft, required(any)},
    Field{"hard", &Rlimit::hard, required(any)},
};

template <>
inline constexpr std::tuple fields<CgroupLimits>{
    Field{"cpu_milli", &CgroupLimits::cpu_milli, number(limits::cpu_milli)},
    Field{"memory_bytes", &CgroupLimits::memory_bytes, number(limits::memory_bytes)},
    Field{"pids", &CgroupLimits::pids, number(limits::cgroup_pids)},
};

template <>
inline constexpr std::tuple fields<LogRule>{
    Field{"max_bytes", &LogRule::max_bytes,
          number(limits::log_bytes_least, limits::log_bytes_most)},
    Field{"max_age_ms", &LogRule::max_age},
};

template <>
inline constexpr std::tuple fields<Resources>{
    Field{"cpu_milli", &Resources::cpu_milli, number(limits::cpu_milli)},
    Field{"memory_bytes", &Resources::memory_bytes, number(limits::memory_bytes)},
    Field{"slots", &Resources::slots, number(limits::instances_per_node)},
};

/// The order is that of digests: new fields come last.
template <>
inline constexpr std::tuple fields<TaskSpec>{
    Field{"argv", &TaskSpec::argv, required(words)},
    Field{"env", &TaskSpec::env, texts(limits::env_count, limits::spec_text_bytes)},
    Field{"workdir", &TaskSpec::workdir, text(limits::path_bytes)},
    Field{"stop_signal", &TaskSpec::stop_signal, text(limits::name_bytes)},
    Field{"grace_ms", &TaskSpec::grace},
    Field{"restart", &TaskSpec::restart},
    Field{"max_per_node", &TaskSpec::max_per_node, number(1, limits::instances_per_node)},
    Field{"update", &TaskSpec::update},
    Field{"env_files", &TaskSpec::env_files, later(texts(limits::env_files, limits::path_bytes))},
    Field{"user", &TaskSpec::user, later(account)},
    Field{"user_group", &TaskSpec::user_group, later(account)},
    Field{"umask", &TaskSpec::umask, later({.octal = true})},
    Field{"nice", &TaskSpec::nice, later(number(limits::nice_least, limits::nice_most))},
    Field{"rlimits", &TaskSpec::rlimits, later(texts(limits::rlimits, limits::name_bytes))},
    Field{"limits", &TaskSpec::limits, later(any)},
    Field{"start_timeout_ms", &TaskSpec::start_timeout, later(any)},
    Field{"pre_start", &TaskSpec::pre_start, later(words)},
    Field{"post_stop", &TaskSpec::post_stop, later(words)},
    Field{"secrets", &TaskSpec::secrets, later(texts(limits::secrets, limits::name_bytes))},
    Field{"exclusive", &TaskSpec::exclusive, later(any)},
    Field{"log", &TaskSpec::log, later(any)},
    Field{"sandbox", &TaskSpec::sandbox, later(any)},
    Field{"cluster_secrets", &TaskSpec::cluster_secrets,
          later(texts(limits::cluster_secrets, limits::name_bytes))},
    Field{"signature", &TaskSpec::signature, later(text(limits::signature_bytes))},
};

template <>
inline constexpr std::tuple fields<PlacementRule>{
    Field{"pool", &PlacementRule::pool, FieldRule{.bytes = limits::name_bytes, .is_name = true}},
    Field{"constraints", &PlacementRule::constraints,
          texts(limits::constraints, limits::constraint_bytes)},
    Field{"resources", &PlacementRule::request},
    Field{"spread", &PlacementRule::spread, text(limits::name_bytes)},
    Field{"group", &PlacementRule::group, text(limits::name_bytes)},
    Field{"every_node", &PlacementRule::every_node},
    Field{"pinned", &PlacementRule::pinned},
    Field{"priority", &PlacementRule::priority, number(-limits::priority, limits::priority)},
    Field{"reschedule_after_ms", &PlacementRule::reschedule_after},
    Field{"reconcile", &PlacementRule::reconcile},
};

}  // namespace description

template <class T>
concept Described = std::tuple_size_v<std::remove_cvref_t<decltype(description::fields<T>)>> >
0;

/// Calls `visit(field)` for each, in their order.
template <Described T>
constexpr void for_each_field(auto visit) {
    std::apply([&](const auto&... field) { (visit(field), ...); }, description::fields<T>);
}

/// The fields that differ, by their names in a task file.
template <Described T>
[[nodiscard]] std::vector<std::string> differing_fields(const T& before, const T& after) {
    std::vector<std::string> names;
    for_each_field<T>([&](const auto& field) {
        if (!(before.*field.member == after.*field.member)) {
            names.emplace_back(field.name());
        }
    });
    return names;
}

namespace description {

struct Anything {
    template <class T>
    operator T() const;  // NOLINT(google-explicit-constructor): it stands for any member.
};

template <class T, class... Members>
consteval std::size_t count_members() {
    if constexpr (requires { T{Members{}..., Anything{}}; }) {
        return count_members<T, Members..., Anything>();
    }
    return sizeof...(Members);
}

template <class... T>
consteval bool describe_each_member() {
    return ((std::tuple_size_v<std::remove_cvref_t<decltype(description::fields<T>)>> ==
             count_members<T>()) &&
            ...);
}
static_assert(describe_each_member<UpdatePolicy, RestartRule, Rlimit, CgroupLimits, LogRule,
                                   Resources, TaskSpec, PlacementRule>(),
              "every member has its line in the description");

}  // namespace description

}  // namespace muster
