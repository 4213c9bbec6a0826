#include "cli/subjects/requests.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "cli/screen/text.hpp"
#include "common/base/ensure.hpp"
#include "common/base/ids.hpp"
#include "common/codec/codec.hpp"
#include "common/config/spec_toml.hpp"
#include "common/crypto/signature.hpp"
#include "common/net/host/clock.hpp"
#include "common/spec/duration.hpp"
#include "common/spec/signed_spec.hpp"
#include "common/text/pattern.hpp"

namespace muster::cli {

namespace {

Made tasks_of_file(const CommandLine& line) {
    if (line.values("--file").size() > 1) {
        return usage("--file is given twice; give one file with all tasks to 'muster " +
                     std::string{entry_of(line.verb).words} + "'");
    }
    std::optional<KeyPair> signer;
    if (const auto path = line.value("--sign")) {
        auto read = read_signer_file(*path);
        if (!read) {
            return bad_content(read.error());
        }
        signer = std::move(*read);
    }
    return rows_of_file(line, tasks_from_toml).map([&](auto tasks) -> RequestBody {
        if (signer) {
            for (WantedTask& task : tasks) {
                task.spec.signature = sign(*signer, signed_bytes(task.name, task.spec));
            }
        }
        return ApplyRequest{.tasks = std::move(tasks),
                            .replace = line.has("--replace"),
                            .dry_run = line.verb == Verb::plan,
                            .force = line.has("--force")};
    });
}

Made status(const CommandLine& line) {
    if (!line.has("--reported")) {
        return StatusRequest{};
    }
    if (line.has("--check")) {
        return usage("--check and --reported exclude each other: use one of them");
    }
    return ReportedRequest{};
}

Made plan(const CommandLine& line) {
    const bool asks_what_if = line.has("--fail") || line.has("--without-task") ||
                              line.has("--add-nodes") || line.has("--rebalance");
    if (!asks_what_if) {
        return tasks_of_file(line);
    }
    if (line.has("--file") || line.has("--replace") || line.has("--sign")) {
        return usage(
            "--file, --replace and --sign cannot be combined with --fail, --without-task, "
            "--add-nodes "
            "or --rebalance; ask one question at a time");
    }
    for (const std::string& selector : line.values("--fail")) {
        const auto equals = selector.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == selector.size()) {
            return usage("--fail is node=PATTERN, or LABEL=PATTERN as in rack=r3; not '" +
                         selector + "'");
        }
    }
    const auto add = number_of<std::uint32_t>(
        "--add-nodes", line.value("--add-nodes").value_or("0"), limits::nodes);
    if (!add) {
        return tl::unexpected(add.error());
    }
    return PlanRequest{.fail = line.values("--fail"),
                       .without_tasks = line.values("--without-task"),
                       .add_nodes = *add,
                       .rebalance = line.has("--rebalance")};
}

Made scale(const CommandLine& line) {
    return number_of<std::uint32_t>("INSTANCES", line.arguments[1], limits::instances_per_task)
        .map([&](std::uint32_t instances) -> RequestBody {
            return TaskScaleRequest{.pattern = line.arguments[0], .instances = instances};
        });
}

Made events(const CommandLine& line) {
    const std::string since = line.value("--since").value_or("0");
    if (const auto sequence = number_in<std::uint64_t>(since)) {
        return EventsRequest{.since = *sequence};
    }
    // The coordinator counts events, so a time is searched in its answer.
    return parse_since(since, net::civil_now())
        .map([](CivilMs) -> RequestBody { return EventsRequest{}; })
        .map_error([](const Error& error) {
            return usage("--since: " + error.detail + ", or a sequence number").value();
        });
}

/// A name that is not valid is not found; a pattern that is not valid is an error of the command
/// line.
tl::expected<void, BadRequest> check_pattern(const CommandLine& line) {
    const Words kind = entry_of(line.verb).argument_words;
    if (line.arguments.empty() || (kind != Words::node && kind != Words::task)) {
        return {};
    }
    const std::string& text = line.arguments[0];
    if (text.empty() || !pattern::is_name(text)) {
        if (auto checked = pattern::check(text); !checked) {
            return usage(checked.error().detail);
        }
    }
    return {};
}

Made wait(const CommandLine& line) {
    return WaitRequest{.pattern = line.arguments[0], .finished = line.has("--finished")};
}

Made demand_set(const CommandLine& line) {
    DemandSetRequest request{.reporter = line.arguments[1], .needs = {{.pool = line.arguments[0]}}};
    if (const auto ttl = line.value("--ttl")) {
        const auto lasts = parse_duration(*ttl);
        if (!lasts) {
            return usage("--ttl: " + lasts.error().detail);
        }
        request.ttl_ms = static_cast<std::uint64_t>(to_ms(*lasts));
    }
    return number_of<std::uint64_t>("AMOUNT", line.arguments[2], limits::demand_amount)
        .map([&](std::uint64_t amount) -> RequestBody {
            request.needs.front().amount = amount;
            return request;
        });
}

template <class Request>
Made define_pool(const CommandLine& line) {
    Request request{.name = line.arguments[0], .why = occasion_of(line)};
    return read_pool_options(line, request.changes).map([&]() -> RequestBody { return request; });
}

template <class Request>
Made with_reason(const CommandLine& line) {
    return Request{.name = line.arguments[0], .why = occasion_of(line)};
}

Made logs(const CommandLine& line) {
    LogsRequest request{.instance = line.arguments[0],
                        .node = line.value("--node").value_or(""),
                        .stream = line.has("--stderr") ? LogStream::err : LogStream::out};
    if (const auto text = line.value("--since")) {
        const CivilMs now = net::civil_now();
        const auto since = parse_since(*text, now);
        if (!since) {
            return usage("--since: " + since.error().detail);
        }
        request.since_ms = static_cast<std::uint64_t>(raw(now) - raw(*since));
    }
    return request;
}

Made top(const CommandLine& line) {
    return UsageRequest{line.value("--node").value_or("*"),
                        line.arguments.empty() ? "*" : line.arguments[0]};
}

Made store_accept(const CommandLine& line) { return StoreAcceptRequest{line.has("--dry-run")}; }
Made upgrade_finish(const CommandLine& line) { return UpgradeFinishRequest{line.has("--dry-run")}; }

/// One by its name; for a pattern, the list of all that match.
template <class One, class All>
Made show(const CommandLine& line) {
    constexpr std::string_view thing = std::is_same_v<One, NodeShowRequest> ? "node" : "task";
    const std::string& name = line.arguments[0];
    if (!pattern::is_name(name)) {
        return All{name};
    }
    if (!is_valid_name(name)) {
        return bad_content({Errc::not_found, "no " + std::string{thing} + " is called '" + name +
                                                 "': " + std::string{name_rule()}});
    }
    return One{name};
}

template <Subject Of>
Made explain(const CommandLine& line) {
    return ExplainRequest{Of, line.arguments[0]};
}

/// Requests that options or files define in part. The arguments of all others are the words of a
/// text request.
constexpr std::array own_requests{
    OwnRequest{Verb::apply, tasks_of_file},
    OwnRequest{Verb::plan, plan},
    OwnRequest{Verb::explain_instance, explain<Subject::instance>},
    OwnRequest{Verb::explain_task, explain<Subject::task>},
    OwnRequest{Verb::explain_node, explain<Subject::node>},
    OwnRequest{Verb::explain, explain<Subject::any>},
    OwnRequest{Verb::status, status},
    OwnRequest{Verb::node_show, show<NodeShowRequest, NodeListRequest>},
    OwnRequest{Verb::task_show, show<TaskShowRequest, TaskListRequest>},
    OwnRequest{Verb::task_add, request_to_add},
    OwnRequest{Verb::task_scale, scale},
    OwnRequest{Verb::demand_set, demand_set},
    OwnRequest{Verb::pool_create, define_pool<PoolCreateRequest>},
    OwnRequest{Verb::pool_set, define_pool<PoolSetRequest>},
    OwnRequest{Verb::pool_remove, with_reason<PoolRemoveRequest>},
    OwnRequest{Verb::pool_pause, with_reason<PoolPauseRequest>},
    OwnRequest{Verb::pool_resume, with_reason<PoolResumeRequest>},
    OwnRequest{Verb::explain_pool, explain<Subject::pool>},
    OwnRequest{Verb::wait, wait},
    OwnRequest{Verb::logs, logs},
    OwnRequest{Verb::top, top},
    OwnRequest{Verb::events, events},
    OwnRequest{Verb::store_accept, store_accept},
    OwnRequest{Verb::upgrade_finish, upgrade_finish},
};

}  // namespace

Made request_of(const CommandLine& line) {
    if (auto checked = check_pattern(line); !checked) {
        return tl::unexpected(checked.error());
    }
    for (const auto requests :
         {std::span<const OwnRequest>{own_requests}, node_requests(), key_requests()}) {
        const auto own = std::ranges::find(requests, line.verb, &OwnRequest::verb);
        if (own != requests.end()) {
            return own->make(line);
        }
    }
    const std::vector<std::string_view> words{line.arguments.begin(), line.arguments.end()};
    auto request = codec::request_from_words(entry_of(line.verb).words, words);
    ensure(request.has_value(), "only verbs that ask the coordinator become requests");
    if (!*request) {
        return bad_content((*request).error());
    }
    return std::move((*request)->body);
}

}  // namespace muster::cli
