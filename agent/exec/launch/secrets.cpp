#include "agent/exec/launch/secrets.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/base/fnv.hpp"
#include "common/base/limits.hpp"
#include "common/base/number.hpp"
#include "common/base/paths.hpp"
#include "common/base/read_file.hpp"

namespace muster::agent {

namespace {

constexpr mode_t file_mode = 0400;
constexpr mode_t directory_mode = 0500;
// Linux has it everywhere, in memory.
constexpr const char* memory_file_system = "/dev/shm";

// The administrator of the host can repair the secret. Meanwhile the coordinator tries other hosts.
NoLaunch refused(const std::string& what) { return NoLaunch{permanent(what)}; }

NoLaunch not_copied(const std::string& name) {
    return NoLaunch{
        {false, true, "the secret '" + name + "' cannot be copied: " + std::strerror(errno)}};
}

std::string octal(mode_t mode) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777U));
    return text.data();
}

// Why the file cannot be a secret. Empty: it can.
std::string fault_of_secret(const struct stat& status) {
    if (!S_ISREG(status.st_mode)) {
        return "is not a regular file: put the file itself there";
    }
    if ((status.st_mode & 077U) != 0) {
        return "can be read by others, its mode is " + octal(status.st_mode) +
               ": give it the mode 0600 or 0400";
    }
    if (status.st_uid != 0 && status.st_uid != geteuid()) {
        return "belongs to user " + std::to_string(status.st_uid) + ": give it to user " +
               std::to_string(geteuid()) + (geteuid() == 0 ? "" : " or 0");
    }
    if (status.st_size > static_cast<off_t>(limits::secret_bytes)) {
        return "has " + std::to_string(status.st_size) + " bytes; " +
               std::to_string(limits::secret_bytes) + " are allowed";
    }
    return {};
}

bool copy_bytes(int from, int to) {
    std::array<char, 4096> bytes{};
    bool done = false;
    std::size_t left = limits::secret_bytes;  // The file may grow while it is read.
    while (!done && left > 0) {
        const ssize_t count = read(from, bytes.data(), std::min(bytes.size(), left));
        if (count < 0 || write(to, bytes.data(), static_cast<std::size_t>(count)) != count) {
            break;
        }
        left -= static_cast<std::size_t>(count);
        done = count == 0;
    }
    explicit_bzero(bytes.data(), bytes.size());
    return done || left == 0;
}

bool is_in_memory(const std::string& directory) {
    struct statfs status = {};
    return statfs(directory.c_str(), &status) == 0 &&
           (status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC);
}

/// The same for each life of the agent with this place.
std::string place_in_memory(const std::string& place) {
    if (is_in_memory(place)) {
        return place;
    }
    std::error_code error;
    const std::string real = std::filesystem::canonical(place, error).string();
    Fnv fnv;
    fnv.text(real);
    return std::string{memory_file_system} + "/muster-" + std::to_string(geteuid()) + '-' +
           to_string(fnv.digest()).substr(0, 16);
}

bool give_to(int file, const std::optional<Identity>& identity, mode_t mode) {
    return fchmod(file, mode) == 0 &&
           (!identity || fchown(file, identity->user, identity->group) == 0);
}

}  // namespace

Result<void> Secrets::open(const std::string& source, const std::string& place) {
    source_ = source;
    place_ = place;
    if (auto made = paths::make_private_directory(place_); !made) {
        return made;
    }
    // A task of another user can pass through to its own copies, but cannot list the directory.
    if (geteuid() == 0 && chmod(place_.c_str(), 0711) != 0) {
        return fail(Errc::io, place_ + " cannot be opened to tasks: " + std::strerror(errno));
    }
    memory_place_ = place_in_memory(place_);
    return {};
}

// Another user could make the directory first, so its owner is checked.
tl::expected<void, LaunchFailure> Secrets::open_memory_place() const {
    if (memory_place_ == place_) {
        return {};
    }
    const mode_t mode = geteuid() == 0 ? 0711 : 0700;
    const bool is_new = mkdir(memory_place_.c_str(), 0700) == 0;
    struct stat status = {};
    if ((!is_new && errno != EEXIST) || lstat(memory_place_.c_str(), &status) != 0) {
        return refused("its host has no place in memory for secrets of the coordinator: " +
                       memory_place_ + " cannot be made: " + std::strerror(errno));
    }
    if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
        chmod(memory_place_.c_str(), mode) != 0 || !is_in_memory(memory_place_)) {
        return refused("its host has no place in memory for secrets of the coordinator: " +
                       memory_place_ + " is not a directory of this agent's user in memory");
    }
    return {};
}

