#pragma once

#include <csignal>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/integration/support/cluster.hpp"

namespace muster::integration {

struct CoordinatorsOptions {
    std::size_t count = 3;
    std::string etcd{};  ///< The section [etcd] of each,
    /// or of the first coordinator, of the second, ...
    std::vector<std::string> etcd_of{};
    std::string cluster{};  ///< More lines of [cluster].
    /// Added to the environment of the first coordinator, of the second, ...
    std::vector<std::vector<std::string>> env{};
    std::string program{};  ///< Of each; empty: that of this version.
};

/// Several coordinators that share a store in etcd, each with a directory and endpoints of its own,
/// as on hosts of their own. restart_ended() is the init system of those that end.
class Coordinators {
public:
    /// Returns when one leads and the others stand by.
    explicit Coordinators(CoordinatorsOptions options);

    [[nodiscard]] std::size_t size() const { return homes_.size(); }
    [[nodiscard]] const Endpoints& endpoints(std::size_t of) const { return endpoints_.at(of); }
    /// All endpoints for agents, as they want them.
    [[nodiscard]] std::string agents() const;
    /// All endpoints for operators.
    [[nodiscard]] std::vector<std::string> operators() const;

    void start(std::size_t which);
    /// Ends it as its init system would, and starts another program in its place.
    void replace(std::size_t which, const std::string& program);
    void kill(std::size_t which);
    void pause(std::size_t which) { processes_.at(which)->signal(SIGSTOP); }
    void resume(std::size_t which) { processes_.at(which)->signal(SIGCONT); }
    [[nodiscard]] Process& process(std::size_t which) { return *processes_.at(which); }
    [[nodiscard]] bool running(std::size_t which) const;
    void restart_ended();
    [[nodiscard]] std::string log_of(std::size_t which) const;

    /// The one that says that it leads; nothing if none does within a moment.
    [[nodiscard]] std::optional<std::size_t> leader() const;
    /// Restarts what ended meanwhile. Throws if nobody comes to lead.
    std::size_t await_leader();

    /// The answer of the leader, whoever that comes to be; the same request again until then.
    [[nodiscard]] Json ask(const Json& request, Deadline deadline = soon()) const;

private:
    std::vector<std::vector<std::string>> env_;
    std::vector<std::string> programs_;
    std::vector<std::unique_ptr<Directory>> homes_;
    std::vector<Endpoints> endpoints_;
    std::vector<std::unique_ptr<Process>> processes_;
};

/// The request to add a task without instances.
[[nodiscard]] Json addition_of(const std::string& name);

/// True if it is the answer of a coordinator that leads.
[[nodiscard]] bool is_of_leader(const Json& answer);

/// An answer, and which of those that were asked gave it.
struct Answered {
    std::size_t by = 0;
    Json answer;
};
/// Asks all at once. The first answer of a leader; nothing if none comes.
[[nodiscard]] std::optional<Answered> ask_leader(const std::vector<std::string>& operators,
                                                 const Json& request, Deadline deadline);

}  // namespace muster::integration
