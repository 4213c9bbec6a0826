#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/file_descriptor.hpp"
#include "common/base/result.hpp"
#include "coordinator/providers/local/call.hpp"
#include "coordinator/providers/local/process.hpp"

namespace muster::local_provider {

/// The files of one cluster's nodes on this host:
///
///     <directory>/<cluster>/<node>/node.json   what the node was made for
///                                 /process     the identity of its agent
///                                 /agent.toml, /log, /state/, /run/
///     <directory>/<cluster>/made/<node>        the lock of the node; not empty: it was started
///     once
///
/// <cluster> is short, because the kernel bounds the path of a socket below run/. A node that was
/// started once is never started again, so a request that is repeated late makes no node twice.
class NodeFiles {
public:
    NodeFiles(const std::string& directory, std::string cluster);

    [[nodiscard]] Result<void> make() const;

    [[nodiscard]] std::string home_of(std::string_view node) const {
        return home_ + '/' + std::string{node};
    }
    /// In the directory, living or not, ordered by name.
    [[nodiscard]] std::vector<std::string> nodes() const;
    /// Nothing: there is no such node, it is of another cluster, or its record is damaged.
    [[nodiscard]] std::optional<NodeRecord> record_of(std::string_view node) const;
    [[nodiscard]] Result<void> write_record(const NodeRecord& record) const;
    [[nodiscard]] std::optional<ProcessIdentity> agent_of(std::string_view node) const;
    [[nodiscard]] std::string identity_file(std::string_view node) const {
        return home_of(node) + "/process";
    }

    [[nodiscard]] Result<void> make_home(std::string_view node) const;
    void remove_home(std::string_view node) const;

    enum class Waits : std::uint8_t { yes, no };
    /// Excludes all others from this node. Closed: another holds it, and we do not wait.
    [[nodiscard]] Result<FileDescriptor> lock(std::string_view node, Waits waits) const;
    /// The purpose of the node that was started under this lock. Empty: none was.
    [[nodiscard]] static std::string started_for(const FileDescriptor& lock);
    [[nodiscard]] static Result<void> mark_started(const FileDescriptor& lock,
                                                   const NodeRecord& node);
    /// Removes locks of nodes that are gone for a week: no request is repeated so late.
    void forget_old() const;

private:
    std::string cluster_;
    std::string home_;
};

/// Its pool and its request. Two of them could have nodes of the same names.
[[nodiscard]] std::string purpose_of(const NodeRecord& node);

/// POOL-REQUEST-ORDINAL; of a long one the end is a hash.
[[nodiscard]] std::string node_name(std::string_view pool, std::string_view request,
                                    std::uint32_t ordinal);

}  // namespace muster::local_provider
