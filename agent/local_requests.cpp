#include "agent/local_requests.hpp"

#include <array>

#include "common/codec/json_reader.hpp"
#include "common/codec/json_writer.hpp"
#include "common/limits.hpp"
#include "common/log.hpp"

namespace muster {
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
    VerbLine{Verb::status, "status", "status", "Who this agent is and whom it obeys.", "status"},
    VerbLine{Verb::list, "list", "list", "The instances it runs, with their processes.", "list"},
    VerbLine{Verb::log_level, "log level", "log level LEVEL", "Changes the level of its log.",
             "log level debug"},
};

std::string_view without_newline(std::string_view line) {
    while (line.ends_with('\n') || line.ends_with('\r') || line.ends_with(' ')) {
        line.remove_suffix(1);
    }
    return line;
}

Result<LocalRequest> request_of(std::string_view name, std::string_view argument) {
    for (const auto& verb : verbs) {
        if (verb.name == name) {
            return LocalRequest{verb.verb, std::string{argument}};
        }
    }
    return fail(Errc::unknown_verb,
                "an agent knows no such verb; it knows help, status, list "
                "and log level LEVEL");
}

JsonTree answer(std::string_view verb) { return {{"ok", true}, {"verb", verb}}; }

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
    if (!frame.starts_with('{')) {
        const auto line = without_newline(frame);
        const auto last = line.rfind(' ');
        if (line.starts_with("log level ") && last != std::string_view::npos) {
            return request_of("log level", line.substr(last + 1));
        }
        return request_of(line, {});
    }
    const auto tree = codec::parse_json(without_newline(frame), limits::operator_message_bytes);
    if (!tree) {
        return tl::unexpected{tree.error()};
    }
    const auto text = [&](const char* key) {
        const auto found = tree->find(key);
        return found != tree->end() && found->is_string() ? found->get<std::string>()
                                                          : std::string{};
    };
    return request_of(text("verb"), text("level"));
}

std::string local_help() {
    JsonTree tree = answer("help");
    tree["verbs"] = JsonTree::array();
    for (const auto& verb : verbs) {
        tree["verbs"].push_back({{"verb", verb.name},
                                 {"usage", verb.usage},
                                 {"summary", verb.summary},
                                 {"example", verb.example}});
    }
    return codec::text_of(tree);
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
    tree["log_level"] = log::to_string(log::level());
    return codec::text_of(tree);
}

std::string local_list(const std::vector<LocalProcess>& processes) {
    JsonTree tree = answer("list");
    tree["instances"] = JsonTree::array();
    for (const auto& process : processes) {
        tree["instances"].push_back(tree_of(process));
    }
    return codec::text_of(tree);
}

std::string local_level(std::string_view level) {
    JsonTree tree = answer("log level");
    tree["level"] = level;
    return codec::text_of(tree);
}

std::string local_error(const Error& error) {
    const JsonTree tree{{"ok", false},
                        {"error", {{"code", to_string(error.code)}, {"message", error.detail}}}};
    return codec::text_of(tree);
}

}  // namespace muster
