#pragma once

#include <cstdint>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/sqlite/sqlite.hpp"

/// The tables of the store, as they are and as older programs made them.
namespace muster::coordinator::rows {

/// The schema this program writes. It grows with every change of a table.
inline constexpr std::int64_t schema_version = 5;

/// The file is not what was written.
[[nodiscard]] tl::unexpected<Error> damaged(const std::string& path, std::string_view how);

/// What would change rows behind our back, a trigger or a view, is not there.
[[nodiscard]] Result<void> check_schema(const sqlite::Database& database);

/// Makes the tables of an empty file, with `cluster` as its id, or brings those of an older program
/// up to date, in the transaction of the caller. Refuses a newer schema.
[[nodiscard]] Result<void> make_tables(const sqlite::Database& database, const ClusterId& cluster);

}  // namespace muster::coordinator::rows
