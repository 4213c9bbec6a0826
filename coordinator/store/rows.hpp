#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/sqlite/sqlite.hpp"
#include "coordinator/core/ledger/audit/audit_chain.hpp"
#include "coordinator/core/rows.hpp"

/// Reads and writes the rows of the store's tables.
namespace muster::coordinator::rows {

[[nodiscard]] Result<Meta> read_meta(const sqlite::Database& database);
/// With `faults`, a row that cannot be read, or that no program of ours wrote, is described there;
/// otherwise it is an error.
[[nodiscard]] Result<StoreImage> read_image(const sqlite::Database& database,
                                            std::vector<std::string>* faults = nullptr);

/// At most so many rows of the audit after a number; without one the newest.
[[nodiscard]] Result<AuditPage> read_audit(const sqlite::Database& database,
                                           std::optional<std::uint64_t> since, std::uint32_t limit);

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
