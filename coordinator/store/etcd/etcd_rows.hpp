#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/store/etcd/etcd_client.hpp"
#include "coordinator/store/etcd/etcd_keys.hpp"
#include "coordinator/store/etcd/etcd_parts.hpp"
#include "coordinator/store/mirror.hpp"

namespace muster::coordinator::etcd {

/// The operations on keys that a group of changes of rows needs: one for each key at most, as etcd
/// demands of a transaction.
///
/// Knows which rows are longer than a value may be, and so have several keys.
class RowWriter {
public:
    explicit RowWriter(Keys keys) : keys_{std::move(keys)} {}

    /// A row was found in so many pieces.
    void found(const std::string& row, std::size_t pieces);
    void add(const RowChange& change);
    /// The operations of all changes since the last call.
    [[nodiscard]] std::vector<Operation> take();

private:
    Keys keys_;
    std::map<std::string, std::optional<std::string>> rows_;  // Nothing: gone.
    std::map<std::string, std::string> ends_;                 // Of ranges that are gone, by begin.
    std::map<std::string, std::size_t> pieces_;               // Of rows with more than one.
};

/// Puts the rows of a store into an empty mirror, which gets its schema, too.
[[nodiscard]] Result<void> take_over(const Keys& keys, const Holdings& holdings, Mirror& into,
                                     RowWriter& writer);

}  // namespace muster::coordinator::etcd
