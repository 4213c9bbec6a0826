#pragma once

#include <cstdint>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/sqlite/sqlite.hpp"

/// The tables of the store, as they are and as older programs made them.
namespace muster::coordinator::rows {

/// The schema this program writes. It grows with every change of a table.
inline constexpr std::int64_t schema_version = 9;

/// The error for a file that was changed or damaged.
[[nodiscard]] tl::unexpected<Error> damaged(const std::string& path, std::string_view how);

/// Refuses triggers and views, which would change rows unseen.
[[nodiscard]] Result<void> check_schema(const sqlite::Database& database);

/// Makes the tables of an empty file, with `cluster` as its id, or migrates those of an older
/// program, in the transaction of the caller. Refuses a newer schema.
[[nodiscard]] Result<void> make_tables(const sqlite::Database& database, const ClusterId& cluster);

}  // namespace muster::coordinator::rows
