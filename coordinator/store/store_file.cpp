#include "coordinator/store/store_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

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

Result<void> check_file(const std::string& path) {
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
    if (faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK, AT_EACCESS) != 0) {
        return fail(Errc::store_failed,
                    fmt::format("store '{}' cannot be read and written: {}; its mode is {:04o}, it "
                                "belongs to user {}, and this program runs as user {}",
                                path, std::strerror(errno), status->st_mode & 07777U,
                                status->st_uid, geteuid()));
    }
    return {};
}

}  // namespace

Result<void> check_files(const std::string& path) {
    return check_file(path).and_then([&] { return check_file(path + "-wal"); });
}

bool is_empty_file(const std::string& path) {
    const auto status = status_of(path);
    return status && S_ISREG(status->st_mode) && status->st_size == 0;
}

}  // namespace muster::coordinator
