#include <array>
#include <string>

#include "cli/subjects/requests.hpp"
#include "common/crypto/secret_box.hpp"
#include "common/spec/duration.hpp"

namespace muster::cli {

namespace {

/// The time of an option in milliseconds.
tl::expected<std::uint64_t, BadRequest> time_of(const CommandLine& line, const std::string& option,
                                                std::uint64_t otherwise) {
    const auto text = line.value(option);
    if (!text) {
        return otherwise;
    }
    const auto time = parse_duration(*text);
    if (!time || *time <= Duration{}) {
        return usage(option + ": " + (time ? "write more than 0s" : time.error().detail));
    }
    return static_cast<std::uint64_t>(to_ms(*time));
}

Made key_to_add(const CommandLine& line) {
    const auto role = value_named<Role>(line.arguments[1]);
    if (!role) {
        return usage("ROLE is one of " + muster::names_of<Role>() + ", not '" + line.arguments[1] +
                     "'");
    }
    return time_of(line, "--expires", 0).map([&](std::uint64_t valid) -> RequestBody {
        return KeyAddRequest{.name = line.arguments[0],
                             .role = *role,
                             .key = line.arguments[2],
                             .valid_ms = valid,
                             .pools = line.values("--pool"),
                             .tasks = line.values("--task"),
                             .why = occasion_of(line)};
    });
}

Made audit(const CommandLine& line) {
    AuditShowRequest request;
    if (const auto since = line.value("--since")) {
        const auto number = number_of<std::uint64_t>("--since", *since);
        if (!number) {
            return tl::unexpected(number.error());
        }
        request.since = *number;
    }
    return request;
}

Made whole_audit(const CommandLine& /*line*/) { return AuditShowRequest{.since = 0}; }

/// Without the hash of its secret, which is made when it is sent.
Made token(const CommandLine& line) {
    const auto uses = number_of<std::uint32_t>("--uses", line.value("--uses").value_or("1"));
    if (!uses) {
        return tl::unexpected(uses.error());
    }
    return time_of(line, "--ttl", TokenCreateRequest{}.ttl_ms)
        .map([&](std::uint64_t ttl) -> RequestBody {
            return TokenCreateRequest{.pattern = line.value("--node").value_or("*"),
                                      .hash = {},
                                      .ttl_ms = ttl,
                                      .uses = *uses,
                                      .why = occasion_of(line)};
        });
}

/// A change of what the first argument names.
template <class Request>
Made change(const CommandLine& line) {
    return Request{line.arguments[0], occasion_of(line)};
}

/// Without a name only a key of this user is replaced, and its request is made when it is sent.
Made key_to_rotate(const CommandLine& line) {
    return KeyRotateRequest{line.arguments.empty() ? "" : line.arguments[0], occasion_of(line)};
}

/// The value comes from a file or standard input, because others can read arguments.
Made secret_to_set(const CommandLine& line) {
    auto value = read_file(line.value("--file").value_or("-"), limits::cluster_secret_bytes);
    if (!value) {
        return bad_content(value.error());
    }
    SecretSetRequest request{
        .name = line.arguments[0], .value = base64_of(*value), .why = occasion_of(line)};
    wipe(*value);
    return request;
}

Made node_to_accept(const CommandLine& line) {
    return NodeAcceptRequest{line.arguments[0], line.arguments[1], occasion_of(line)};
}

constexpr std::array requests_of_keys{
    OwnRequest{Verb::key_add, key_to_add},
    OwnRequest{Verb::key_revoke, change<KeyRevokeRequest>},
    OwnRequest{Verb::key_remove, change<KeyRemoveRequest>},
    OwnRequest{Verb::key_rotate, key_to_rotate},
    OwnRequest{Verb::node_accept, node_to_accept},
    OwnRequest{Verb::token_create, token},
    OwnRequest{Verb::token_revoke, change<TokenRevokeRequest>},
    OwnRequest{Verb::secret_set, secret_to_set},
    OwnRequest{Verb::secret_remove, change<SecretRemoveRequest>},
    OwnRequest{Verb::audit_show, audit},
    OwnRequest{Verb::audit_export, whole_audit},
};

}  // namespace

std::span<const OwnRequest> key_requests() { return requests_of_keys; }

}  // namespace muster::cli
