#include "coordinator/store/sqlite_store.hpp"

#include <filesystem>
#include <sys/stat.h>

#include "common/base/ensure.hpp"
#include "common/base/paths.hpp"
#include "coordinator/store/schema.hpp"
#include "coordinator/store/store_file.hpp"

namespace muster::coordinator {
namespace {

// EXCLUSIVE takes its lock at the first access, hence the transaction below, which also shows
// whether the file is writable. secure_delete would write each erased page twice.
constexpr const char* settings = R"(
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA secure_delete = OFF;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
)";

FileIdentity identity_of(const std::string& path) {
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0) {
        return std::nullopt;
    }
    return std::pair<std::uint64_t, std::uint64_t>{status.st_dev, status.st_ino};
}

std::vector<FileIdentity> files_of_store(const std::string& path) {
    return {identity_of(path), identity_of(path + "-wal")};
}

}  // namespace

SqliteStore::SqliteStore(std::unique_ptr<sqlite::Database> database)
    : database_{std::move(database)} {}

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::string& path,
                                                       const ClusterId& if_new) {
    const auto directory = std::filesystem::path{path}.parent_path().string();
    const auto prepare = [&](std::unique_ptr<sqlite::Database>&& database) {
        const auto made = [&] { return rows::make_tables(*database, if_new); };
        return database->execute(settings)
            .and_then([&] { return rows::check_schema(*database); })
            .and_then([&] { return sqlite::in_transaction(*database, made); })
            .and_then([&] { return rows::check_integrity(*database); })
            .map(
                [&] { return std::unique_ptr<SqliteStore>{new SqliteStore{std::move(database)}}; });
    };
    return paths::make_private_directory(directory)
        .and_then([&] { return check_files(path); })
        .and_then([&] { return check_log(path); })
        .and_then([&] { return check_not_moved(path); })
        .and_then([&] { return sqlite::Database::open(path, "store"); })
        .and_then(prepare);
}

Result<StoreImage> SqliteStore::begin_leadership(const LeaderId& leader) {
    ensure(!queue_.is_started(), "one leadership for each opening of the store");
    auto writer = rows::Writer::prepare(*database_);
    if (!writer) {
        return tl::unexpected{writer.error()};
    }
    writer_ = std::move(*writer);
    StoreImage image;
    const auto begun = sqlite::in_transaction(*database_, [&] {
        return rows::read_image(*database_).and_then([&](StoreImage&& read) {
            image = std::move(read);
            image.meta.epoch = next(image.meta.epoch);
            image.meta.leader = leader;
            leadership_ = image.meta;
            return writer_->write(leadership_);
        });
    });
    if (!begun) {
        return tl::unexpected{begun.error()};
    }
    files_ = files_of_store(database_->path());
    queue_.start([this](const std::vector<Persist>& group) { return commit(group); });
    return image;
}

Result<void> SqliteStore::check_place() const {
    if (files_of_store(database_->path()) == files_) {
        return {};
    }
    return fail(Errc::store_failed, "store '" + database_->path() +
                                        "' or its -wal was removed or replaced while in use");
}

Result<AuditPage> SqliteStore::audit(std::optional<std::uint64_t> since,
                                     std::uint32_t limit) const {
    const std::lock_guard lock{file_};
    return rows::read_audit(*database_, since, limit);
}

Result<void> SqliteStore::commit(const std::vector<Persist>& group) {
    const std::lock_guard lock{file_};
    const auto written = sqlite::in_transaction(*database_, [&]() -> Result<void> {
        const auto meta = rows::read_meta(*database_);
        if (!meta) {
            return tl::unexpected{meta.error()};
        }
        if (meta->epoch != leadership_.epoch || meta->leader != leadership_.leader) {
            return fail(Errc::not_leader,
                        "store '" + database_->path() + "' belongs to another leader now");
        }
        Result<void> done;
        for (auto persist = group.begin(); done && persist != group.end(); ++persist) {
            done = write(*persist);
        }
        return done;
    });
    return written ? check_place() : written;
}

Result<void> SqliteStore::write(const Persist& persist) {
    for (const auto& row : persist.writes) {
        if (auto written = writer_->write(row); !written) {
            return written;
        }
        if (const auto* const own = std::get_if<Meta>(&row)) {
            leadership_ = *own;  // After an accept the same leader continues with a new epoch.
        }
    }
    return {};
}

}  // namespace muster::coordinator
