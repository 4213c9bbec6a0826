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
#include "tests/integration/support/process.hpp"

/// A real cluster: the programs as they were built, over loopback, in a directory of their own.
/// Several stand beside each other, because each process that makes them has a loopback address of
/// its own. What belongs to one carries `TEST_CLUSTER=<directory>` in its environment or works
/// below the directory; that is how it is found and ended.
namespace muster::integration {

/// Asks again and again until it is true. False: it was not before the deadline.
[[nodiscard]] bool until(const std::function<bool()>& predicate, Deadline deadline = soon());

/// A directory below the system's one for temporary files, removed with all in it.
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

/// Where one coordinator listens. Each object made has ports that no other test has.
struct Endpoints {
    std::string agents;
    std::string operators;
    std::string events;
    std::string http{};
};
[[nodiscard]] Endpoints free_endpoints();

/// A daemon that was started and has said that it is ready.
[[nodiscard]] std::unique_ptr<Process> start_ready(const std::string& directory, Command command);

struct ClusterOptions {
    std::vector<std::string> nodes{"n1", "n2", "n3"};
    std::string state{};  ///< Of the coordinator, if it is not to be below the cluster's directory.
    std::string round{"100ms"};
    std::string config{};        ///< More lines of [cluster] in coordinator.toml.
    bool records = false;        ///< The coordinator, below `record` in the directory.
    std::string agent_config{};  ///< Of each agent; empty: none.
};

class RealCluster {
public:
    /// Ready when this returns: every node serves.
    explicit RealCluster(ClusterOptions options = {});
    /// Kills whatever is left of it.
    ~RealCluster();
    RealCluster(const RealCluster&) = delete;
    RealCluster& operator=(const RealCluster&) = delete;

    [[nodiscard]] const std::string& directory() const { return directory_.path(); }
    [[nodiscard]] const Endpoints& endpoints() const { return endpoints_; }
    [[nodiscard]] std::string operators_socket() const;
    [[nodiscard]] std::string agent_socket(const std::string& name) const;
    [[nodiscard]] std::string store_file() const;

    // ---- daemons ----

    /// Ends all by SIGTERM, the agents first. What did not go as it should, a sentence each.
    [[nodiscard]] std::vector<std::string> end();

    void start_coordinator();
    void start_agent(const std::string& name);
    /// When it is started next this agent looks for the coordinator at another endpoint.
    void reach_by(const std::string& agent, const std::string& endpoint) {
        ways_[agent] = endpoint;
    }
    [[nodiscard]] Command coordinator_command() const;
    [[nodiscard]] Command agent_command(const std::string& name) const;
    [[nodiscard]] Process& coordinator() { return *coordinator_; }
    [[nodiscard]] Process& agent(const std::string& name) { return *agents_.at(name); }
    [[nodiscard]] const Process& agent(const std::string& name) const { return *agents_.at(name); }
    void kill_coordinator();
    void kill_agent(const std::string& name);
    /// Ends what an agent that does not run left running. False: it could not.
    bool stop_all(const std::string& name) const;
    /// As if the plug of its host were pulled: the agent and all its tasks, in this order.
    void kill_host(const std::string& name);
    /// What `coordinator` or an agent wrote to its standard error.
    [[nodiscard]] std::string log_of(const std::string& daemon) const;

    // ---- requests ----

    /// The one answer, by the ipc endpoint. Throws if none comes.
    Json ask(const Json& request) const;
    [[nodiscard]] Json status() const { return ask({{"verb", "status"}}); }
    /// A task for apply(), marked as this cluster's.
    [[nodiscard]] Json task(const std::string& name, std::uint32_t instances,
                            std::vector<std::string> argv = {"/bin/sleep", "1000"}) const;
    /// The same as the text of a task file.
    [[nodiscard]] std::string task_file(const std::string& name, std::uint32_t instances,
                                        const std::string& more = "") const;
    /// Adds or changes tasks; throws unless it was acknowledged.
    Json apply(const std::vector<Json>& tasks, bool replace = false) const;
    /// True once the tasks are as wanted.
    [[nodiscard]] bool wait(const std::string& pattern, Deadline deadline = soon()) const;
    [[nodiscard]] Json instances_of(const std::string& task) const;
    [[nodiscard]] Json node(const std::string& name) const;
    [[nodiscard]] bool serving(std::size_t nodes) const;

    /// The operator's command against this cluster.
    [[nodiscard]] Finished muster(std::vector<std::string> words,
                                  std::vector<std::string> env = {}) const;

    // ---- what truly runs ----

    /// Everything but this test, daemons included.
    [[nodiscard]] std::vector<Found> processes() const;
    [[nodiscard]] std::vector<Found> shims_of(const std::string& node) const;
    /// Processes of instances; of one task (`web`) or one instance (`web.0`) if it is named.
    [[nodiscard]] std::vector<Found> tasks(std::string_view of = "") const;
    [[nodiscard]] std::vector<Found> tasks_on(std::string_view node) const;
    /// Their pids, once there are so many: a program that was just started has no environment yet
    /// for a moment. Throws if there are never so many.
    [[nodiscard]] std::vector<pid_t> pids(std::string_view of, std::size_t count) const;

private:
    [[nodiscard]] std::string state() const;
    void write_config() const;
    void end_by_force();

    ClusterOptions options_;
    Directory directory_;
    Endpoints endpoints_ = free_endpoints();
    std::unique_ptr<Process> coordinator_;
    std::map<std::string, std::unique_ptr<Process>> agents_;
    std::map<std::string, std::string> ways_;   // To the coordinator, of agents with their own.
    std::map<std::string, std::string> homes_;  // Of agents that were started, as in their marks.
};

/// The path of a program that was built.
[[nodiscard]] std::string program(const std::string& name);

}  // namespace muster::integration
