#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/codec/codec.hpp"
#include "common/codec/fields/operator.hpp"
#include "common/codec/shapes/printed_text.hpp"
#include "common/codec/verbs.hpp"
#include "common/config/spec_toml.hpp"

namespace muster::codec {

namespace {

using Words = std::span<const std::string_view>;

template <class N>
bool read_number(std::string_view word, N& into) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), into);
    return error == std::errc{} && end == word.data() + word.size();
}

// Each read() takes the words behind the verb. False: they do not fit the verb's usage.

template <class T>
bool read(Words words, T&) requires std::is_empty_v<T> {
    return words.empty();
}

template <class T>
bool read(Words words, T& request) requires(std::is_same_v<T, NodeListRequest> ||
                                            std::is_same_v<T, TaskListRequest> ||
                                            std::is_same_v<T, ReportedRequest> ||
                                            std::is_same_v<T, GroupListRequest>) {
    if (words.size() == 1) {
        request.pattern = words[0];
    }
    return words.size() <= 1;
}

template <class T>
bool read(Words words, T& request) requires(std::is_same_v<T, NodeShowRequest> ||
                                            std::is_same_v<T, TaskShowRequest> ||
                                            std::is_same_v<T, GroupShowRequest>) {
    if (words.size() != 1) {
        return false;
    }
    request.name = words[0];
    return true;
}

template <class T>
bool read(Words words, T& request) requires(std::is_same_v<T, TaskRemoveRequest> ||
                                            std::is_same_v<T, TaskRestartRequest> ||
                                            std::is_same_v<T, NodeOfflineRequest> ||
                                            std::is_same_v<T, NodeOnlineRequest> ||
                                            std::is_same_v<T, NodeForgiveRequest> ||
                                            std::is_same_v<T, NodeRemoveRequest>) {
    if (words.size() != 1) {
        return false;
    }
    request.pattern = words[0];
    return true;
}

// Why and by whom is for those who can say it in a message.
bool read(Words words, FreezeOnRequest&) { return words.empty(); }
bool read(Words words, FreezeOffRequest&) { return words.empty(); }

bool read(Words words, EventsRequest& request) {
    return words.size() <= 2 && (words.empty() || read_number(words[0], request.since)) &&
           (words.size() < 2 || read_number(words[1], request.limit));
}

bool read(Words words, WaitRequest& request) {
    if (words.empty() || words.size() > 2) {
        return false;
    }
    request.pattern = words[0];
    if (words.size() == 2) {
        const auto timeout = parse_duration(words[1]);
        if (!timeout || *timeout > limits::wait_max) {
            return false;
        }
        request.timeout_ms = static_cast<std::uint32_t>(to_ms(*timeout));
    }
    return true;
}

// A task with a spec of its own needs more than a line.
bool read(Words, ApplyRequest&) { return false; }
bool read(Words, NodeApplyRequest&) { return false; }

bool read(Words words, NodeDrainRequest& request) {
    if (words.empty() || words.size() > 2) {
        return false;
    }
    request.pattern = words[0];
    if (words.size() == 2) {
        const auto deadline = parse_duration(words[1]);
        if (!deadline) {
            return false;
        }
        request.deadline_ms = static_cast<std::uint64_t>(to_ms(*deadline));
    }
    return true;
}

bool read(Words words, NodeAddRequest& request) {
    for (const std::string_view word : words) {
        request.nodes.push_back({.name = std::string{word}});
    }
    return !words.empty();
}

bool read(Words words, LimitSetRequest& request) {
    if (words.size() != 2) {
        return false;
    }
    request.name = words[0];
    return words[1] == "none" || read_number(words[1], request.value.emplace());
}

bool read(Words words, TaskAddRequest& request) {
    if (words.size() < 3 || !read_number(words[1], request.task.instances)) {
        return false;
    }
    request.task.name = words[0];
    request.task.spec.argv.assign(words.begin() + 2, words.end());
    return true;
}

bool read(Words words, TaskScaleRequest& request) {
    if (words.size() != 2 || !read_number(words[1], request.instances)) {
        return false;
    }
    request.pattern = words[0];
    return true;
}

bool read(Words words, LogsRequest& request) {
    if (words.empty() || words.size() > 2) {
        return false;
    }
    request.instance = words[0];
    return words.size() == 1 || enum_from(words[1], request.stream);
}

bool read(Words words, TaskSignalRequest& request) {
    if (words.size() != 2) {
        return false;
    }
    request.pattern = words[0];
    request.signal = words[1];
    return true;
}

bool read(Words words, UsageRequest& request) {
    if (!words.empty()) {
        request.nodes = words[0];
    }
    if (words.size() == 2) {
        request.tasks = words[1];
    }
    return words.size() <= 2;
}

bool read(Words words, StoreAcceptRequest& request) {
    request.dry_run = words.size() == 1 && words[0] == "dry-run";
    return words.empty() || request.dry_run;
}

bool read(Words words, LogLevelRequest& request) {
    if (words.size() != 1) {
        return false;
    }
    request.level = words[0];
    return true;
}

bool read(Words words, ExplainRequest& request) {
    if (words.size() != 2 || !enum_from(words[0], request.subject)) {
        return false;
    }
    request.name = words[1];
    return true;
}

bool read(Words words, PlanRequest& request) {
    while (!words.empty()) {
        const auto what = words.front();
        words = words.subspan(1);
        if (what == "rebalance") {
            request.rebalance = true;
            continue;
        }
        if (words.empty()) {
            return false;
        }
        if (what == "fail") {
            request.fail.emplace_back(words.front());
        } else if (what == "without") {
            request.without_tasks.emplace_back(words.front());
        } else if (what != "add" || !read_number(words.front(), request.add_nodes)) {
            return false;
        }
        words = words.subspan(1);
    }
    return true;
}

std::string_view usage_of(std::string_view verb) {
    const auto& all = verbs().verbs;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& help) { return help.verb == verb; });
    return found->usage;
}

/// What was typed has the bounds of what is sent: they are written down once.
Result<Request> within_bounds(const Request& request) {
    std::string frame;
    encode(request, frame);
    return decode_request(frame);
}

/// The request of a verb. Nothing: it is no verb. An error: the words do not fit it.
std::optional<Result<Request>> request_of(std::string_view verb, Words words) {
    std::optional<Result<Request>> result;
    (void)Alternatives<RequestBody>::with_tag(verb, [&]<class T>() {
        T body;
        if (read(words, body)) {
            result = within_bounds({{}, std::move(body)});
        } else {
            result =
                fail(Errc::invalid, "the words do not fit; usage: " + std::string{usage_of(verb)});
        }
    });
    return result;
}

}  // namespace

Result<Request> request_from_text(std::string_view line) {
    if (line.size() > limits::operator_message_bytes) {
        return fail(Errc::too_large, "the line is longer than " +
                                         std::to_string(limits::operator_message_bytes) + " bytes");
    }
    const auto words = words_of(line);
    if (words.empty()) {
        return fail(Errc::malformed, "the request is empty; try 'help'");
    }
    const std::string first{words[0]};
    const std::string two = words.size() < 2 ? first : first + ' ' + std::string{words[1]};
    const auto behind = [&](std::size_t count) { return Words{words}.subspan(count); };
    if (words.size() >= 2) {
        if (auto result = request_of(two, behind(2))) {
            return *result;
        }
    }
    if (auto result = request_of(first, behind(1))) {
        return *result;
    }
    return unknown_verb(two);
}

}  // namespace muster::codec
