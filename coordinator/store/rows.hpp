#pragma once

#include <memory>

#include "common/base/result.hpp"
#include "common/sqlite/sqlite.hpp"
#include "coordinator/core/rows.hpp"

/// What is durable, as rows of the store's tables.
namespace muster::coordinator::rows {

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

}  // namespace muster::coordinator::rows
