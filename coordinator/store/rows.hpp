#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/sqlite/sqlite.hpp"
#include "coordinator/core/rows.hpp"

/// Reads and writes the rows of the store's tables.
namespace muster::coordinator::rows {

[[nodiscard]] Result<Meta> read_meta(const sqlite::Database& database);
[[nodiscard]] Result<StoreImage> read_image(const sqlite::Database& database);

/// Writes rows; its statements are prepared once.
class Writer {
public:
    [[nodiscard]] static Result<Writer> prepare(const sqlite::Database& database);

    [[nodiscard]] Result<void> write(const Write& write);

private:
    std::vector<sqlite::Statement> statements_;  // One for each kind of Write, in their order.
    std::string encoded_;                        // Used again.
};

}  // namespace muster::coordinator::rows
