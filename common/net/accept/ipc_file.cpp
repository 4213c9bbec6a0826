#include "common/net/accept/ipc_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/file_descriptor.hpp"
#include "common/base/paths.hpp"

namespace muster::net {
namespace {

bool somebody_listens(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) {
        return false;  // bind will report that it is too long.
    }
    path.copy(address.sun_path, path.size());
    const FileDescriptor link{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API asks for it.
    const auto* const to = reinterpret_cast<const sockaddr*>(&address);
    return link.is_open() && connect(link.get(), to, sizeof(address)) == 0;
}

Result<void> check_directory(const std::string& directory) {
    struct stat status {};
    if (stat(directory.c_str(), &status) != 0) {
        return paths::make_private_directory(directory);
    }
    if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 077U) != 0) {
        return fail(Errc::refused, "directory '" + directory +
                                       "' of an ipc endpoint must belong to the user who runs "
                                       "muster and have mode 0700");
    }
    return {};
}

}  // namespace

Result<void> prepare_ipc_file(const std::string& path) {
    const auto directory = std::filesystem::path{path}.parent_path().string();
    if (auto checked = check_directory(directory); !checked) {
        return checked;
    }
    if (somebody_listens(path)) {
        return fail(Errc::io, "ipc://" + path + " is in use by another process");
    }
    return {};
}

Result<void> close_ipc_file_to_others(const std::string& path) {
    if (chmod(path.c_str(), 0600) != 0) {
        return fail(Errc::io, "mode of '" + path + "' cannot be set: " + std::strerror(errno));
    }
    return {};
}

}  // namespace muster::net
