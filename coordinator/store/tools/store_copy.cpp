#include "coordinator/store/tools/store_copy.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file_descriptor.hpp"
#include "coordinator/store/store_file.hpp"

namespace muster::coordinator {

namespace {

namespace fs = std::filesystem;

/// A directory that nobody else enters, removed with its content.
class PrivateDirectory {
public:
    PrivateDirectory() {
        std::error_code none;
        path_ = (fs::temp_directory_path(none) / "muster-store-XXXXXX").string();
        if (mkdtemp(path_.data()) == nullptr) {
            error_ = errno;
        }
    }
    ~PrivateDirectory() {
        std::error_code ignored;
        if (error_ == 0) {
            fs::remove_all(path_, ignored);
        }
    }
    PrivateDirectory(const PrivateDirectory&) = delete;
    PrivateDirectory& operator=(const PrivateDirectory&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] int error() const { return error_; }

private:
    std::string path_;
    int error_ = 0;
};

/// What changes when a writer begins the log again: its first bytes have two random numbers.
struct LogMark {
    ino_t file = 0;
    std::array<char, 32> header{};
    bool is_written = false;

    friend bool operator==(const LogMark&, const LogMark&) = default;
};

LogMark mark_of(const std::string& log) {
    LogMark mark;
    const FileDescriptor file{open(log.c_str(), O_RDONLY | O_CLOEXEC)};
    struct stat status = {};
    if (file.is_open() && fstat(file.get(), &status) == 0) {
        mark.file = status.st_ino;
        mark.is_written = read(file.get(), mark.header.data(), mark.header.size()) ==
                          static_cast<ssize_t>(mark.header.size());
    }
    return mark;
}

/// Without a log, only its time shows that a file was written.
struct FileMark {
    ino_t file = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;

    friend bool operator==(const FileMark&, const FileMark&) = default;
};

FileMark time_of(const std::string& path) {
    struct stat status = {};
    return stat(path.c_str(), &status) == 0
               ? FileMark{status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec}
               : FileMark{};
}

Result<void> copy_file(const std::string& from, const std::string& to) {
    std::error_code error;
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
    if (!error) {
        return {};
    }
    return error == std::errc::no_space_on_device
               ? fail(Errc::io, "there is no space for a copy of the store at " + to +
                                    "; TMPDIR can name a directory with more")
               : fail(Errc::io, from + " cannot be copied to " + to + ": " + error.message());
}

/// False: the log was begun again meanwhile.
Result<bool> copy_both(const std::string& path, const std::string& to,
                       const std::function<void()>& between) {
    const std::string log = path + "-wal";
    const LogMark before = mark_of(log);
    const FileMark written = time_of(path);
    std::error_code ignored;
    fs::remove(to + "-wal", ignored);
    return copy_file(path, to)
        .and_then([&] {
            between();
            return before.is_written ? copy_file(log, to + "-wal") : Result<void>{};
        })
        .map([&] {
            return mark_of(log) == before && (before.is_written || time_of(path) == written);
        });
}

Result<void> copy_at_one_moment(const std::string& path, const std::string& to,
                                const std::function<void()>& between) {
    constexpr int most_tries = 100;
    for (int tries = 0; tries < most_tries; ++tries) {
        const auto copied = copy_both(path, to, between);
        const bool may_be_gone = !copied && !fs::exists(path + "-wal");  // It was closed meanwhile.
        if (!copied && !(may_be_gone && fs::exists(path))) {
            return tl::unexpected{copied.error()};
        }
        if (copied && *copied) {
            return {};
        }
    }
    return fail(Errc::busy, "the store '" + path + "' is written too fast to be copied; try again");
}

// All of the log goes into the copy, which needs no other file from then on.
constexpr const char* alone = R"(
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = MEMORY;
    PRAGMA trusted_schema = OFF;
)";

}  // namespace

Result<std::unique_ptr<sqlite::Database>> copy_of_store(const std::string& path,
                                                        const std::function<void()>& between) {
    const PrivateDirectory directory;
    if (directory.error() != 0) {
        return fail(Errc::io, "no directory for a copy of the store can be made (" +
                                  directory.path() + "): " + std::strerror(directory.error()));
    }
    const std::string copy = directory.path() + "/store.sqlite";
    return check_readable(path)
        .and_then([&] { return copy_at_one_moment(path, copy, between); })
        .and_then([&] { return sqlite::Database::open_copy(copy, path, "store"); })
        .and_then([&](std::unique_ptr<sqlite::Database>&& database) {
            return database->execute(alone).map([&] { return std::move(database); });
        });
}

}  // namespace muster::coordinator
