#pragma once

#include <memory>

#include "common/result.hpp"
#include "coordinator/core/durable.hpp"
#include "coordinator/store/sqlite.hpp"

/// The tables of the store, and what is durable as rows of them. 128-bit ids are 16 bytes, the most
/// significant first, so that they sort as numbers; 64-bit numbers keep their bits.
namespace muster::rows {

/// The schema this program writes. It grows with every change of a table.
inline constexpr std::int64_t schema_version = 1;

/// Makes the tables of an empty file, with `cluster` as its id. Refuses a newer schema.
[[nodiscard]] Result<void> make_tables(const sqlite::Database& database, const ClusterId& cluster);

[[nodiscard]] Result<Meta> read_meta(const sqlite::Database& database);
[[nodiscard]] Result<StoreImage> read_image(const sqlite::Database& database);

/// Writes rows; its statements are prepared once.
class Writer {
public:
    [[nodiscard]] static Result<std::unique_ptr<Writer>> prepare(const sqlite::Database& database);
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    [[nodiscard]] Result<void> write(const Write& write);

private:
    struct Statements;
    explicit Writer(std::unique_ptr<Statements> statements);
    std::unique_ptr<Statements> statements_;
};

}  // namespace muster::rows
