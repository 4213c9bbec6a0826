#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "common/base/limits.hpp"
#include "common/base/names.hpp"

namespace muster {

/// Failures that a peer, an operator or the kernel can cause. Our own bug is not an Errc: see
/// ensure(). Each has a stable code on the wire, which is its name here.
enum class Errc : std::uint8_t {
    malformed,            ///< The bytes are not one of our messages.
    unsupported_version,  ///< A sound message of a protocol we do not speak.
    too_large,            ///< Over a limit of common/base/limits.hpp; the text names it.
    unknown_verb,         ///< No such request; the text lists similar ones.
    invalid,              ///< Well formed, but against a rule; the text says which.
    not_found,            ///< No such node, task or instance.
    exists,               ///< Added, but already there.
    conflict,             ///< The request id was used for another request.
    stale_request,        ///< The request id is older than our memory, or from the future.
    busy,                 ///< A bounded queue is full; try again.
    timeout,              ///< A wait ran out of time.
    halted,               ///< The awaited state cannot come: the roll-out is halted.
    store_failed,         ///< The store could not make it durable; nothing was changed.
    refused,              ///< Understood and possible, but not allowed now.
    denied,               ///< Not allowed with this key.
    not_leader,           ///< This coordinator does not lead.
    unreachable,          ///< No answer from the other side.
    hello_required,       ///< This route has not sent a hello.
    name_in_use,          ///< Another live agent has that name.
    stale_incarnation,    ///< A new life must have a higher incarnation.
    stale_epoch,          ///< The sender does not know the present leader.
    foreign_cluster,      ///< A message of another cluster.
    spec_unknown,         ///< A start names a spec the agent does not hold.
    spec_unsupported,     ///< The agent's host cannot honour the spec, or its policy forbids it.
    lease_over,           ///< A start came after the end of its lease.
    io,                   ///< The kernel reported an error; the text says for what.
};

/// The stable codes.
template <>
inline constexpr auto enum_names<Errc> = name_list(
    "malformed", "unsupported_version", "too_large", "unknown_verb", "invalid", "not_found",
    "exists", "conflict", "stale_request", "busy", "timeout", "halted", "store_failed", "refused",
    "denied", "not_leader", "unreachable", "hello_required", "name_in_use", "stale_incarnation",
    "stale_epoch", "foreign_cluster", "spec_unknown", "spec_unsupported", "lease_over", "io");

struct Error {
    Errc code = Errc::malformed;
    std::string detail;  ///< One sentence for a person. Never parsed, never compared.

    friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = tl::expected<T, Error>;

/// A count above its limit, for an error: `5 words; at most 4 are allowed`.
[[nodiscard]] inline std::string too_many(std::size_t count, std::string_view of,
                                          std::size_t most) {
    return std::to_string(count) + ' ' + std::string{of} + "; at most " + std::to_string(most) +
           " are allowed";
}

/// Foreign text for an error, in quotes and cut.
[[nodiscard]] inline std::string in_quotes(std::string_view text) {
    return '\'' + std::string{text.substr(0, limits::name_bytes)} + '\'';
}

/// Makes the failing half of a Result.
[[nodiscard]] inline tl::unexpected<Error> fail(Errc code, std::string detail) {
    return tl::unexpected<Error>{Error{code, std::move(detail)}};
}

}  // namespace muster
