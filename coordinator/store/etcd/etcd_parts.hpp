#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coordinator/store/etcd/etcd_client.hpp"
#include "coordinator/store/etcd/etcd_keys.hpp"

/// Changes that are too large for one transaction: each is written in parts that nobody reads,
/// takes effect with one key, and is then moved into the rows.
namespace muster::coordinator::etcd {

/// True: one transaction takes all of them.
[[nodiscard]] bool fits(const std::vector<Operation>& operations);
/// Consecutive groups, each of which one transaction takes.
[[nodiscard]] std::vector<std::vector<Operation>> groups_of(
    const std::vector<Operation>& operations);
/// The operations as texts, each short enough for a value.
[[nodiscard]] std::vector<std::string> parts_of(const std::vector<Operation>& operations);

/// The content of a store, as a leader must take it over.
struct Holdings {
    Snapshot rows;                        ///< With the changes that took effect in parts.
    std::string last_commit{};            ///< The value of that key.
    Revision committed{};                 ///< When it was written.
    std::uint32_t schema = 0;             ///< Of the rows.
    std::vector<Operation> unfinished{};  ///< What is still to be moved into the rows.
    std::vector<Operation> leftovers{};   ///< Then these parts are deleted.
};
/// An error: a part is damaged, or another version of muster wrote it.
[[nodiscard]] Result<Holdings> holdings_of(const Keys& keys, const Snapshot& snapshot);

/// The schema that a value of that key names. An error: this version cannot use such a store.
[[nodiscard]] Result<std::uint32_t> schema_of(const Keys& keys, const std::string& value);

/// The error for a store with rows, but without the one of the cluster.
[[nodiscard]] tl::unexpected<Error> without_meta(const Keys& keys);

}  // namespace muster::coordinator::etcd
