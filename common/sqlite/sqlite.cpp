#include "common/sqlite/sqlite.hpp"

#include <cstring>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/file_descriptor.hpp"

namespace muster::sqlite {
namespace {

constexpr const char* in_memory_path = ":memory:";

// `store` begins the sentence: `store 'PATH' `.
std::string sentence(const std::string& store, bool is_file, int code, const std::string& words,
                     int system) {
    const auto reason = system != 0 ? words + ": " + std::strerror(system) : words;
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return store + "is in use by another program";
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return damaged(store, words, is_file);
        case SQLITE_FULL: return store + "cannot be written: its disk is full";
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_AUTH:
        case SQLITE_CANTOPEN: return store + "cannot be opened for writing (" + reason + ")";
        default: return store + "failed (" + reason + ")";
    }
}

// The environments of tasks are in these files. SQLite gives the files beside this one its mode.
// What cannot be opened here, SQLite refuses with a reason.
void keep_from_others(const std::string& path) {
    constexpr mode_t own = 0600;
    const FileDescriptor file{open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, own)};
    struct stat status = {};
    if (!file.is_open() || fstat(file.get(), &status) != 0 || (status.st_mode & 0077U) == 0) {
        return;
    }
    fchmod(file.get(), own);
    for (const char* beside : {"-wal", "-shm"}) {
        chmod((path + beside).c_str(), own);
    }
}

int size_of(std::string_view bytes) {
    ensure(bytes.size() <= 0x7fffffffU, "a value that SQLite can hold");
    return static_cast<int>(bytes.size());
}

}  // namespace

std::string damaged(const std::string& store, std::string_view how, bool is_file) {
    return store + "is damaged (" + std::string{how} + "); restore a backup" +
           (is_file ? ", or move the file away to begin with an empty one" : "");
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Statement::Statement(const Database& database, sqlite3_stmt* statement)
    : database_{&database}, statement_{statement} {}

Statement& Statement::bind(int parameter, std::int64_t value) {
    ensure(sqlite3_bind_int64(statement_.get(), parameter, value) == SQLITE_OK, "a parameter");
    return *this;
}

Statement& Statement::bind_null(int parameter) {
    ensure(sqlite3_bind_null(statement_.get(), parameter) == SQLITE_OK, "a parameter");
    return *this;
}

// The bytes are copied, because the caller may free them before the statement runs.

Statement& Statement::bind_text(int parameter, std::string_view text) {
    ensure(sqlite3_bind_text(statement_.get(), parameter, text.data(), size_of(text),
                             SQLITE_TRANSIENT) == SQLITE_OK,
           "a parameter");
    return *this;
}

Statement& Statement::bind_blob(int parameter, std::string_view bytes) {
    ensure(sqlite3_bind_blob(statement_.get(), parameter, bytes.data(), size_of(bytes),
                             SQLITE_TRANSIENT) == SQLITE_OK,
           "a parameter");
    return *this;
}

Result<bool> Statement::step() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) {
        return true;
    }
    if (code != SQLITE_DONE) {
        auto failure = database_->failure();
        sqlite3_reset(statement_.get());
        return failure;
    }
    sqlite3_reset(statement_.get());
    return false;
}

Result<void> Statement::run() {
    return step().map([](bool is_row) { ensure(!is_row, "a statement without rows"); });
}

int Statement::columns() const { return sqlite3_column_count(statement_.get()); }

std::string_view Statement::name(int column) const {
    return sqlite3_column_name(statement_.get(), column);
}

Statement::Kind Statement::kind(int column) const {
    switch (sqlite3_column_type(statement_.get(), column)) {
        case SQLITE_INTEGER: return Kind::number;
        case SQLITE_TEXT: return Kind::text;
        case SQLITE_BLOB: return Kind::blob;
        default: return Kind::other;
    }
}

std::int64_t Statement::number(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

bool Statement::is_null(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::string_view Statement::blob(int column) const {
    const auto* const bytes =
        static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
    const int size = sqlite3_column_bytes(statement_.get(), column);
    return bytes == nullptr ? std::string_view{}
                            : std::string_view{bytes, static_cast<std::size_t>(size)};
}

Database::Database(std::string path, std::string_view what, bool is_file, sqlite3* database)
    : path_{std::move(path)}, what_{what}, is_file_{is_file}, database_{database} {}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, std::string_view what) {
    keep_from_others(path);
    return open_as(path, path, what);
}

Result<std::unique_ptr<Database>> Database::open_copy(const std::string& path,
                                                      const std::string& of,
                                                      std::string_view what) {
    return open_as(of, path, what);
}

Result<std::unique_ptr<Database>> Database::in_memory(const std::string& name,
                                                      std::string_view what) {
    return open_as(name, in_memory_path, what);
}

Result<std::unique_ptr<Database>> Database::open_as(const std::string& name,
                                                    const std::string& path,
                                                    std::string_view what) {
    sqlite3* handle = nullptr;
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
    // A handle must be closed even when opening failed.
    std::unique_ptr<Database> database{new Database{name, what, path != in_memory_path, handle}};
    if (code != SQLITE_OK) {
        return database->failure();
    }
    return database;
}

Result<Statement> Database::prepare(std::string_view sql) const {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_.get(), sql.data(), size_of(sql), &statement, nullptr) !=
        SQLITE_OK) {
        return failure();
    }
    return Statement{*this, statement};
}

Result<void> Database::execute(const std::string& sql) const {
    if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        return failure();
    }
    return {};
}

Result<std::int64_t> Database::number(std::string_view sql) const {
    return prepare(sql).and_then([](Statement statement) {
        return statement.step().map([&](bool is_row) { return is_row ? statement.number(0) : 0; });
    });
}

Result<std::string> Database::first_finding(std::string_view check) const {
    return prepare(check).and_then([](Statement statement) {
        return statement.step().map(
            [&](bool is_row) { return std::string{is_row ? statement.text(0) : "ok"}; });
    });
}

bool Database::is_damaged() const {
    const int code = sqlite3_errcode(database_.get()) & 0xff;
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

tl::unexpected<Error> Database::failure() const {
    const int code = sqlite3_extended_errcode(database_.get());
    return fail(Errc::store_failed,
                sentence(what_ + " '" + path_ + "' ", is_file_, code,
                         sqlite3_errmsg(database_.get()), sqlite3_system_errno(database_.get())));
}

}  // namespace muster::sqlite
