#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.hpp"
#include "coordinator/core/ledger/table.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// Whose each key is, and when keys end.
template <>
struct RowCount<StoredKey> {
    std::map<PublicKey, std::string> owners;
    std::set<std::pair<CivilMs, std::string>> ends;
    std::uint64_t version = 0;  ///< Grows with each change.

    void add(const StoredKey& row) {
        ++version;
        for (const AdmittedKey& one : row.keys) {
            owners.insert_or_assign(one.key, row.name);
            if (one.until != CivilMs{}) {
                ends.emplace(one.until, row.name);
            }
        }
    }
    void remove(const StoredKey& row) {
        ++version;
        for (const AdmittedKey& one : row.keys) {
            owners.erase(one.key);
            ends.erase({one.until, row.name});
        }
    }
    friend bool operator==(const RowCount&, const RowCount&) = default;
};

/// The names that prove themselves by keys.
using Keys = Table<StoredKey>;

/// The names some of whose keys end after `from`, not later than `to`.
[[nodiscard]] inline std::vector<std::string> names_ending(const Keys& keys, CivilMs from,
                                                           CivilMs to) {
    std::vector<std::string> names;
    const auto& ends = keys.count().ends;
    for (auto at = ends.upper_bound({from, std::string(limits::name_bytes + 1, '\x7f')});
         at != ends.end() && at->first <= to; ++at) {
        names.push_back(at->second);
    }
    return names;
}

/// The row of the name whose key this is; null: it is nobody's.
[[nodiscard]] inline const StoredKey* owner_of(const Keys& keys, const PublicKey& key) {
    const auto& owners = keys.count().owners;
    const auto found = owners.find(key);
    return found == owners.end() ? nullptr : keys.rows().find(found->second);
}

/// The same once all pending writes are durable.
[[nodiscard]] inline const StoredKey* owner_soon(const Keys& keys, const PublicKey& key) {
    const auto& owners = keys.count_soon().owners;
    const auto found = owners.find(key);
    return found == owners.end() ? nullptr : keys.find(found->second);
}

}  // namespace muster::coordinator
