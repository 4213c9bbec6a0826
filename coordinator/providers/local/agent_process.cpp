#include "coordinator/providers/local/agent_process.hpp"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "common/base/paths.hpp"
#include "common/base/read_file.hpp"

namespace muster::local_provider {
namespace {

// The tasks of a node that is removed get this long for an orderly end.
constexpr Duration patience_with_tasks = 10s;
constexpr Duration patience_with_agent = 2s;
constexpr std::size_t log_bytes = 1 << 20;

paths::Directories directories_of(const NodeFiles& files, std::string_view node) {
    return {.state = files.home_of(node) + "/state", .run = files.home_of(node) + "/run"};
}

std::string log_of(const NodeFiles& files, std::string_view node) {
    return files.home_of(node) + "/log";
}

// A text of JSON is one of TOML, too.
std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string lines_of(const std::map<std::string, std::string>& values) {
    std::string lines;
    for (const auto& [key, value] : values) {
        lines += quoted(key) + " = " + quoted(value) + '\n';
    }
    return lines;
}

std::string capacity_lines(const AgentSettings& settings) {
    std::map<std::string, std::string> amounts;
    if (!settings.memory.empty()) {
        amounts["memory"] = settings.memory;
    }
    if (!settings.cpu.empty()) {
        amounts["cpu"] = settings.cpu;
    }
    return lines_of(amounts) + (settings.slots.empty() ? "" : "slots = " + settings.slots + '\n');
}

Result<void> write_configuration(const std::string& path, const NodeRecord& node,
                                 const AgentSettings& settings) {
    auto labels = settings.labels;
    labels["address"] = node.address;
    const std::string text = "pool = " + quoted(node.pool) + "\n[labels]\n" + lines_of(labels) +
                             "[capacity]\n" + capacity_lines(settings);
    const FileDescriptor file{open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
    if (!file.is_open() || write_all(file.get(), text) != 0) {
        return fail(Errc::io, path + " cannot be written; is the disk full?");
    }
    return {};
}

std::vector<std::string> same_agent(const NodeFiles& files, const std::string& node) {
    const auto directories = directories_of(files, node);
    return {"--name", node, "--state-dir", directories.state, "--run-dir", directories.run};
}

// The agent marks its processes with the device and the inode of its state directory.
std::string mark_of(const NodeFiles& files, std::string_view node) {
    struct stat status = {};
    const auto state = paths::agent_state(directories_of(files, node), node);
    return stat(state.c_str(), &status) == 0 ? "MUSTER_PROCESS=" + std::to_string(status.st_dev) +
                                                   '-' + std::to_string(status.st_ino) + '/'
                                             : "";
}

// Each task has a shim, and each shim a socket.
bool runs_tasks(const NodeFiles& files, std::string_view node) {
    return !names_in(paths::agent_shims(directories_of(files, node), node)).empty();
}

bool stop_all(const NodeFiles& files, const std::string& node, const std::string& program) {
    std::vector<std::string> argv{program, "stop-all"};
    const auto which = same_agent(files, node);
    argv.insert(argv.end(), which.begin(), which.end());
    return run_within(argv, log_of(files, node), patience_with_tasks);
}

}  // namespace

Result<void> start_agent(const NodeFiles& files, const NodeRecord& node,
                         const AgentSettings& settings, const std::string& token) {
    const std::string home = files.home_of(node.node);
    const std::string configuration = home + "/agent.toml";
    if (auto endpoint =
            paths::ipc_endpoint(paths::agent_socket(directories_of(files, node.node), node.node));
        !endpoint) {
        return fail(Errc::invalid, endpoint.error().detail + "; here: a shorter --directory");
    }
    if (auto written = write_configuration(configuration, node, settings); !written) {
        return written;
    }
    std::vector<std::string> argv{settings.program};
    if (!token.empty()) {  // It says where the coordinators are, also other ones.
        argv.insert(argv.end(), {"join", token});
    } else {
        argv.insert(argv.end(), {"--coordinator", settings.coordinator});
    }
    argv.insert(argv.end(), {"--config", configuration});
    const auto which = same_agent(files, node.node);
    argv.insert(argv.end(), which.begin(), which.end());
    return start_daemon({.argv = std::move(argv),
                         .directory = home,
                         .log = log_of(files, node.node),
                         .identity_file = files.identity_file(node.node)});
}

bool is_up(const NodeFiles& files, const std::string& node) {
    std::error_code none;
    return std::filesystem::exists(paths::agent_socket(directories_of(files, node), node), none);
}

std::string last_words(const NodeFiles& files, const std::string& node) {
    auto text = read_file(log_of(files, node), log_bytes).value_or("");
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    const auto line = text.rfind('\n');
    return line == std::string::npos ? text : text.substr(line + 1);
}

void end_agent(const NodeFiles& files, const std::string& node, const std::string& program) {
    const auto identity = files.agent_of(node);
    const auto agent = identity ? open_process(*identity) : FileDescriptor{};
    // The agent's own way: it ends the tasks, reports that, and ends. For an agent without tasks
    // the signal does the same a second earlier, because nobody waits for the lock that it holds.
    if (runs_tasks(files, node)) {
        static_cast<void>(stop_all(files, node, program));
    }
    send_signal(agent, SIGTERM);
    if (!wait_for_end(agent, patience_with_agent)) {
        send_signal(agent, SIGKILL);
        static_cast<void>(wait_for_end(agent, patience_with_agent));
    }
    // What it left or has just begun. From here on nothing of it begins any more.
    if (runs_tasks(files, node)) {
        static_cast<void>(stop_all(files, node, program));
    }
    if (const std::string mark = mark_of(files, node); !mark.empty()) {
        kill_with_variable(mark, patience_with_agent);
    }
}

}  // namespace muster::local_provider