tl::expected<void, LaunchFailure> Secrets::copy(ProcessId process,
                                                const std::vector<std::string>& names,
                                                const OpenedSecrets& sent,
                                                const std::optional<Identity>& identity) const {
    if (names.empty() && sent.empty()) {
        return {};
    }
    remove(process);
    const std::string& first = names.empty() ? sent.front()->name() : names.front();
    if (auto ready = sent.empty() ? tl::expected<void, LaunchFailure>{} : open_memory_place();
        !ready) {
        return ready;
    }
    const std::string directory = directory_of(process, !sent.empty());
    if (mkdir(directory.c_str(), 0700) != 0) {
        return not_copied(first);
    }
    for (const Shared<OpenedSecret>& secret : sent) {
        const FileDescriptor to{::open((directory + '/' + secret->name()).c_str(),
                                       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file_mode)};
        errno = to.is_open() ? write_all(to.get(), secret->value()) : errno;
        if (!to.is_open() || errno != 0 || !give_to(to.get(), identity, file_mode)) {
            auto why = not_copied(secret->name());
            remove(process);
            return why;
        }
    }
    for (const auto& name : names) {
        if (auto copied = copy_one(name, directory, identity); !copied) {
            remove(process);
            return copied;
        }
    }
    const FileDescriptor opened{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!opened.is_open() || !give_to(opened.get(), identity, directory_mode)) {
        auto why = not_copied(first);
        remove(process);
        return why;
    }
    return {};
}

// The target of a link may be exchanged, and opening a FIFO without O_NONBLOCK would block.
tl::expected<FileDescriptor, LaunchFailure> Secrets::open_secret(const std::string& name) const {
    const std::string path = source_ + '/' + name;
    FileDescriptor file{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    struct stat status = {};
    if (!file.is_open() && errno == ENOENT) {
        return refused("there is no secret '" + name + "' on this host: put it into " + source_ +
                       " with the mode 0600");
    }
    if (!file.is_open() && errno == ELOOP) {
        return refused("the secret " + path + " is a link: put the file itself there");
    }
    if (!file.is_open() || fstat(file.get(), &status) != 0) {
        return refused("the secret " + path + " cannot be read: " + std::strerror(errno));
    }
    if (const auto fault = fault_of_secret(status); !fault.empty()) {
        return refused("the secret " + path + ' ' + fault);
    }
    return file;
}

tl::expected<void, LaunchFailure> Secrets::copy_one(const std::string& name,
                                                    const std::string& directory,
                                                    const std::optional<Identity>& identity) const {
    if (name.find('/') != std::string::npos || name.starts_with('.')) {
        return refused("'" + name + "' is not the name of a secret: a secret is a file in " +
                       source_);
    }
    const auto from = open_secret(name);
    if (!from) {
        return NoLaunch{from.error()};
    }
    const FileDescriptor to{::open((directory + '/' + name).c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file_mode)};
    if (!to.is_open() || !copy_bytes(from->get(), to.get()) ||
        !give_to(to.get(), identity, file_mode)) {
        return not_copied(name);
    }
    return {};
}

void Secrets::remove(ProcessId process) const {
    for (const bool in_memory : {false, true}) {
        const std::string directory = directory_of(process, in_memory);
        std::error_code ignored;
        chmod(directory.c_str(), 0700);
        std::filesystem::remove_all(directory, ignored);
    }
    if (memory_place_ != place_) {
        rmdir(memory_place_.c_str());  // Only if it is empty.
    }
}

void Secrets::remove_but(const std::set<ProcessId>& kept) const {
    remove_but(place_, kept);
    remove_but(memory_place_, kept);
}

void Secrets::remove_but(const std::string& place, const std::set<ProcessId>& kept) const {
    for (const std::string& name : names_in(place)) {
        const auto process = number_in<ProcessId>(name);
        if (process && !kept.contains(*process)) {
            remove(*process);
        }
    }
}

}  // namespace muster::agent
