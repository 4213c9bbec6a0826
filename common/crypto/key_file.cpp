#include "common/crypto/key_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file_descriptor.hpp"

namespace muster {
namespace {

constexpr std::size_t most_bytes = 16 * 1024;

tl::unexpected<Error> failed(const std::string& path, std::string_view what) {
    const Errc code = errno == ENOENT ? Errc::not_found : Errc::io;
    return fail(code, path + " cannot be " + std::string{what} + ": " + std::strerror(errno));
}

std::string directory_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

Result<void> make_name_durable(const std::string& path) {
    const FileDescriptor directory{
        open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    return directory.is_open() && fsync(directory.get()) == 0 ? Result<void>{}
                                                              : failed(path, "made durable");
}

Result<void> check_owner(const std::string& path, int file) {
    struct stat status = {};
    if (fstat(file, &status) != 0) {
        return failed(path, "checked");
    }
    if (!S_ISREG(status.st_mode)) {
        return fail(Errc::refused, path + " is not a regular file");
    }
    if (status.st_uid != geteuid() && geteuid() != 0) {
        return fail(Errc::refused, path + " belongs to user " + std::to_string(status.st_uid) +
                                       ", so its secret is not ours: run as that user");
    }
    if ((status.st_mode & 0077U) != 0) {
        return fail(Errc::refused,
                    path + " holds a secret, and others may read or change it: 'chmod 600 " + path +
                        "' if nobody has read it, otherwise make a new key");
    }
    return {};
}

}  // namespace

std::optional<std::string> value_in(std::string_view text, std::string_view name) {
    const std::string begin = std::string{name} + " = \"";
    const auto at = text.starts_with(begin) ? 0 : text.find('\n' + begin);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const auto from = text.find('"', at) + 1;
    const auto to = text.find('"', from);
    return to == std::string_view::npos ? std::nullopt
                                        : std::optional{std::string{text.substr(from, to - from)}};
}

Result<void> write_secret_file(const std::string& path, std::string_view text) {
    const FileDescriptor file{
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
    if (!file.is_open()) {
        return errno == EEXIST ? fail(Errc::exists, path + " exists already")
                               : failed(path, "made");
    }
    // A daemon of another user must be able to read what root made in its directory.
    struct stat directory = {};
    if (geteuid() == 0 && stat(directory_of(path).c_str(), &directory) == 0 &&
        fchown(file.get(), directory.st_uid, directory.st_gid) != 0) {
        return failed(path, "given to the owner of its directory");
    }
    if (const int error = write_all(file.get(), text); error != 0 || fsync(file.get()) != 0) {
        errno = error != 0 ? error : errno;
        auto written = failed(path, "written");
        unlink(path.c_str());
        return written;
    }
    return make_name_durable(path);
}

Result<void> replace_file(const std::string& from, const std::string& to) {
    return std::rename(from.c_str(), to.c_str()) == 0 ? make_name_durable(to)
                                                      : failed(to, "replaced");
}

Result<std::string> read_secret_file(const std::string& path) {
    const FileDescriptor file{open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
    if (!file.is_open()) {
        return failed(path, "read");
    }
    if (const auto ours = check_owner(path, file.get()); !ours) {
        return tl::unexpected{ours.error()};
    }
    std::string text(most_bytes, '\0');
    const auto size = read(file.get(), text.data(), text.size());
    if (size < 0) {
        return failed(path, "read");
    }
    text.resize(static_cast<std::size_t>(size));
    return text;
}

Result<void> write_key_file(const std::string& path, const KeyPair& pair, std::string_view whose) {
    return write_secret_file(path, "# " + std::string{whose} + '\n' + key_lines(pair));
}

Result<KeyPair> read_key_file(const std::string& path) {
    return read_secret_file(path).and_then(
        [&](const std::string& text) { return read_key(text, path); });
}

std::string key_lines(const KeyPair& pair) {
    return "public = \"" + to_string(pair.open) + "\"\nsecret = \"" + secret_text(pair.secret) +
           "\"\n";
}

Result<KeyPair> read_key(std::string_view text, const std::string& path) {
    const auto open = parse_public_key(value_in(text, "public").value_or(""));
    const auto secret = parse_secret_key(value_in(text, "secret").value_or(""));
    if (!open || !secret) {
        return fail(Errc::invalid,
                    path +
                        " is not a whole key file: it needs a line public = \"KEY\" and a line "
                        "secret = \"KEY\", each with 64 hexadecimal digits; restore it from a "
                        "copy, or make a new key");
    }
    if (public_half(*secret) != *open) {
        return fail(Errc::invalid, path +
                                       " holds halves of two different keys: the public one is "
                                       "not that of the secret one");
    }
    return KeyPair{*open, *secret};
}

}  // namespace muster
