#pragma once

#include <cstdint>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/sqlite/sqlite.hpp"

/// The tables of the store, as they are and as older programs made them.
namespace muster::coordinator::rows {

/// The newest schema that this program writes. It grows with every change of a table, and with
/// every row that older programs would not understand.
extern const std::uint32_t schema_version;
/// Coordinators of several versions share a store of this schema or a later one: each later one
/// only adds tables and columns with defaults.
inline constexpr std::uint32_t first_shared_schema = 9;

/// The error for a store that was changed or damaged.
[[nodiscard]] tl::unexpected<Error> damaged(const sqlite::Database& database, std::string_view how);

/// Reads every page.
[[nodiscard]] Result<void> check_integrity(const sqlite::Database& database);

/// Refuses triggers and views, which would change rows unseen.
[[nodiscard]] Result<void> check_schema(const sqlite::Database& database);

/// Makes the tables of an empty file, with `cluster` as its id, or migrates those of an older
/// program, in the transaction of the caller. Refuses a newer schema than `schema`.
[[nodiscard]] Result<void> make_tables(const sqlite::Database& database, const ClusterId& cluster,
                                       std::uint32_t schema = schema_version);

/// The error for a store that a newer program wrote. `name` begins it, such as `store 'file'`.
[[nodiscard]] tl::unexpected<Error> too_new(const std::string& name, std::uint32_t schema);

}  // namespace muster::coordinator::rows
