#include "agent/local_requests.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/limits.hpp"
#include "common/codec/json/reader.hpp"
#include "common/codec/json/writer.hpp"
#include "common/codec/shapes/printed_text.hpp"
#include "common/log/log.hpp"
#include "common/text/suggestions.hpp"

namespace muster::agent {
namespace {

using codec::JsonTree;
using Verb = LocalRequest::Verb;

struct VerbLine {
    Verb verb;
    std::string_view name;
    std::string_view usage;
    std::string_view summary;
    std::string_view example;
};

constexpr std::array verbs{
    VerbLine{Verb::help, "help", "help", "Lists every verb with an example.", "help"},
    VerbLine{Verb::status, "status", "status", "The agent, its coordinator and its state.",
             "status"},
    VerbLine{Verb::list, "list", "list", "The instances it runs, with their processes.", "list"},
    VerbLine{Verb::stop_all, "stop-all", "stop-all",
             "Ends its instances, each as its task says, and then itself.", "stop-all"},
    VerbLine{Verb::log_level, "log level", "log level LEVEL",
             "Changes the level of its log: trace, debug, info, warn or error.", "log level debug"},
};

const VerbLine* find(std::string_view name) {
    const auto found = std::ranges::find(verbs, name, &VerbLine::name);
    return found == verbs.end() ? nullptr : &*found;
}

tl::unexpected<Error> unknown(std::string_view name) {
    const auto near = suggestions({name, name.substr(0, name.find(' '))}, verbs, &VerbLine::name);
    return fail(Errc::unknown_verb,
                "an agent has no verb " + in_quotes(name) +
                    (near.empty() ? "; " : "; did you mean '" + std::string{near.front()} + "'? ") +
                    "the verbs are " + joined(verbs, ", ", &VerbLine::usage));
}

Result<LocalRequest> request_of_line(std::string_view line) {
    const auto words = codec::words_of(line);
    if (words.empty()) {
        return fail(Errc::malformed, "the request is empty; try 'help'");
    }
    const std::string first{words[0]};
    const std::string two = words.size() < 2 ? first : first + ' ' + std::string{words[1]};
    const VerbLine* const verb = find(two) != nullptr ? find(two) : find(first);
    if (verb == nullptr) {
        return unknown(two);
    }
    const std::size_t used = verb->name == first ? 1 : 2;
    const std::size_t wanted = verb->verb == Verb::log_level ? 1 : 0;
    if (words.size() != used + wanted) {
        return fail(Errc::invalid, "wrong arguments; usage: " + std::string{verb->usage});
    }
    return LocalRequest{verb->verb, wanted == 0 ? std::string{} : std::string{words.back()}};
}

/// A field of the request. An error if it is missing or not a text.
Result<std::string> text_of_field(const codec::ParsedJson& tree, const char* key,
                                  std::string_view message) {
    const auto found = tree.find(key);
    if (found == tree.end() || !found->is_string()) {
        return fail(Errc::malformed, std::string{message} + ": " + key +
                                         (found == tree.end() ? " is missing" : " is not a text"));
    }
    return found->get<std::string>();
}

Result<LocalRequest> request_of_object(std::string_view text) {
    const auto tree = codec::parse_json(text, limits::operator_message_bytes);
    if (!tree) {
        return tl::unexpected{tree.error()};
    }
    const auto name = text_of_field(*tree, "verb", "request");
    if (!name) {
        return tl::unexpected{name.error()};
    }
    const VerbLine* const verb = find(*name);
    if (verb == nullptr) {
        return unknown(*name);
    }
    if (verb->verb != Verb::log_level) {
        return LocalRequest{verb->verb, {}};
    }
    return text_of_field(*tree, "level", verb->name).map([&](std::string level) {
        return LocalRequest{verb->verb, std::move(level)};
    });
}

JsonTree answer(std::string_view verb) { return {{"ok", true}, {"verb", verb}}; }

std::string answer(std::string_view verb, const char* key, JsonTree value) {
    JsonTree tree = answer(verb);
    tree[key] = std::move(value);
    return codec::text_of(tree);
}

JsonTree tree_of(const LocalProcess& process) {
    const InstanceReport& report = process.report;
    JsonTree tree{{"instance", to_string(report.id)},
                  {"generation", raw(report.generation)},
                  {"state", to_string(report.state)},
                  {"restarts", report.restarts},
                  {"exit_code", report.exit_code},
                  {"exit_signal", report.exit_signal},
                  {"started", static_cast<std::int64_t>(report.started)},
                  {"detail", report.detail}};
    if (process.pid) {
        tree["pid"] = *process.pid;
    }
    return tree;
}

}  // namespace

Result<LocalRequest> local_request(std::string_view frame) {
    return frame.starts_with('{') ? request_of_object(frame) : request_of_line(frame);
}

std::string local_help() {
    JsonTree all = JsonTree::array();
    for (const auto& verb : verbs) {
        all.push_back({{"verb", verb.name},
                       {"usage", verb.usage},
                       {"summary", verb.summary},
                       {"example", verb.example}});
    }
    return answer("help", "verbs", std::move(all));
}

std::string local_status(const LocalStatus& status, const std::vector<LocalProcess>& processes) {
    std::size_t running = 0;
    for (const auto& process : processes) {
        running += process.report.state == InstanceState::running ? 1U : 0U;
    }
    JsonTree tree = answer("status");
    tree["name"] = status.name;
    tree["version"] = status.version;
    tree["coordinator"] = status.coordinator;
    tree["led"] = status.led;
    tree["life"] = to_string(status.life);
    tree["incarnation"] = raw(status.memory.incarnation);
    tree["cluster"] = to_string(status.memory.cluster);
    tree["epoch"] = raw(status.memory.epoch);
    tree["counter"] = raw(status.memory.counter);
    tree["instances"] = processes.size();
    tree["running"] = running;
    tree["undecodable"] = status.undecodable;
    tree["log_level"] = log::to_string(log::level());
    return codec::text_of(tree);
}

std::string local_list(const std::vector<LocalProcess>& processes) {
    JsonTree all = JsonTree::array();
    std::ranges::transform(processes, std::back_inserter(all), tree_of);
    return answer("list", "instances", std::move(all));
}

std::string local_stop_all(std::size_t instances) {
    return answer("stop-all", "instances", instances);
}

std::string local_level(std::string_view level) { return answer("log level", "level", level); }

std::string local_error(const Error& error) {
    const JsonTree tree{{"ok", false},
                        {"error", {{"code", to_string(error.code)}, {"message", error.detail}}}};
    return codec::text_of(tree);
}

}  // namespace muster::agent
