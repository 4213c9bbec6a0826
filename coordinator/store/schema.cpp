#include "coordinator/store/schema.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "common/sqlite/columns.hpp"

namespace muster::coordinator::rows {

using sqlite::bytes_of;
namespace {

// A wanted task is kept as the request that would add it, an answer in its wire form. The codec of
// the wire reads both, and ignores unknown fields.
constexpr const char* first_tables = R"(
    CREATE TABLE meta (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        cluster BLOB NOT NULL,
        epoch INTEGER NOT NULL,
        leader BLOB NOT NULL,
        counter INTEGER NOT NULL,
        request_horizon INTEGER NOT NULL
    );
    CREATE TABLE tasks (
        name TEXT PRIMARY KEY,
        generation INTEGER NOT NULL,
        created INTEGER NOT NULL,
        wanted BLOB NOT NULL
    );
    CREATE TABLE nodes (
        name TEXT PRIMARY KEY,
        incarnation INTEGER NOT NULL,
        lost INTEGER NOT NULL,
        gone INTEGER NOT NULL,
        ahead INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE requests (
        id BLOB PRIMARY KEY,
        asked BLOB NOT NULL,
        reply BLOB NOT NULL
    );
)";

// The operator's decision about a node has a row of its own, because the node's row is written at
// other times.
constexpr const char* tables_of_intents = R"(
    CREATE TABLE intents (
        name TEXT PRIMARY KEY,
        intent INTEGER NOT NULL CHECK (intent BETWEEN 0 AND 2),
        admission INTEGER NOT NULL CHECK (admission BETWEEN 0 AND 2),
        pool TEXT NOT NULL,
        reason TEXT NOT NULL,
        author TEXT NOT NULL,
        since INTEGER NOT NULL,
        deadline INTEGER NOT NULL,
        force INTEGER NOT NULL,
        remove INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE settings (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) WITHOUT ROWID;
)";

// Before this table, operators' freezes were four settings.
constexpr const char* table_of_freeze = R"(
    CREATE TABLE freeze (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        reason TEXT NOT NULL,
        author TEXT NOT NULL,
        since INTEGER NOT NULL
    );
    INSERT INTO freeze
        SELECT 1, ifnull(max(iif(name = 'freeze.reason', value, NULL)), ''),
            ifnull(max(iif(name = 'freeze.author', value, NULL)), ''),
            ifnull(max(iif(name = 'freeze.since', CAST(value AS INTEGER), NULL)), 0)
        FROM settings
        HAVING max(name = 'freeze' AND value = 'on');
    DELETE FROM settings
        WHERE name IN ('freeze', 'freeze.reason', 'freeze.author', 'freeze.since');
)";

// Rounds were called terms.
constexpr const char* limits_of_rounds = R"(
    UPDATE settings SET name = 'starts_per_round' WHERE name = 'starts_per_term';
    UPDATE settings SET name = 'moves_per_round' WHERE name = 'moves_per_term';
)";

// The instances that ended well, one bit each; 100,000 of them are 12 KB.
constexpr const char* table_of_ends = R"(
    CREATE TABLE ends (
        name TEXT PRIMARY KEY,
        generation INTEGER NOT NULL,
        ordinals BLOB NOT NULL
    );
)";

// A name has one key or two. Patterns have no spaces, so spaces separate them.
constexpr const char* tables_of_keys = R"(
    CREATE TABLE keys (
        name TEXT PRIMARY KEY,
        role INTEGER NOT NULL CHECK (role BETWEEN 0 AND 3),
        key BLOB NOT NULL,
        since INTEGER NOT NULL,
        until INTEGER NOT NULL,
        second_key BLOB NOT NULL,
        second_since INTEGER NOT NULL,
        second_until INTEGER NOT NULL,
        revoked INTEGER NOT NULL,
        pools TEXT NOT NULL,
        tasks TEXT NOT NULL,
        author TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE tokens (
        id TEXT PRIMARY KEY,
        hash BLOB NOT NULL,
        pattern TEXT NOT NULL,
        uses INTEGER NOT NULL,
        until INTEGER NOT NULL,
        author TEXT NOT NULL
    ) WITHOUT ROWID;
)";

// The one row of the head says which rows there must be.
constexpr const char* tables_of_audit = R"(
    CREATE TABLE audit (
        number INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        actor TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        action TEXT NOT NULL,
        result TEXT NOT NULL,
        detail TEXT NOT NULL,
        request BLOB NOT NULL,
        epoch INTEGER NOT NULL,
        counter INTEGER NOT NULL,
        previous BLOB NOT NULL,
        hash BLOB NOT NULL
    );
    CREATE TABLE audit_head (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        number INTEGER NOT NULL,
        first INTEGER NOT NULL,
        hash BLOB NOT NULL,
        seal BLOB NOT NULL
    );
)";

