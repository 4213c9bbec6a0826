#include "agent/exec/outputs.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <optional>
#include <poll.h>
#include <set>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace muster {

namespace {

namespace fs = std::filesystem;

constexpr std::array kinds{".out", ".err"};
constexpr const char* tail_suffix = ".1";

Error error_of(const std::string& what) { return {Errc::io, what + ": " + std::strerror(errno)}; }

// The instance that a file belongs to; nothing: the file is not one of ours.
std::optional<std::string> instance_of(std::string_view file) {
    if (file.ends_with(tail_suffix)) {
        file.remove_suffix(std::strlen(tail_suffix));
    }
    for (const char* kind : kinds) {
        if (file.ends_with(kind)) {
            return std::string{file.substr(0, file.size() - std::strlen(kind))};
        }
    }
    return std::nullopt;
}

bool is_regular(const struct stat& status) { return S_ISREG(status.st_mode); }

// Only a regular file, and never one elsewhere: who opens a FIFO waits for its other end.
FileDescriptor open_regular(const FileDescriptor& directory, const std::string& name, int flags) {
    FileDescriptor file{
        openat(directory.get(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)};
    struct stat status = {};
    if (file.is_open() && (fstat(file.get(), &status) != 0 || !is_regular(status))) {
        file.reset();
        errno = EEXIST;
    }
    return file;
}

template <class Function>
void for_each_file(const std::string& directory, Function function) {
    std::error_code gone;
    for (fs::directory_iterator file{directory, gone}, end; !gone && file != end;
         file.increment(gone)) {
        function(file->path().filename().string());
    }
}

}  // namespace

Outputs::~Outputs() {
    if (watcher_.joinable()) {
        eventfd_write(stop_.get(), 1);
        watcher_.join();
    }
}

Result<void> Outputs::open(const std::string& directory) {
    path_ = directory;
    if (mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) {
        return tl::unexpected{error_of(path_ + " cannot be made")};
    }
    directory_ = FileDescriptor{::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
    if (!directory_.is_open()) {
        return tl::unexpected{error_of(path_ + " cannot be opened")};
    }
    written_ = FileDescriptor{inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
    if (!written_.is_open() ||
        inotify_add_watch(written_.get(), path_.c_str(), IN_MODIFY | IN_ONLYDIR) < 0) {
        return tl::unexpected{
            error_of(path_ + " cannot be watched (/proc/sys/fs/inotify has the limits)")};
    }
    stop_ = FileDescriptor{eventfd(0, EFD_CLOEXEC)};
    if (!stop_.is_open()) {
        return tl::unexpected{error_of("an event cannot be made")};
    }
    spare_ = spare_file();
    look_at_all();
    find_ended();
    watcher_ = std::thread{[this] { watch(); }};
    return {};
}

Result<FileDescriptor> Outputs::open_for(const InstanceId& id, const char* kind) {
    std::erase(ended_, to_string(id));
    const std::string name = to_string(id) + kind;
    FileDescriptor file = open_anew(name, O_WRONLY | O_APPEND | O_CREAT);
    if (!file.is_open()) {
        return tl::unexpected{error_of("its output logs/" + name + " cannot be opened")};
    }
    fcntl(file.get(), F_SETFL, O_APPEND);  // The task is to find a file like any other.
    return file;
}

// ---- by the thread, and before it ----

void Outputs::watch() {
    const auto stopped = [this](short events, int timeout) {
        std::array<pollfd, 2> waiting{{{stop_.get(), POLLIN, 0}, {written_.get(), events, 0}}};
        return poll(waiting.data(), waiting.size(), timeout) > 0 && waiting[0].revents != 0;
    };
    while (!stopped(POLLIN, -1)) {
        look_at_written();
        // A task that floods has news all the time: they are taken once in a while.
        if (stopped(0, static_cast<int>(to_ms(limits::between_output_looks)))) {
            return;
        }
    }
}

// One buffer at a time: while several tasks flood, the kernel has thousands of news, mostly of the
// same files.
void Outputs::look_at_written() {
    std::array<char, 32 * 1024> news = {};
    const ssize_t size = read(written_.get(), news.data(), news.size());
    std::set<std::string> names;
    for (ssize_t at = 0; at < size;) {
        inotify_event event = {};
        std::memcpy(&event, news.data() + at, sizeof event);
        if ((event.mask & IN_Q_OVERFLOW) != 0) {
            look_at_all();
        } else if (event.len > 0) {
            names.emplace(news.data() + at + sizeof event);
        }
        at += static_cast<ssize_t>(sizeof event + event.len);
    }
    for (const auto& name : names) {
        look_at(name);
    }
}

void Outputs::look_at(const std::string& name) {
    struct stat status = {};
    if (fstatat(directory_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        is_regular(status) && static_cast<std::size_t>(status.st_size) > bounds_.bytes) {
        spare_.reset();
        cut(name);
        spare_ = spare_file();
    }
}

void Outputs::look_at_all() {
    for_each_file(path_, [this](const std::string& name) { look_at(name); });
}

void Outputs::cut(const std::string& name) {
    const FileDescriptor file = open_regular(directory_, name, O_RDWR | O_APPEND);
    struct stat status = {};
    if (!file.is_open() || fstat(file.get(), &status) != 0) {
        return;
    }
    const bool has_tail = keep_tail(file, name + tail_suffix, status.st_size);
    if (ftruncate(file.get(), 0) != 0) {
        return;
    }
    const std::string where =
        has_tail ? name + tail_suffix + " has the last of them" : "their end could not be kept";
    const std::string mark =
        "[muster: " + std::to_string(status.st_size) + " bytes were cut off here; " + where + "]\n";
    static_cast<void>(write(file.get(), mark.data(), mark.size()));
}

bool Outputs::keep_tail(const FileDescriptor& from, const std::string& name, off_t size) const {
    const FileDescriptor to = open_anew(name, O_WRONLY | O_CREAT | O_TRUNC);
    off_t at = std::max<off_t>(size - static_cast<off_t>(bounds_.tail_bytes), 0);
    while (at < size &&
           sendfile(to.get(), from.get(), &at, static_cast<std::size_t>(size - at)) > 0) {
    }
    return at >= size;
}

// ---- by both ----

FileDescriptor Outputs::open_anew(const std::string& name, int flags) const {
    FileDescriptor file = open_regular(directory_, name, flags);
    const int why = errno;
    struct stat status = {};
    if (!file.is_open() &&
        fstatat(directory_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        !is_regular(status)) {
        remove(name);
        return open_regular(directory_, name, flags);
    }
    errno = why;
    return file;
}

void Outputs::remove(const std::string& name) const {
    std::error_code ignored;
    fs::remove_all(path_ + '/' + name, ignored);
}

// ---- what has ended ----

void Outputs::ended(const InstanceId& id) {
    std::erase(ended_, to_string(id));
    remember_ended(to_string(id));
}

void Outputs::remember_ended(const std::string& instance) {
    ended_.push_back(instance);
    if (ended_.size() <= bounds_.ended_kept) {
        return;
    }
    for (const char* kind : kinds) {
        const std::string name = ended_.front() + kind;
        remove(name);
        remove(name + tail_suffix);
    }
    ended_.pop_front();
}

// Whatever an earlier life left has ended, in the order in which it was written last.
void Outputs::find_ended() {
    std::map<std::string, timespec> written;
    const auto earlier = [](const timespec& a, const timespec& b) {
        return std::pair{a.tv_sec, a.tv_nsec} < std::pair{b.tv_sec, b.tv_nsec};
    };
    for_each_file(path_, [&](const std::string& name) {
        struct stat status = {};
        const auto instance = instance_of(name);
        if (instance &&
            fstatat(directory_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
            timespec& last = written[*instance];
            last = std::max(last, status.st_mtim, earlier);
        }
    });
    std::vector<std::pair<std::string, timespec>> order{written.begin(), written.end()};
    std::ranges::stable_sort(order, earlier, &std::pair<std::string, timespec>::second);
    for (const auto& [instance, last] : order) {
        remember_ended(instance);
    }
}

}  // namespace muster
