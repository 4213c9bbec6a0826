#include "common/base/read_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace muster {

namespace {

class File {
public:
    explicit File(int fd) : fd_{fd} {}
    ~File() {
        if (fd_ > STDERR_FILENO) {
            close(fd_);
        }
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    [[nodiscard]] int fd() const { return fd_; }

private:
    int fd_;
};

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t most, std::string_view begin) {
    const File file{path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.fd() < 0) {
        return fail(Errc::io, "'" + path + "' cannot be opened: " + std::strerror(errno));
    }
    std::string text;
    std::array<char, 65'536> piece{};
    while (true) {
        const auto got = read(file.fd(), piece.data(), piece.size());
        if (got < 0 && errno != EINTR) {
            return fail(Errc::io, "'" + path + "' cannot be read: " + std::strerror(errno));
        }
        if (got == 0) {
            return text;
        }
        text.append(piece.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
        if (!text.starts_with(begin.substr(0, text.size()))) {
            return text;
        }
        if (text.size() > most) {
            return fail(Errc::too_large, "'" + path + "' is larger than it may be, " +
                                             std::to_string(most) + " bytes");
        }
    }
}

}  // namespace muster
