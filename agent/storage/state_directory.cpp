#include "agent/storage/state_directory.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

#include "common/base/number.hpp"
#include "common/base/paths.hpp"

namespace muster::agent {
namespace {

constexpr const char* memory_name = "memory";
constexpr const char* new_memory_name = "memory.new";
constexpr std::string_view header = "muster agent memory 1";
// More than any memory needs.
constexpr std::size_t memory_bytes = 4096;

// A child that a killed agent had just forked holds the lock until it executes another program.
constexpr int lock_tries = 50;
constexpr timespec between_tries{.tv_sec = 0, .tv_nsec = 20'000'000};

bool is_locked(int file) {
    for (int tried = 1; flock(file, LOCK_EX | LOCK_NB) != 0; ++tried) {
        if (tried == lock_tries) {
            return false;
        }
        nanosleep(&between_tries, nullptr);
    }
    return true;
}

tl::unexpected<Error> fail_on(const std::string& path, const char* what) {
    return fail(Errc::io, path + " cannot be " + what + ": " + std::strerror(errno));
}

// FNV-1a 64: detects damage, not forgery.
std::uint64_t checksum(std::string_view text) {
    std::uint64_t sum = 0xcbf29ce484222325ULL;
    for (const char c : text) {
        sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    return sum;
}

// Reads `key value` lines one after the other.
class Lines {
public:
    explicit Lines(std::string_view text) : rest_{text} {}

    [[nodiscard]] std::string_view next() {
        const auto end = rest_.find('\n');
        const auto line = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        return line;
    }
    [[nodiscard]] std::string_view value(std::string_view key) {
        const auto line = next();
        const bool fits = line.starts_with(key) && line.substr(key.size()).starts_with(' ');
        sound_ = sound_ && fits;
        return fits ? line.substr(key.size() + 1) : std::string_view{};
    }
    template <class Id>
    void id(std::string_view key, Id& into) {
        const auto parsed = parse_id<Id>(value(key));
        sound_ = sound_ && parsed;
        into = parsed.value_or(Id{});
    }
    template <class Number>
    void number(std::string_view key, Number& into) {
        const auto parsed = number_in<Number>(value(key));
        sound_ = sound_ && parsed;
        into = parsed.value_or(Number{});
    }
    [[nodiscard]] bool sound() const { return sound_; }

private:
    std::string_view rest_;
    bool sound_ = true;
};

}  // namespace

std::string to_text(const AgentMemory& memory) {
    std::string text{header};
    text += "\ncluster " + to_string(memory.cluster);
    text += "\nepoch " + std::to_string(raw(memory.epoch));
    text += "\nleader " + to_string(memory.leader);
    text += "\ncounter " + std::to_string(raw(memory.counter));
    text += "\nincarnation " + std::to_string(raw(memory.incarnation)) + '\n';
    return text + "check " + std::to_string(checksum(text)) + '\n';
}

Result<AgentMemory> memory_from_text(std::string_view text) {
    AgentMemory memory;
    Lines lines{text};
    const bool known = lines.next() == header;
    lines.id("cluster", memory.cluster);
    lines.number("epoch", memory.epoch);
    lines.id("leader", memory.leader);
    lines.number("counter", memory.counter);
    lines.number("incarnation", memory.incarnation);
    if (!known || !lines.sound() || to_text(memory) != text) {
        return fail(Errc::malformed, "is damaged");
    }
    return memory;
}

StateDirectory::StateDirectory(std::string path, FileDescriptor directory, FileDescriptor lock)
    : path_{std::move(path)}, directory_{std::move(directory)}, lock_{std::move(lock)} {}

Result<StateDirectory> StateDirectory::open(const std::string& path) {
    if (auto made = paths::make_private_directory(path); !made) {
        return tl::unexpected{made.error()};
    }
    FileDescriptor directory{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!directory.is_open()) {
        return fail_on(path, "opened");
    }
    // Close-on-exec: a task that inherited the lock would hold it after the agent's end.
    FileDescriptor lock{openat(directory.get(), "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    if (!lock.is_open()) {
        return fail_on(path + "/lock", "opened");
    }
    if (!is_locked(lock.get())) {
        return fail(Errc::refused, "another agent uses the state directory " + path +
                                       ": end it, or give this one another --name or --state-dir");
    }
    return StateDirectory{path, std::move(directory), std::move(lock)};
}

void StateDirectory::await_release(const std::string& path) {
    const FileDescriptor lock{::open((path + "/lock").c_str(), O_RDWR | O_CLOEXEC)};
    while (lock.is_open() && flock(lock.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
}

Result<AgentMemory> StateDirectory::read_memory() const {
    const std::string path = path_ + '/' + memory_name;
    const FileDescriptor file{openat(directory_.get(), memory_name, O_RDONLY | O_CLOEXEC)};
    if (!file.is_open()) {
        if (errno == ENOENT) {
            return AgentMemory{};
        }
        return fail_on(path, "read");
    }
    std::array<char, memory_bytes> text{};
    const ssize_t size = ::read(file.get(), text.data(), text.size());
    if (size < 0) {
        return fail_on(path, "read");
    }
    auto memory = memory_from_text({text.data(), static_cast<std::size_t>(size)});
    if (!memory) {
        return fail(Errc::io, path +
                                  " is damaged: it says which leader this node last obeyed; "
                                  "move it away to begin as a new node");
    }
    return memory;
}

bool StateDirectory::replace_memory(std::string_view text) const {
    const FileDescriptor file{
        openat(directory_.get(), new_memory_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
    return file.is_open() && write_all(file.get(), text) == 0 && fsync(file.get()) == 0 &&
           renameat(directory_.get(), new_memory_name, directory_.get(), memory_name) == 0 &&
           fsync(directory_.get()) == 0;
}

Result<void> StateDirectory::write_memory(const AgentMemory& memory) {
    spare_.reset();
    const bool written = replace_memory(to_text(memory));
    const int why = errno;
    spare_ = spare_file();
    if (!written) {
        errno = why;
        return fail_on(path_ + '/' + memory_name, "written");
    }
    return {};
}

}  // namespace muster::agent
