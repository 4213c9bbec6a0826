#include "coordinator/store/tools/whole_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

#include "common/base/file_descriptor.hpp"
#include "common/base/paths.hpp"
#include "common/crypto/key_file.hpp"
#include "coordinator/store/schema.hpp"
#include "coordinator/store/store_file.hpp"
#include "coordinator/store/tools/store_copy.hpp"

namespace muster::coordinator {

namespace {

namespace fs = std::filesystem;

Result<void> make_durable(const std::string& path) {
    const FileDescriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    return file.is_open() && fsync(file.get()) == 0
               ? Result<void>{}
               : fail(Errc::io, path + " cannot be made durable: " + std::strerror(errno));
}

tl::unexpected<Error> led(const std::string& directory) {
    return fail(Errc::refused, "a coordinator leads with the state directory " + directory +
                                   "; stop all coordinators first");
}

std::string in_sql(const std::string& path) {
    std::string quoted = "'";
    for (const char c : path) {
        quoted += c == '\'' ? "''" : std::string{c};
    }
    return quoted + '\'';
}

}  // namespace

Result<std::unique_ptr<Mirror>> read_store_file(const std::string& path) {
    return copy_of_store(path).and_then([](std::unique_ptr<sqlite::Database>&& copy) {
        return rows::check_schema(*copy)
            .and_then([&] { return rows::check_integrity(*copy); })
            .and_then([&]() -> Result<void> {
                const auto version = copy->number("PRAGMA user_version");
                return version && *version == 0 ? rows::damaged(*copy, "it has no tables of muster")
                                                : Result<void>{};
            })
            .and_then([&] { return Mirror::over(std::move(copy), {}); });
    });
}

Result<void> write_store_file(const sqlite::Database& database, const std::string& path) {
    if (std::error_code none; fs::exists(fs::symlink_status(path, none))) {
        return fail(Errc::exists, path + " exists already; choose another name");
    }
    const std::string part = path + ".part";
    unlink(part.c_str());  // Of a program that was killed.
    const auto written =
        write_secret_file(part, "")
            .and_then([&] { return database.execute("VACUUM INTO " + in_sql(part)); })
            .and_then([&] { return make_durable(part); })
            .and_then([&] { return read_store_file(part); })
            .and_then([](const std::unique_ptr<Mirror>& rows) { return rows->image(); })
            .and_then([&](const StoreImage&) { return replace_file(part, path); });
    if (!written) {
        unlink(part.c_str());
        return fail(written.error().code, path + " cannot be made: " + written.error().detail);
    }
    return {};
}

WholeFile::WholeFile(std::string directory)
    : directory_{std::move(directory)}, file_{directory_ + "/store.sqlite"} {}

Result<WholeContent> WholeFile::read() {
    return read_store_file(file_).map([](std::unique_ptr<Mirror>&& rows) {
        return WholeContent{.rows = std::move(rows), .notes = {}};
    });
}

Result<void> WholeFile::check_empty() {
    const auto readable = check_readable(file_);
    if (!readable && readable.error().code == Errc::not_found) {
        return {};
    }
    return fail(Errc::refused, "there is a store '" + file_ +
                                   "' already; if it is not needed any more, stop all "
                                   "coordinators and move it away with its -wal");
}

Result<void> WholeFile::check_unled() {
    const std::string path = directory_ + "/leader.lock";
    const FileDescriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    return file.is_open() && flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
               ? led(directory_)
               : Result<void>{};
}

Result<void> WholeFile::claim() {
    const std::string lock = directory_ + "/leader.lock";
    std::error_code none;
    auto made =
        fs::exists(directory_, none) ? Result<void>{} : paths::make_private_directory(directory_);
    if (made && !fs::exists(lock, none)) {
        made = write_secret_file(lock, "");  // It belongs to the owner of the directory.
    }
    if (!made && made.error().code != Errc::exists) {
        return made;
    }
    return LeaderLock::ask(lock).and_then([&](LeaderLock&& asked) -> Result<void> {
        if (!asked.take_news()) {
            return led(directory_);
        }
        lock_ = std::move(asked);
        return {};
    });
}

Result<void> WholeFile::write(const Mirror& rows) {
    return check_empty().and_then([&] {
        // An empty file, and what a log has without one, is no store.
        unlink(file_.c_str());
        unlink((file_ + "-wal").c_str());
        return write_store_file(rows.database(), file_);
    });
}

Result<std::string> WholeFile::retire(const std::string& successor) {
    const std::string moved = moved_name(file_);
    std::error_code none;
    auto kept = replace_file(file_, moved);
    if (kept && fs::exists(file_ + "-wal", none)) {
        kept = replace_file(file_ + "-wal", moved + "-wal");
    }
    return kept.map([&] {
        return "the old store is kept as " + moved +
               ", and no coordinator begins a new one beside it; all is now in " + successor;
    });
}

}  // namespace muster::coordinator
