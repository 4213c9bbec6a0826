#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace muster::coordinator::etcd {

/// Where a cluster's store is in etcd:
///
///     PREFIX/leader                  who leads, as long as its lease lasts
///     PREFIX/schema                  the version of the tables, which `upgrade finish` raises
///     PREFIX/commit                  the last transaction: whether one took effect
///     PREFIX/coordinators/ID         what a coordinator says of itself, as long as its lease lasts
///     PREFIX/rows/TABLE/KEY/000000   a row as JSON; a long one goes on in 000001, ...
///     PREFIX/parts/N/000000          a change that is too large for one transaction, in parts
///     PREFIX/parts/N/whole           it has taken effect
struct Keys {
    std::string prefix;

    [[nodiscard]] std::string leader() const { return prefix + "/leader"; }
    [[nodiscard]] std::string schema() const { return prefix + "/schema"; }
    [[nodiscard]] std::string commit() const { return prefix + "/commit"; }
    [[nodiscard]] std::string coordinators() const { return prefix + "/coordinators/"; }
    [[nodiscard]] std::string rows() const { return prefix + "/rows/"; }
    [[nodiscard]] std::string row(std::string_view table, std::string_view key) const {
        return fmt::format("{}{}/{}/", rows(), table, key);
    }
    [[nodiscard]] std::string parts() const { return prefix + "/parts/"; }
};

[[nodiscard]] inline std::string piece_name(std::size_t piece) {
    return fmt::format("{:06}", piece);
}

}  // namespace muster::coordinator::etcd