// While a key of a name is replaced, the second key is the new one.
constexpr const char* rotation_of_keys = R"(
    ALTER TABLE keys ADD COLUMN rotation INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE keys ADD COLUMN lasting_until INTEGER NOT NULL DEFAULT 0;
)";

// The key of the values is not in the store.
constexpr const char* table_of_secrets = R"(
    CREATE TABLE secrets (
        name TEXT PRIMARY KEY,
        version INTEGER NOT NULL,
        since INTEGER NOT NULL,
        author TEXT NOT NULL,
        encrypted TEXT NOT NULL
    ) WITHOUT ROWID;
)";

// A pool is kept as the request that would create it, as tasks are.
constexpr const char* tables_of_pools = R"(
    CREATE TABLE pools (
        name TEXT PRIMARY KEY,
        paused INTEGER NOT NULL,
        since INTEGER NOT NULL,
        author TEXT NOT NULL,
        definition BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE pool_nodes (
        name TEXT PRIMARY KEY,
        pool TEXT NOT NULL,
        provider TEXT NOT NULL,
        id TEXT NOT NULL,
        request TEXT NOT NULL,
        state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 3),
        since INTEGER NOT NULL,
        granted INTEGER NOT NULL,
        of_request INTEGER NOT NULL
    ) WITHOUT ROWID;
)";

constexpr const char* table_of_seasons = R"(
    CREATE TABLE seasons (
        name TEXT PRIMARY KEY,
        usual TEXT NOT NULL
    ) WITHOUT ROWID;
)";

// No table changes. Since then the answer to `upgrade finish` may be among the stored ones.
constexpr const char* answer_of_upgrades = "";

/// The step from each schema to the next.
constexpr std::array steps{
    first_tables,       tables_of_intents,  table_of_freeze, limits_of_rounds,
    table_of_ends,      tables_of_keys,     tables_of_audit, rotation_of_keys,
    table_of_secrets,   answer_of_upgrades, tables_of_pools, table_of_seasons,
#ifdef MUSTER_NEXT_SCHEMA
    MUSTER_NEXT_SCHEMA,  // Tests run this version beside one that is newer.
#endif
};

Result<void> insert_meta(const sqlite::Database& database, const ClusterId& cluster) {
    return database.prepare("INSERT INTO meta VALUES (1, ?, 0, ?, 0, 0)")
        .and_then([&](sqlite::Statement&& insert) {
            return insert.bind_blob(1, bytes_of(cluster)).bind_blob(2, bytes_of(LeaderId{})).run();
        });
}

}  // namespace

const std::uint32_t schema_version = steps.size();

tl::unexpected<Error> damaged(const sqlite::Database& database, std::string_view how) {
    return fail(Errc::store_failed,
                sqlite::damaged("store '" + database.path() + "' ", how, database.is_file()));
}

Result<void> check_integrity(const sqlite::Database& database) {
    return database.first_finding("PRAGMA integrity_check(1)").and_then([&](std::string found) {
        std::replace(found.begin(), found.end(), '\n', ' ');
        return found == "ok" ? Result<void>{} : damaged(database, found);
    });
}

Result<void> check_schema(const sqlite::Database& database) {
    return database
        .first_finding(
            "SELECT type || ' ' || quote(name) FROM sqlite_master "
            "WHERE type IN ('trigger', 'view') ORDER BY name")
        .and_then([&](const std::string& found) {
            return found == "ok" ? Result<void>{}
                                 : damaged(database, "its schema holds the " + found +
                                                         ", which muster never made");
        });
}

tl::unexpected<Error> too_new(const std::string& name, std::uint32_t schema) {
    return fail(Errc::store_failed, name + " was written by a newer muster (schema " +
                                        std::to_string(schema) + ", this one knows " +
                                        std::to_string(schema_version) + "); start that version");
}

Result<void> make_tables(const sqlite::Database& database, const ClusterId& cluster,
                         std::uint32_t schema) {
    const auto version = database.number("PRAGMA user_version");
    if (!version) {
        return tl::unexpected{version.error()};
    }
    if (*version > std::int64_t{schema}) {
        return too_new("store '" + database.path() + "'", static_cast<std::uint32_t>(*version));
    }
    if (*version < 0) {
        return damaged(database, "schema " + std::to_string(*version));
    }
    Result<void> made;
    for (std::int64_t at = *version; made && at < std::int64_t{schema}; ++at) {
        made = database.execute(steps.at(static_cast<std::size_t>(at)));
        if (made && at == 0) {
            made = insert_meta(database, cluster);
        }
    }
    if (made && *version < std::int64_t{schema}) {
        made = database.execute("PRAGMA user_version = " + std::to_string(schema));
    }
    return made;
}

}  // namespace muster::coordinator::rows
