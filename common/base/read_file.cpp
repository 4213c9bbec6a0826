#include "common/base/read_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include "common/base/file_descriptor.hpp"

namespace muster {

Result<std::string> read_file(const std::string& path, std::size_t most, std::string_view begin) {
    const bool is_input = path == "-";
    const FileDescriptor opened{is_input ? -1 : open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    const int file = is_input ? STDIN_FILENO : opened.get();
    if (file < 0) {
        return fail(Errc::io, "'" + path + "' cannot be opened: " + std::strerror(errno));
    }
    std::string text;
    std::array<char, 65'536> piece{};
    while (true) {
        const auto got = read(file, piece.data(), piece.size());
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

std::vector<std::string> names_in(const std::string& directory) {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator entry{directory, error}, end; !error && entry != end;
         entry.increment(error)) {
        names.push_back(entry->path().filename().string());
    }
    return names;
}

}  // namespace muster
