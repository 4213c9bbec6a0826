#include <array>
#include <pwd.h>
#include <span>
#include <string>
#include <unistd.h>
#include <utility>

#include "cli/subjects/requests.hpp"
#include "common/base/process.hpp"
#include "common/config/spec_toml.hpp"
#include "common/spec/duration.hpp"

namespace muster::cli {

namespace {

/// The author of a change: the user and the host of this process.
std::string author_of_process() {
    std::array<char, 4096> text{};
    passwd entry{};
    passwd* found = nullptr;
    const int failed = getpwuid_r(getuid(), &entry, text.data(), text.size(), &found);
    const bool is_named = failed == 0 && found != nullptr;
    const std::string host = host_name();
    return (is_named ? std::string{found->pw_name} : std::to_string(getuid())) +
           (host.empty() ? "" : "@" + host);
}

}  // namespace

Occasion occasion_of(const CommandLine& line) {
    return {.reason = line.value("--reason").value_or(""), .author = author_of_process()};
}

namespace {

Made drain_request(const CommandLine& line) {
    NodeDrainRequest request{
        .pattern = line.arguments[0], .force = line.has("--force"), .why = occasion_of(line)};
    if (const auto text = line.value("--deadline")) {
        const auto deadline = parse_duration(*text);
        if (!deadline || *deadline <= Duration{}) {
            return usage("--deadline: " +
                         (deadline ? "write more than 0s" : deadline.error().detail));
        }
        request.deadline_ms = static_cast<std::uint64_t>(to_ms(*deadline));
    }
    return request;
}

Made names_to_add(const CommandLine& line) {
    NodeAddRequest request{.nodes = {}, .why = occasion_of(line)};
    for (const std::string& name : line.arguments) {
        request.nodes.push_back({.name = name, .pool = line.value("--pool").value_or("")});
    }
    return request;
}

Made list_of_nodes(const CommandLine& line) {
    return rows_of_file(line, nodes_from_toml).map([&](auto nodes) -> RequestBody {
        return NodeApplyRequest{.nodes = std::move(nodes),
                                .force = line.has("--force"),
                                .dry_run = line.has("--dry-run"),
                                .why = occasion_of(line)};
    });
}

Made limit_request(const CommandLine& line) {
    LimitSetRequest request{.name = line.arguments[0]};
    if (line.arguments[1] == "none") {
        return request;
    }
    const auto number = number_of<std::uint32_t>("VALUE", line.arguments[1]);
    if (!number) {
        return usage(number.error().error.detail + "; 'none' removes the limit");
    }
    request.value = *number;
    return request;
}

/// A change of the matching nodes.
template <class Request>
Made intent(const CommandLine& line) {
    return Request{.pattern = line.arguments[0], .why = occasion_of(line)};
}

Made remove_request(const CommandLine& line) {
    return NodeRemoveRequest{line.arguments[0], line.has("--force"), occasion_of(line)};
}

template <class Request>
Made freeze_request(const CommandLine& line) {
    return Request{occasion_of(line)};
}

constexpr std::array requests{
    OwnRequest{Verb::node_offline, intent<NodeOfflineRequest>},
    OwnRequest{Verb::node_online, intent<NodeOnlineRequest>},
    OwnRequest{Verb::node_drain, drain_request},
    OwnRequest{Verb::node_forgive, intent<NodeForgiveRequest>},
    OwnRequest{Verb::node_add, names_to_add},
    OwnRequest{Verb::node_remove, remove_request},
    OwnRequest{Verb::node_apply, list_of_nodes},
    OwnRequest{Verb::freeze_on, freeze_request<FreezeOnRequest>},
    OwnRequest{Verb::freeze_off, freeze_request<FreezeOffRequest>},
    OwnRequest{Verb::limit_set, limit_request},
};

}  // namespace

std::span<const OwnRequest> node_requests() { return requests; }

}  // namespace muster::cli
