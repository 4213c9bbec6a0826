#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "coordinator/providers/local/agent_process.hpp"
#include "coordinator/providers/local/call.hpp"
#include "coordinator/providers/local/node_files.hpp"

namespace muster::local_provider {

/// The nodes of one cluster that are agents on this host.
///
/// Several programs may do this at once. Each holds the lock of a node while it changes it, and
/// takes several locks in the order of the ordinals. A listing takes none.
class Nodes {
public:
    struct Options {
        std::string directory;
        std::string operators;  ///< The local socket of the coordinator.
        AgentSettings agents;
    };
    Nodes(Options options, Subject subject);

    /// Those whose agents live.
    [[nodiscard]] std::vector<NodeRecord> list() const;

    /// `count` nodes of the request in all. A node of it that ended is not made again.
    [[nodiscard]] Result<void> provision(std::uint32_t count) const;

    /// Ends the node and removes its files. No error if it is gone.
    [[nodiscard]] Result<void> remove(const std::string& node) const;

private:
    struct Held {
        NodeRecord node;
        FileDescriptor lock;
    };
    [[nodiscard]] Result<std::vector<Held>> missing(std::uint32_t count) const;
    [[nodiscard]] Result<void> start(const std::vector<Held>& nodes) const;
    [[nodiscard]] Result<void> wait_until_up(const std::vector<Held>& nodes) const;
    void clean_up_ended() const;
    /// Ends what is left of the node. False: nothing was.
    [[nodiscard]] bool clean_up(const std::string& node) const;

    Options options_;
    Subject subject_;
    NodeFiles files_;
};

}  // namespace muster::local_provider
