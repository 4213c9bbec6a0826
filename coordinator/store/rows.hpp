#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/sqlite/sqlite.hpp"
#include "coordinator/core/rows.hpp"

/// What is durable, as rows of the store's tables; and these, as they are and as older programs
/// made them.
namespace muster::coordinator::rows {

/// The schema this program writes. It grows with every change of a table.
inline constexpr std::int64_t schema_version = 3;

/// Makes the tables of an empty file, with `cluster` as its id, or brings those of an older program
/// up to date, in the transaction of the caller. Refuses a newer schema.
[[nodiscard]] Result<void> make_tables(const sqlite::Database& database, const ClusterId& cluster);

[[nodiscard]] Result<Meta> read_meta(const sqlite::Database& database);
[[nodiscard]] Result<StoreImage> read_image(const sqlite::Database& database);

/// Writes rows; its statements are prepared once.
class Writer {
public:
    [[nodiscard]] static Result<Writer> prepare(const sqlite::Database& database);

    [[nodiscard]] Result<void> write(const Write& write);

private:
    std::vector<sqlite::Statement> statements_;  // For each kind of Write, in their order.
    std::string encoded_;                        // Used again.
};

}  // namespace muster::coordinator::rows
