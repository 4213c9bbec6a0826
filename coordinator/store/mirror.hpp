#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/sqlite/sqlite.hpp"
#include "coordinator/core/ledger/audit/audit_chain.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/store/rows.hpp"
#include "coordinator/store/schema.hpp"

namespace muster::coordinator {

/// What a write did to a shared store.
struct RowChange {
    std::string table;
    /// Of the row in its table: a name, an id in hex, or a number with leading zeros, so that keys
    /// sort like rows.
    std::string key;
    /// The row: a JSON object of its columns, where a list of one text is a blob in hex. Nothing:
    /// the row is gone.
    std::optional<std::string> text;
    bool and_before = false;  ///< Gone are all rows of the table before this key, but not this one.
};

/// The key of a row that has a number.
[[nodiscard]] std::string row_key(std::uint64_t number);

/// The tables of the store in memory, as a copy of a store that holds each row as text under a key,
/// such as etcd. Rows go both ways, so one schema and one code of rows serve every store.
///
/// A column or a table that this version does not know is left out, and a missing column has its
/// default. What the schema of the store does not have is not given: so versions can share a store.
class Mirror {
public:
    /// `name`: of the store, in errors. `cluster`: the id until the row of the cluster is put.
    [[nodiscard]] static Result<std::unique_ptr<Mirror>> open(const std::string& name,
                                                              const ClusterId& cluster);

    /// Over a database that has the tables, or gets them.
    [[nodiscard]] static Result<std::unique_ptr<Mirror>> over(
        std::unique_ptr<sqlite::Database> database, const ClusterId& cluster);

    /// The schema of the store, which may be older than the newest one.
    [[nodiscard]] std::uint32_t schema() const { return schema_; }
    /// An error: this version does not know it.
    [[nodiscard]] Result<void> set_schema(std::uint32_t schema);

    /// Writes, and says what that changed. Nothing: no row.
    [[nodiscard]] Result<std::optional<RowChange>> apply(const Write& write);
    /// Takes a row over.
    [[nodiscard]] Result<void> put(std::string_view table, std::string_view text);
    /// Takes the loss of a row over.
    [[nodiscard]] Result<void> erase(const RowChange& gone);

    /// Every row, in the order of tables and keys, until `use` fails.
    [[nodiscard]] Result<void> each_row(
        const std::function<Result<void>(const RowChange&)>& use) const;
    /// True: put() takes rows of this table.
    [[nodiscard]] bool knows(std::string_view table) const { return columns_.contains(table); }

    [[nodiscard]] Result<StoreImage> image() const;
    [[nodiscard]] Result<AuditPage> audit(std::optional<std::uint64_t> since,
                                          std::uint32_t limit) const {
        return rows::read_audit(*database_, since, limit);
    }
    [[nodiscard]] const sqlite::Database& database() const { return *database_; }

private:
    Mirror(std::unique_ptr<sqlite::Database> database, rows::Writer writer)
        : database_{std::move(database)}, writer_{std::move(writer)} {}
    /// The columns of each table.
    using Columns = std::map<std::string, std::set<std::string>, std::less<>>;

    [[nodiscard]] static Result<Columns> columns_in(const sqlite::Database& database);
    /// The columns from `first` on that the store has.
    [[nodiscard]] std::string text_of_row(std::string_view table, const sqlite::Statement& row,
                                          int first = 0) const;
    [[nodiscard]] Result<std::string> text_of(std::string_view table, const std::string& key);

    std::unique_ptr<sqlite::Database> database_;
    rows::Writer writer_;
    std::map<std::string, sqlite::Statement, std::less<>> reads_;  // Of one row, by table.
    Columns columns_;                                              // Of this version,
    Columns shared_;                                               // and of the store.
    std::uint32_t schema_ = rows::schema_version;
};

}  // namespace muster::coordinator
