#include "coordinator/store/store_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include "common/sqlite/sqlite.hpp"

namespace muster::coordinator {
namespace {

std::optional<struct stat> status_of(const std::string& path) {
    struct stat status = {};
    return stat(path.c_str(), &status) == 0 ? std::optional{status} : std::nullopt;
}

std::string kind_of(mode_t mode) {
    return S_ISFIFO(mode)   ? "pipe"
           : S_ISDIR(mode)  ? "directory"
           : S_ISSOCK(mode) ? "socket"
                            : "device";
}

/// `access`: R_OK and W_OK, as the caller needs them.
Result<void> check_file(const std::string& path, int access) {
    const auto status = status_of(path);
    if (!status) {
        return errno == ENOENT
                   ? Result<void>{}
                   : fail(Errc::store_failed,
                          "store '" + path + "' cannot be looked at: " + std::strerror(errno));
    }
    if (!S_ISREG(status->st_mode)) {
        return fail(Errc::store_failed,
                    "store '" + path + "' is a " + kind_of(status->st_mode) + ", not a file");
    }
    if (faccessat(AT_FDCWD, path.c_str(), access, AT_EACCESS) != 0) {
        return fail(
            Errc::store_failed,
            fmt::format("store '{}' cannot be {}: {}; its mode is {:04o}, it belongs to "
                        "user {}, and this program runs as user {}",
                        path, (access & W_OK) != 0 ? "read and written" : "read",
                        std::strerror(errno), status->st_mode & 07777U, status->st_uid, geteuid()));
    }
    return {};
}

}  // namespace

Result<void> check_files(const std::string& path) {
    return check_file(path, R_OK | W_OK).and_then([&] {
        return check_file(path + "-wal", R_OK | W_OK);
    });
}

Result<void> check_readable(const std::string& path) {
    return check_file(path, R_OK)
        .and_then([&] { return check_file(path + "-wal", R_OK); })
        .and_then([&] { return check_log(path); })
        .and_then([&]() -> Result<void> {
            const auto status = status_of(path);
            return !status ? fail(Errc::not_found, "there is no store '" + path + "'")
                   : status->st_size == 0 ? fail(Errc::not_found, "store '" + path + "' is empty")
                                          : Result<void>{};
        });
}

Result<void> check_not_moved(const std::string& path) {
    const std::string moved = moved_name(path);
    return status_of(path) || !status_of(moved)
               ? Result<void>{}
               : fail(Errc::store_failed,
                      "store '" + path + "' was moved to etcd, and " + moved +
                          " is what was left: name etcd in the configuration, or rename the file "
                          "to go back to it");
}

Result<void> check_log(const std::string& path) {
    constexpr off_t least_page = 512;
    const auto bytes = [](const std::string& file) {
        const auto status = status_of(file);
        return status ? status->st_size : off_t{0};
    };
    return bytes(path) < least_page && bytes(path + "-wal") > 0
               ? fail(Errc::store_failed,
                      sqlite::damaged("store '" + path + "' ",
                                      "nothing is left of it but its log, " + path + "-wal"))
               : Result<void>{};
}

bool is_empty_file(const std::string& path) {
    const auto status = status_of(path);
    return status && S_ISREG(status->st_mode) && status->st_size == 0;
}

}  // namespace muster::coordinator
