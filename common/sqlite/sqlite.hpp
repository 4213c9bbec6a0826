#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

/// SQLite's C interface with owners and Results. Every error is `store_failed` with one sentence
/// that names the file and a remedy.
namespace muster::sqlite {

class Database;

/// A prepared statement. Parameters count from 1, columns from 0.
class Statement {
public:
    Statement& bind(int parameter, std::int64_t value);
    Statement& bind_null(int parameter);
    Statement& bind_text(int parameter, std::string_view text);
    Statement& bind_blob(int parameter, std::string_view bytes);

    /// True: there is a row. False: it ran to its end, and may be bound and run again.
    [[nodiscard]] Result<bool> step();
    /// Runs it to its end; for statements without rows.
    [[nodiscard]] Result<void> run();

    /// What a value is stored as.
    enum class Kind : std::uint8_t { number, text, blob, other };
    [[nodiscard]] int columns() const;
    [[nodiscard]] std::string_view name(int column) const;
    [[nodiscard]] Kind kind(int column) const;

    [[nodiscard]] std::int64_t number(int column) const;
    [[nodiscard]] bool is_null(int column) const;
    /// Valid until the next step.
    [[nodiscard]] std::string_view text(int column) const { return blob(column); }
    [[nodiscard]] std::string_view blob(int column) const;

private:
    friend class Database;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    Statement(const Database& database, sqlite3_stmt* statement);

    const Database* database_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// The error for a damaged store, with a remedy. `store` is its subject: `store 'PATH' `.
[[nodiscard]] std::string damaged(const std::string& store, std::string_view how,
                                  bool is_file = true);

/// An open file. Used by one thread at a time; it outlives its statements.
class Database {
public:
    /// `what` is the file's name in errors: `store`, `journal`.
    [[nodiscard]] static Result<std::unique_ptr<Database>> open(const std::string& path,
                                                                std::string_view what);

    /// A copy of the file `of`, which stands in errors for the path.
    [[nodiscard]] static Result<std::unique_ptr<Database>> open_copy(const std::string& path,
                                                                     const std::string& of,
                                                                     std::string_view what);
    /// Without a file: its content ends with it. `name` stands in errors for the path.
    [[nodiscard]] static Result<std::unique_ptr<Database>> in_memory(const std::string& name,
                                                                     std::string_view what);

    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database() = default;

    [[nodiscard]] Result<Statement> prepare(std::string_view sql) const;
    /// One or several statements without parameters.
    [[nodiscard]] Result<void> execute(const std::string& sql) const;
    /// The number in the first column of the first row.
    [[nodiscard]] Result<std::int64_t> number(std::string_view sql) const;
    /// The first finding of a check, which is a pragma; `ok`: the file is intact.
    [[nodiscard]] Result<std::string> first_finding(std::string_view check) const;

    [[nodiscard]] const std::string& path() const { return path_; }
    /// False: it is in memory.
    [[nodiscard]] bool is_file() const { return is_file_; }
    /// True if the last error means a damaged file.
    [[nodiscard]] bool is_damaged() const;
    /// The last error as a sentence.
    [[nodiscard]] tl::unexpected<Error> failure() const;

private:
    struct Close {
        void operator()(sqlite3* database) const;
    };
    Database(std::string path, std::string_view what, bool is_file, sqlite3* database);
    [[nodiscard]] static Result<std::unique_ptr<Database>> open_as(const std::string& name,
                                                                   const std::string& path,
                                                                   std::string_view what);

    std::string path_;
    std::string what_;
    bool is_file_;
    std::unique_ptr<sqlite3, Close> database_;
};

/// Runs `body` in a transaction that holds the write lock from its beginning. A result is
/// committed; an error rolls everything back.
template <class Body>
[[nodiscard]] Result<void> in_transaction(const Database& database, Body body) {
    if (auto begun = database.execute("BEGIN IMMEDIATE"); !begun) {
        return begun;
    }
    Result<void> done = body();
    if (done) {
        done = database.execute("COMMIT");
    }
    if (!done) {
        static_cast<void>(database.execute("ROLLBACK"));  // The transaction has already failed.
    }
    return done;
}

}  // namespace muster::sqlite
