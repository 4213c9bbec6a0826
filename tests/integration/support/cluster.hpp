#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/integration/support/client.hpp"
#include "tests/integration/support/pace.hpp"
#include "tests/integration/support/process.hpp"

/// A real cluster: the built programs over loopback, in a directory of their own. Clusters can run
/// beside each other because each test process has its own loopback address. A cluster's processes
/// carry `TEST_CLUSTER=<directory>` in their environment or work below the directory; so the test
/// finds and ends them.
namespace muster::integration {

/// Repeats the predicate until it is true. False: it was not true before the deadline.
[[nodiscard]] bool until(const std::function<bool()>& predicate, Deadline deadline = soon());

/// A temporary directory. The destructor removes it and its contents.
class Directory {
public:
    Directory();
    ~Directory();
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// The endpoints of one coordinator. Each object has ports that no other test uses.
struct Endpoints {
    std::string agents;
    std::string operators;
    std::string events;
    std::string http{};
    std::string enrolment{};
};
[[nodiscard]] Endpoints free_endpoints();

/// Starts a daemon and waits until it reports that it is ready.
[[nodiscard]] std::unique_ptr<Process> start_ready(const std::string& directory, Command command);

struct ClusterOptions {
    std::vector<std::string> nodes{"n1", "n2", "n3"};
    std::string state{};  ///< Of the coordinator, if it is not below the cluster's directory.
    std::chrono::milliseconds round = pace();
    /// For tests of a loss: a node is lost after 3 missed polls. By default only after 30, so a
    /// busy machine that stalls an agent for some rounds moves no work.
    bool loses_quickly = false;
    std::string config{};        ///< More lines of [cluster] in coordinator.toml.
    bool records = false;        ///< The coordinator records to `record` in the directory.
    std::string agent_config{};  ///< Of each agent; empty: no file.
    bool keys = false;           ///< Everybody proves a key; agents join by tokens.
    /// Where agents connect, if the cluster has no coordinator of its own.
    std::string coordinator{};
};

class RealCluster {
public:
    /// Returns when every node serves, if the cluster has a coordinator of its own.
    explicit RealCluster(ClusterOptions options = {});
    /// Kills all its remaining processes.
    ~RealCluster();
    RealCluster(const RealCluster&) = delete;
    RealCluster& operator=(const RealCluster&) = delete;

    [[nodiscard]] const std::string& directory() const { return directory_.path(); }
    [[nodiscard]] const Endpoints& endpoints() const { return endpoints_; }
    [[nodiscard]] std::string operators_socket() const;
    [[nodiscard]] std::string agent_socket(const std::string& name) const;
    [[nodiscard]] std::string store_file() const;

    // ---- daemons ----

    /// Stops all with SIGTERM, the agents first. Returns one sentence for each failure.
    [[nodiscard]] std::vector<std::string> end();

    void start_coordinator();
    void start_agent(const std::string& name);
    /// From its next start this agent connects to another endpoint.
    void reach_by(const std::string& agent, const std::string& endpoint) {
        ways_[agent] = endpoint;
    }
    /// Stops this agent, and starts another program in its place.
    void replace_agent(const std::string& name, const std::string& program);
    [[nodiscard]] Command coordinator_command() const;
    [[nodiscard]] Command agent_command(const std::string& name) const;
    [[nodiscard]] Process& coordinator() { return *coordinator_; }
    [[nodiscard]] Process& agent(const std::string& name) { return *agents_.at(name); }
    [[nodiscard]] const Process& agent(const std::string& name) const { return *agents_.at(name); }
    void kill_coordinator();
    void kill_agent(const std::string& name);
    /// Ends what a stopped agent left running. False: it could not.
    bool stop_all(const std::string& name) const;
    /// Kills the agent, then all its tasks, as when the host loses power.
    void kill_host(const std::string& name);
    /// The standard error of `coordinator` or of an agent.
    [[nodiscard]] std::string log_of(const std::string& daemon) const;

    // ---- requests ----

    /// The answer over the ipc endpoint. Throws if none comes.
    Json ask(const Json& request) const;
    [[nodiscard]] Json status() const { return ask({{"verb", "status"}}); }
    /// A task for apply(), with this cluster's mark.
    [[nodiscard]] Json task(const std::string& name, std::uint32_t instances,
                            std::vector<std::string> argv = {"/bin/sleep", "1000"}) const;
    /// The same as the text of a task file.
    [[nodiscard]] std::string task_file(const std::string& name, std::uint32_t instances,
                                        const std::string& more = "") const;
    /// Adds or changes tasks; throws without an acknowledgement.
    Json apply(const std::vector<Json>& tasks, bool replace = false) const;
    /// True once the tasks have converged.
    [[nodiscard]] bool wait(const std::string& pattern, Deadline deadline = soon()) const;
    [[nodiscard]] Json instances_of(const std::string& task) const;
    [[nodiscard]] Json node(const std::string& name) const;
    [[nodiscard]] bool serving(std::size_t nodes) const;

    /// The operator's command against this cluster.
    [[nodiscard]] Finished muster(std::vector<std::string> words,
                                  std::vector<std::string> env = {}) const;

    // ---- keys ----

    /// The command over the network, as the admin whom `muster init` made.
    [[nodiscard]] Finished muster_by_key(std::vector<std::string> words) const;
    /// The same with the contexts of this directory.
    [[nodiscard]] Finished muster_by_key(const std::string& contexts,
                                         std::vector<std::string> words) const;
    [[nodiscard]] std::string contexts() const { return directory() + "/config"; }
    /// The command with which a host of this name joins, less its first word.
    [[nodiscard]] std::vector<std::string> join_words(const std::string& name) const;
    /// Joins without running the agent.
    [[nodiscard]] Finished join(const std::string& name, std::vector<std::string> words) const;
    [[nodiscard]] std::string key_directory() const { return state() + "/coordinator"; }
    [[nodiscard]] std::string agent_state(const std::string& name) const {
        return directory() + "/state/agents/" + name;
    }

    // ---- what truly runs ----

    /// All processes but this test, including the daemons.
    [[nodiscard]] std::vector<Found> processes() const;
    [[nodiscard]] std::vector<Found> shims_of(const std::string& node) const;
    /// Processes of all instances, of one task (`web`) or of one instance (`web.0`).
    [[nodiscard]] std::vector<Found> tasks(std::string_view of = "") const;
    [[nodiscard]] std::vector<Found> tasks_on(std::string_view node) const;
    /// Their pids, once there are so many. Throws if that does not happen. A process that just
    /// started has no environment for a moment.
    [[nodiscard]] std::vector<pid_t> pids(std::string_view of, std::size_t count) const;

private:
    [[nodiscard]] std::string state() const;
    void write_config() const;
    void make_keys() const;
    void end_by_force();

    ClusterOptions options_;
    Directory directory_;
    Endpoints endpoints_ = free_endpoints();
    std::unique_ptr<Process> coordinator_;
    std::map<std::string, std::unique_ptr<Process>> agents_;
    std::map<std::string, std::string> programs_;  // Of replaced agents.
    std::map<std::string, std::string> ways_;      // Coordinator endpoints of single agents.
    std::map<std::string, std::string> homes_;     // Of started agents, as in their marks.
};

/// The path of a built program.
[[nodiscard]] std::string program(const std::string& name);

}  // namespace muster::integration
