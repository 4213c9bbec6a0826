#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/crypto/cluster_keys.hpp"
#include "coordinator/store/mirror.hpp"

namespace muster::coordinator {

/// What a coordinator would find in these rows at its start, and more.
struct Findings {
    std::vector<std::string> faults;  ///< Each with its place.
    std::string counts;               ///< `3 tasks, 2 nodes, ...`
    std::string audit;                ///< How far the audit was checked.
    Meta meta;
    std::vector<AuditHead> audit_head;  ///< At most one.
};

/// `keys`: of the directory that the store belongs to. Nothing: none were made there.
[[nodiscard]] Result<Findings> check_rows(const Mirror& rows,
                                          const std::optional<ClusterSecret>& keys);

/// `refused`: the rows are of another cluster than the keys.
[[nodiscard]] Result<void> check_cluster(const Meta& meta,
                                         const std::optional<ClusterSecret>& keys);

}  // namespace muster::coordinator
