#pragma once

#include <concepts>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cli/command_line.hpp"
#include "common/base/limits.hpp"
#include "common/base/number.hpp"
#include "common/base/read_file.hpp"
#include "common/base/result.hpp"
#include "common/messages/operator.hpp"

/// How the command line becomes a request.
namespace muster::cli {

/// A request that cannot be made. The fault lies in the command line (exit code 2) or in its input,
/// such as a task file.
struct BadRequest {
    bool usage = true;
    Error error;
};

using Made = tl::expected<RequestBody, BadRequest>;

[[nodiscard]] inline tl::unexpected<BadRequest> usage(std::string detail) {
    return tl::unexpected(BadRequest{true, {Errc::invalid, std::move(detail)}});
}

[[nodiscard]] inline tl::unexpected<BadRequest> bad_content(Error error) {
    return tl::unexpected(BadRequest{false, std::move(error)});
}

template <std::integral Number>
[[nodiscard]] tl::expected<Number, BadRequest> number_of(
    const std::string& what, const std::string& text,
    Number most = std::numeric_limits<Number>::max()) {
    const auto number = number_in<Number>(text);
    if (!number || *number > most) {
        return usage(what + " is a number from " +
                     std::to_string(std::numeric_limits<Number>::min()) + " to " +
                     std::to_string(most) + ", not '" + text + "'");
    }
    return *number;
}

/// The rows that `read` finds in the file of --file.
template <class Rows>
[[nodiscard]] tl::expected<Rows, BadRequest> rows_of_file(
    const CommandLine& line, Result<Rows> (*read)(std::string_view text, std::string_view file)) {
    const auto path = line.value("--file");
    if (!path) {
        return usage("which file? It is 'muster " + std::string{entry_of(line.verb).words} +
                     " -f FILE', and - is standard input");
    }
    return read_file(*path, limits::upload_bytes)
        .and_then([&](const std::string& text) {
            return read(text, *path == "-" ? "standard input" : *path);
        })
        .map_error([](const Error& error) { return bad_content(error).value(); });
}

/// How the request of a verb is made.
struct OwnRequest {
    Verb verb;
    Made (*make)(const CommandLine& line);
};

/// Requests about nodes, and settings with a reason.
[[nodiscard]] std::span<const OwnRequest> node_requests();

/// The author, and the reason of --reason.
[[nodiscard]] Occasion occasion_of(const CommandLine& line);

/// The members of a pool's definition that options set.
[[nodiscard]] tl::expected<void, BadRequest> read_pool_options(const CommandLine& line,
                                                               PoolChanges& changes);

/// Requests about keys and tokens.
[[nodiscard]] std::span<const OwnRequest> key_requests();

/// `task add`.
[[nodiscard]] Made request_to_add(const CommandLine& line);

/// The request of the command line; for `show` with a pattern the matches must be listed first.
/// `apply`, `plan` and `task add` are read and checked here, so that the fault of a bad file has
/// its line, and the file never leaves this host.
[[nodiscard]] Made request_of(const CommandLine& line);

}  // namespace muster::cli
