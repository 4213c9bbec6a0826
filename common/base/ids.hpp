#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

/// The ids of muster, a type for each, so that they cannot be confused.
namespace muster {

/// Number of a leadership; strictly increasing; the fencing token in every command.
enum class Epoch : std::uint64_t {};
/// Number of one control cycle within a leadership. 0: not an answer to a poll.
enum class Round : std::uint64_t {};
/// Number of one life of an agent process; grows at every start. 0: none yet.
enum class Incarnation : std::uint64_t {};
/// A value of the cluster's one durable counter of changes. A task's generation is such a number.
enum class Generation : std::uint64_t {};
/// Counts the changes of a node's instances within one incarnation. 0: no instances held.
enum class Revision : std::uint64_t {};
/// Number of a batch of commands, per life of a node and epoch. 0: none yet.
enum class Sequence : std::uint64_t {};
/// Number of a request to an agent on behalf of an operator, per leadership. 0: none yet.
enum class AgentCallNumber : std::uint64_t {};
/// Position of a node or a task in the coordinator's dense tables. Never leaves the process.
enum class NodeIndex : std::uint32_t {};
enum class TaskIndex : std::uint32_t {};
/// One instance among a task's `instances`; stable for its life.
using Ordinal = std::uint32_t;

/// The number in an opaque id.
template <class Id>
    requires std::is_enum_v<Id>
[[nodiscard]] constexpr auto raw(Id id) { return static_cast<std::underlying_type_t<Id>>(id); }

/// The id after this one.
template <class Id>
    requires std::is_enum_v<Id>
[[nodiscard]] constexpr Id next(Id id) { return static_cast<Id>(raw(id) + 1); }

/// A 128-bit id with a type of its own. Its text form is 32 lower-case hexadecimal digits.
template <class Tag>
struct Id128 {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    friend constexpr bool operator==(const Id128&, const Id128&) = default;
    friend constexpr auto operator<=>(const Id128&, const Id128&) = default;
    [[nodiscard]] constexpr bool is_none() const { return high == 0 && low == 0; }
};

using ClusterId = Id128<struct ClusterTag>;  ///< Made once, with the store.
using LeaderId = Id128<struct LeaderTag>;    ///< Random, of one leadership.
using LifeId = Id128<struct LifeTag>;        ///< Random, of one start of an agent process.
using BootId = Id128<struct BootTag>;        ///< The kernel's id of one boot of a host.
using RequestId = Id128<struct RequestTag>;  ///< UUIDv7 made by the client: time-ordered.
using Digest = Id128<struct DigestTag>;      ///< Of a task's spec or a request.

namespace detail {
[[nodiscard]] std::string hex(std::uint64_t high, std::uint64_t low);
[[nodiscard]] std::optional<std::array<std::uint64_t, 2>> parse_hex(std::string_view text);
}  // namespace detail

template <class Tag>
[[nodiscard]] std::string to_string(const Id128<Tag>& id) {
    return detail::hex(id.high, id.low);
}

/// Reads 32 hexadecimal digits; dashes as in a UUID are tolerated. Nothing for any other text.
template <class Id>
[[nodiscard]] std::optional<Id> parse_id(std::string_view text) {
    const auto halves = detail::parse_hex(text);
    return halves ? std::optional{Id{(*halves)[0], (*halves)[1]}} : std::nullopt;
}

/// One wanted copy of a task, written `web.0`.
struct InstanceId {
    std::string task;
    Ordinal ordinal = 0;

    friend bool operator==(const InstanceId&, const InstanceId&) = default;
    friend auto operator<=>(const InstanceId&, const InstanceId&) = default;
};

[[nodiscard]] std::string to_string(const InstanceId& id);
/// Splits `web.3`. Nothing: it is not an instance.
[[nodiscard]] std::optional<InstanceId> parse_instance(std::string_view text);

/// The rule for every name an operator or an agent gives: `^[a-z0-9][a-z0-9._-]{0,62}$`, no `..`.
[[nodiscard]] bool is_valid_name(std::string_view name);
/// The rule in words, for error messages.
[[nodiscard]] std::string_view name_rule();

}  // namespace muster

template <class Tag>
struct std::hash<muster::Id128<Tag>> {
    std::size_t operator()(const muster::Id128<Tag>& id) const noexcept {
        return static_cast<std::size_t>(id.high ^ (id.low * 0x9e3779b97f4a7c15ULL));
    }
};
