#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/workload/node_table.hpp"

namespace muster::coordinator {

/// The known nodes of each pool.
class NodesOfPools {
public:
    NodesOfPools(const NodeRegistry& nodes, const NodeTable& offers)
        : nodes_{nodes}, offers_{offers} {}

    /// The record of the node has begun, changed, or ended. Returns the pools whose nodes are not
    /// what they were: at most the one before and the present one.
    std::vector<std::string> on_changed(NodeIndex index);
    [[nodiscard]] const std::set<NodeIndex>& of(const std::string& pool) const;

private:
    friend struct CoreFields;

    const NodeRegistry& nodes_;
    const NodeTable& offers_;
    std::map<NodeIndex, std::string> pool_of_;
    std::map<std::string, std::set<NodeIndex>> by_pool_;
};

}  // namespace muster::coordinator
