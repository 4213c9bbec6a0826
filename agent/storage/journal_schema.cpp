#include "agent/storage/journal_schema.hpp"

#include <cstdint>

namespace muster::agent {

namespace {

// Each commit is synced before it is confirmed. The lock of the state directory excludes other
// agents.
constexpr const char* pragmas =
    "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
    "PRAGMA secure_delete=OFF";

constexpr const char* tables = R"(
    CREATE TABLE IF NOT EXISTS meta (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        boot BLOB NOT NULL
    );
    CREATE TABLE IF NOT EXISTS instances (
        task TEXT NOT NULL,
        ordinal INTEGER NOT NULL,
        generation INTEGER NOT NULL,
        digest BLOB NOT NULL,
        process INTEGER NOT NULL,
        pid INTEGER NOT NULL,
        start_ticks INTEGER NOT NULL,
        leaving INTEGER NOT NULL,
        state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 6),
        restarts INTEGER NOT NULL,
        exit_code INTEGER NOT NULL,
        exit_signal INTEGER NOT NULL,
        started INTEGER NOT NULL,
        detail TEXT NOT NULL,
        retry_at INTEGER,
        running_since INTEGER,
        delay INTEGER NOT NULL,
        starts BLOB NOT NULL,
        order_life INTEGER NOT NULL DEFAULT 0,
        order_tag BLOB NOT NULL DEFAULT x'00000000000000000000000000000000',
        PRIMARY KEY (task, ordinal)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS specs (
        task TEXT NOT NULL,
        digest BLOB NOT NULL,
        spec BLOB NOT NULL,
        PRIMARY KEY (task, digest)
    ) WITHOUT ROWID;
)";

// From schema 1. Its instances have no proofs of their orders.
constexpr const char* columns_of_proofs = R"(
    ALTER TABLE instances ADD COLUMN order_life INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE instances ADD COLUMN order_tag BLOB NOT NULL
        DEFAULT x'00000000000000000000000000000000';
    PRAGMA user_version = 2;
)";

constexpr int schema_version = 2;

/// Brings a journal of an earlier version to the present schema, in one transaction.
Result<void> migrate(const sqlite::Database& database) {
    return database.number("PRAGMA user_version").and_then([&](std::int64_t version) {
        return version != 1 ? Result<void>{} : sqlite::in_transaction(database, [&] {
            return database.execute(columns_of_proofs);
        });
    });
}

Result<void> check(const sqlite::Database& database) {
    const auto version = database.number("PRAGMA user_version");
    if (!version) {
        return tl::unexpected{version.error()};
    }
    if (*version > schema_version) {
        return fail(Errc::refused, "journal '" + database.path() +
                                       "' was written by a newer muster-agent; start that version");
    }
    return database.first_finding("PRAGMA quick_check(1)").and_then([&](const std::string& found) {
        return found == "ok" ? Result<void>{}
                             : fail(Errc::malformed,
                                    "journal '" + database.path() + "' is damaged (" + found + ")");
    });
}

}  // namespace

Result<std::unique_ptr<sqlite::Database>> open_journal(const std::string& path) {
    auto database = sqlite::Database::open(path, "journal");
    if (!database) {
        return database;
    }
    const auto ready =
        (*database)
            ->execute(pragmas)
            .and_then([&] { return check(**database); })
            .and_then([&] { return migrate(**database); })
            .and_then([&] {
                return (*database)->execute(tables + std::string{"PRAGMA user_version = "} +
                                            std::to_string(schema_version));
            });
    if (ready) {
        return database;
    }
    const bool is_damaged = (*database)->is_damaged() || ready.error().code == Errc::malformed;
    return fail(is_damaged ? Errc::malformed : ready.error().code, ready.error().detail);
}

}  // namespace muster::agent
