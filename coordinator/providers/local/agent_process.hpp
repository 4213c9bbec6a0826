#pragma once

#include <map>
#include <string>

#include "common/base/result.hpp"
#include "coordinator/providers/local/node_files.hpp"

namespace muster::local_provider {

/// What all agents of this provider have in common.
struct AgentSettings {
    std::string program;
    std::string coordinator;  ///< Its endpoint for agents; of several, with commas between.
    std::map<std::string, std::string> labels{};
    /// What each node offers; what is empty is measured. Its slots are a number.
    std::string memory{};
    std::string cpu{};
    std::string slots{};
};

/// Starts the agent of a node as a daemon. With a token it joins the cluster first.
[[nodiscard]] Result<void> start_agent(const NodeFiles& files, const NodeRecord& node,
                                       const AgentSettings& settings, const std::string& token);

/// It has joined, and runs.
[[nodiscard]] bool is_up(const NodeFiles& files, const std::string& node);

/// The last line that it wrote, for a failure.
[[nodiscard]] std::string last_words(const NodeFiles& files, const std::string& node);

/// Ends the agent and all that it runs, the tasks in the agent's own way if that is quick enough,
/// else by force. Afterwards there is no process of this node.
void end_agent(const NodeFiles& files, const std::string& node, const std::string& program);

}  // namespace muster::local_provider
