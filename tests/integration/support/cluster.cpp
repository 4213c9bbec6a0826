#include "tests/integration/support/cluster.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <poll.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "tests/integration/support/notify_socket.hpp"
#include "tests/integration/support/pace.hpp"

namespace muster::integration {

namespace {

void kill_all(const std::vector<Found>& processes) {
    for (const auto& process : processes) {
        kill(process.pid, SIGKILL);
    }
}

std::string quoted(const std::string& text) { return Json(text).dump(); }

}  // namespace

bool until(const std::function<bool()>& predicate, Deadline deadline) {
    // Most predicates ask a daemon: to ask more often takes turns from what is waited for.
    const auto pause = pace() / 15;
    while (!predicate()) {
        if (Clock::now() >= deadline) {
            return false;
        }
        poll(nullptr, 0, static_cast<int>(pause.count()));
    }
    return true;
}

Directory::Directory() : path_{std::filesystem::temp_directory_path() / "muster-test-XXXXXX"} {
    if (mkdtemp(path_.data()) == nullptr) {
        throw std::runtime_error{"cannot make " + path_};
    }
}

Directory::~Directory() {
    std::error_code busy;
    std::filesystem::remove_all(path_, busy);
}

Endpoints free_endpoints() {
    // The host part of an address in 127.64.0.0/10 has as many bits as a process id. So each test
    // process has its own address and need not probe for free ports.
    static std::atomic<int> next_port{7700};
    const auto pid = static_cast<unsigned>(getpid());
    const auto host = "tcp://127." + std::to_string(64U + ((pid >> 16U) & 63U)) + "." +
                      std::to_string((pid >> 8U) & 255U) + "." + std::to_string(pid & 255U) + ":";
    const int port = next_port.fetch_add(5);
    return {.agents = host + std::to_string(port),
            .operators = host + std::to_string(port + 1),
            .events = host + std::to_string(port + 2),
            .http = host + std::to_string(port + 3),
            .enrolment = host + std::to_string(port + 4)};
}

std::unique_ptr<Process> start_ready(const std::string& directory, Command command) {
    static std::atomic<int> count{0};
    const NotifySocket supervisor{directory + "/notify-" + std::to_string(count++)};
    command.env.push_back("NOTIFY_SOCKET=" + supervisor.path());
    auto process = std::make_unique<Process>(command);
    if (supervisor.next_state(*process) != "READY=1") {
        throw std::runtime_error{command.argv.front() + " did not become ready:\n" +
                                 text_of(command.errors)};
    }
    return process;
}

std::string program(const std::string& name) { return std::string{MUSTER_BIN_DIR} + "/" + name; }

RealCluster::RealCluster(ClusterOptions options) : options_{std::move(options)} {
    try {
        if (options_.coordinator.empty()) {
            start_coordinator();
        }
        for (const auto& name : options_.nodes) {
            start_agent(name);
        }
        if (options_.coordinator.empty() && !serving(options_.nodes.size())) {
            throw std::runtime_error{"the nodes do not serve: " + status().dump()};
        }
    } catch (...) {
        end_by_force();
        throw;
    }
}

RealCluster::~RealCluster() { end_by_force(); }

std::vector<std::string> RealCluster::end() {
    std::vector<std::string> complaints;
    const auto finish = [&](const std::string& name, Process& process) {
        if (process.wait(soon()) != Exit{.code = 0}) {
            complaints.push_back(name + " did not exit with 0 when it was ended");
        }
    };
    for (auto& [name, process] : agents_) {
        if (process->running()) {
            static_cast<void>(ask_line(agent_socket(name), "stop-all"));
        }
    }
    for (auto& [name, process] : agents_) {
        finish(name, *process);
    }
    for (const auto& [name, home] : homes_) {
        if (!agents_.contains(name) && !stop_all(name)) {
            complaints.push_back("stop-all of " + name + " did not exit with 0");
        }
    }
    if (coordinator_) {
        coordinator_->signal(SIGTERM);
        finish("coordinator", *coordinator_);
    }
    // A shim exits shortly after its agent has released it.
    static_cast<void>(until([&] { return processes().empty(); }));
    for (const auto& left : processes()) {
        complaints.push_back("left behind: " + Json(arguments_of(left.pid)).dump());
    }
    agents_.clear();
    coordinator_.reset();
    return complaints;
}

void RealCluster::end_by_force() {
    agents_.clear();
    coordinator_.reset();
    // Repeats: one search can miss a process that is just being started.
    static_cast<void>(until([&] {
        const auto left = processes();
        kill_all(left);
        return left.empty();
    }));
}

std::string RealCluster::operators_socket() const {
    return "ipc://" + directory() + "/run/operators.sock";
}
std::string RealCluster::agent_socket(const std::string& name) const {
    return "ipc://" + directory() + "/run/agents/" + name + ".sock";
}

std::string RealCluster::state() const {
    return options_.state.empty() ? directory() + "/state" : options_.state;
}
std::string RealCluster::store_file() const { return state() + "/coordinator/store.sqlite"; }

std::string RealCluster::log_of(const std::string& daemon) const {
    return text_of(directory() + "/" + daemon + ".log");
}

Command RealCluster::coordinator_command() const {
    return {.argv = {program("muster-coordinator"), "--config", directory() + "/coordinator.toml"},
            .env = {"TEST_CLUSTER=" + directory()},
            .output = directory() + "/coordinator.log",
            .errors = directory() + "/coordinator.log"};
}

Command RealCluster::agent_command(const std::string& name) const {
    const auto way = ways_.find(name);
    const auto& usual = options_.coordinator.empty() ? endpoints_.agents : options_.coordinator;
    const auto& coordinator = way == ways_.end() ? usual : way->second;
    const auto other = programs_.find(name);
    std::vector<std::string> argv{
        other == programs_.end() ? program("muster-agent") : other->second,
        "--name",
        name,
        "--state-dir",
        directory() + "/state",
        "--run-dir",
        directory() + "/run"};
    if (!options_.keys || way != ways_.end()) {  // With keys it knows from its token.
        argv.insert(argv.end(), {"--coordinator", coordinator});
    }
    if (!options_.agent_config.empty()) {
        write_text(directory() + "/agent.toml", options_.agent_config);
        argv.insert(argv.end(), {"--config", directory() + "/agent.toml"});
    }
    return {.argv = std::move(argv),
            .env = {"TEST_CLUSTER=" + directory()},
            .output = directory() + "/" + name + ".log",
            .errors = directory() + "/" + name + ".log"};
}

void RealCluster::replace_agent(const std::string& name, const std::string& program) {
    agent(name).signal(SIGTERM);
    static_cast<void>(agent(name).wait(soon()));
    programs_[name] = program;
    start_agent(name);
}

void RealCluster::write_config() const {
    const std::string losses = options_.loses_quickly ? "silent_after = 2\nlost_after = 3\n"
                                                      : "silent_after = 10\nlost_after = 30\n";
    write_text(directory() + "/coordinator.toml",
               (options_.keys ? "" : "insecure_loopback = true\n") + std::string{"state_dir = "} +
                   quoted(state()) + "\nrun_dir = " + quoted(directory() + "/run") +
                   (options_.records ? "\nrecord = " + quoted(directory() + "/record") : "") +
                   "\n[endpoints]\nagents = " + quoted(endpoints_.agents) + "\noperators = " +
                   quoted(endpoints_.operators) + "\nevents = " + quoted(endpoints_.events) +
                   "\nhttp = " + quoted(endpoints_.http) +
                   "\nenrolment = " + quoted(endpoints_.enrolment) + "\n[cluster]\nround = " +
                   quoted(in_ms(options_.round)) + "\n" + losses + options_.config);
}

void RealCluster::start_coordinator() {
    write_config();
    if (options_.keys) {
        make_keys();
    }
    coordinator_ = start_ready(directory(), coordinator_command());
}

void RealCluster::make_keys() const {
    if (!std::filesystem::exists(key_directory() + "/coordinator.key")) {
        const auto made = run(directory(),
                              {program("muster"), "init", "--state-dir", state(), "--coordinator",
                               endpoints_.operators},
                              {"XDG_CONFIG_HOME=" + contexts()});
        if (made.exit != Exit{.code = 0}) {
            throw std::runtime_error{"no keys were made: " + made.errors};
        }
    }
}

Finished RealCluster::muster_by_key(const std::string& contexts,
                                    std::vector<std::string> words) const {
    words.insert(words.begin(), program("muster"));
    return run(directory(), std::move(words), {"XDG_CONFIG_HOME=" + contexts});
}

Finished RealCluster::muster_by_key(std::vector<std::string> words) const {
    return muster_by_key(contexts(), std::move(words));
}

std::vector<std::string> RealCluster::join_words(const std::string& name) const {
    const auto made = muster_by_key({"token", "create", "--node", name, "-o", "json"});
    if (made.exit != Exit{.code = 0}) {
        throw std::runtime_error{"no token was made: " + made.errors};
    }
    return {"join", Json::parse(made.output).at("token").get<std::string>()};
}

Finished RealCluster::join(const std::string& name, std::vector<std::string> words) const {
    words.insert(words.begin(), program("muster-agent"));
    words.insert(words.end(), {"--only-join", "--name", name, "--state-dir", directory() + "/state",
                               "--run-dir", directory() + "/run"});
    return run(directory(), std::move(words));
}

void RealCluster::start_agent(const std::string& name) {
    if (options_.keys && !std::filesystem::exists(agent_state(name) + "/cluster")) {
        if (const auto joined = join(name, join_words(name)); joined.exit != Exit{.code = 0}) {
            throw std::runtime_error{name + " did not join: " + joined.errors};
        }
    }
    agents_[name] = start_ready(directory(), agent_command(name));
    struct stat status = {};
    if (stat((directory() + "/state/agents/" + name).c_str(), &status) == 0) {
        homes_[name] = std::to_string(status.st_dev) + '-' + std::to_string(status.st_ino);
    }
}

bool RealCluster::stop_all(const std::string& name) const {
    auto command = agent_command(name);
    command.argv.insert(command.argv.begin() + 1, "stop-all");
    Process process{command};
    return process.wait(soon()) == Exit{.code = 0};
}

void RealCluster::kill_coordinator() {
    coordinator_->signal(SIGKILL);
    static_cast<void>(coordinator_->wait(soon()));
    coordinator_.reset();
}

void RealCluster::kill_agent(const std::string& name) {
    agents_.at(name)->signal(SIGKILL);
    static_cast<void>(agents_.at(name)->wait(soon()));
    agents_.erase(name);
}

void RealCluster::kill_host(const std::string& name) {
    kill_agent(name);
    static_cast<void>(until([&] {
        auto left = shims_of(name);
        const auto tasks = tasks_on(name);
        left.insert(left.end(), tasks.begin(), tasks.end());
        kill_all(left);
        return left.empty();
    }));
}

Json RealCluster::ask(const Json& request) const {
    auto answer = integration::ask(operators_socket(), request);
    if (!answer) {
        throw std::runtime_error{"no answer to " + request.dump()};
    }
    return *std::move(answer);
}

Json RealCluster::task(const std::string& name, std::uint32_t instances,
                       std::vector<std::string> argv) const {
    return {{"name", name},
            {"instances", instances},
            {"argv", std::move(argv)},
            {"update", {{"min_healthy_ms", 0}}},  // Most tests do not test roll-outs.
            {"env", {{"TEST_CLUSTER", directory()}}}};
}

std::string RealCluster::task_file(const std::string& name, std::uint32_t instances,
                                   const std::string& more) const {
    return "[[task]]\nname = " + quoted(name) + "\ninstances = " + std::to_string(instances) +
           "\nargv = [\"/bin/sleep\", \"1000\"]\nupdate = { min_healthy = \"0s\" }\nenv = { "
           "TEST_CLUSTER = " +
           quoted(directory()) + " }\n" + more;
}

Json RealCluster::apply(const std::vector<Json>& tasks, bool replace) const {
    auto answer = ask({{"verb", "apply"},
                       {"request_id", new_request_id()},
                       {"tasks", tasks},
                       {"replace", replace}});
    if (!answer.at("ok").get<bool>()) {
        throw std::runtime_error{"apply: " + answer.dump()};
    }
    return answer;
}

bool RealCluster::wait(const std::string& pattern, Deadline deadline) const {
    return ask({{"verb", "wait"},
                {"pattern", pattern},
                {"timeout_ms", milliseconds_until(deadline)}})
        .at("ok")
        .get<bool>();
}

Json RealCluster::instances_of(const std::string& task) const {
    return ask({{"verb", "task show"}, {"name", task}}).at("instances");
}

Json RealCluster::node(const std::string& name) const {
    return ask({{"verb", "node show"}, {"name", name}}).at("node");
}

bool RealCluster::serving(std::size_t nodes) const {
    return until([&] {
        const Json now = status();
        return !now.contains("standby") && now.at("serving").get<std::size_t>() == nodes;
    });
}

Finished RealCluster::muster(std::vector<std::string> words, std::vector<std::string> env) const {
    words.insert(words.begin(), program("muster"));
    env.push_back("MUSTER_COORDINATOR=" + endpoints_.operators);
    env.push_back("MUSTER_EVENTS=" + endpoints_.events);
    return run(directory(), std::move(words), std::move(env));
}

std::vector<Found> RealCluster::processes() const {
    auto found = find_processes("TEST_CLUSTER=" + directory(), directory());
    for (const auto& [name, home] : homes_) {
        const auto shims = shims_of(name);
        found.insert(found.end(), shims.begin(), shims.end());
    }
    return found;
}

// A shim gets its task in a message; its own environment has only its mark.
std::vector<Found> RealCluster::shims_of(const std::string& node) const {
    const auto home = homes_.find(node);
    auto found = find_processes_with("MUSTER_PROCESS");
    std::erase_if(found, [&](const Found& process) {
        return process.env.size() != 1 || home == homes_.end() ||
               !process.variable("MUSTER_PROCESS").starts_with(home->second + '/');
    });
    return found;
}

std::vector<Found> RealCluster::tasks(std::string_view of) const {
    auto found = processes();
    std::erase_if(found, [&](const auto& process) {
        const auto instance = process.variable("MUSTER_INSTANCE");
        return instance.empty() ||
               (!of.empty() && instance != of && process.variable("MUSTER_TASK") != of);
    });
    return found;
}

std::vector<Found> RealCluster::tasks_on(std::string_view node) const {
    auto found = tasks();
    std::erase_if(found,
                  [&](const auto& process) { return process.variable("MUSTER_NODE") != node; });
    return found;
}

std::vector<pid_t> RealCluster::pids(std::string_view of, std::size_t count) const {
    std::vector<pid_t> found;
    const bool done = until([&] {
        found.clear();
        for (const auto& process : tasks(of)) {
            found.push_back(process.pid);
        }
        return found.size() == count;
    });
    if (!done) {
        throw std::runtime_error{std::to_string(found.size()) + " processes of '" +
                                 std::string{of} + "' run, not " + std::to_string(count)};
    }
    return found;
}

}  // namespace muster::integration
