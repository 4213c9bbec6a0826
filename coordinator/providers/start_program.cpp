#include "coordinator/providers/start_program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace muster::coordinator {
namespace {

std::string words_of(int error) { return std::generic_category().message(error); }

struct Pipe {
    FileDescriptor read;
    FileDescriptor write;
};

bool open(Pipe& into) {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        return false;
    }
    into = {FileDescriptor{ends[0]}, FileDescriptor{ends[1]}};
    return true;
}

/// Only our end: a program expects that its standard files block.
bool never_blocks(const FileDescriptor& ours) {
    return fcntl(ours.get(), F_SETFL, O_NONBLOCK) == 0;
}

class FileActions {
public:
    FileActions() { posix_spawn_file_actions_init(&actions_); }
    ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;

    /// No file has a number below 3: see hold_standard_files().
    void give(int input, int output, int errors) {
        posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
        // All files of this process close by themselves. A library may forget it for one of its
        // own.
        posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
        posix_spawn_file_actions_addchdir_np(&actions_, "/");
    }
    [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

class Attributes {
public:
    Attributes() {
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_init(&attributes_);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        // A session rather than a group alone: no terminal stops the program or signals it.
        posix_spawnattr_setflags(&attributes_,
                                 static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETSIGDEF));
    }
    ~Attributes() { posix_spawnattr_destroy(&attributes_); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
    [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

private:
    posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (auto& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

bool is_given_on(std::string_view variable) {
    constexpr std::array<std::string_view, 5> given{"PATH=", "HOME=", "LANG=", "TZ=", "MUSTER_"};
    return std::ranges::any_of(given, [&](auto begin) { return variable.starts_with(begin); });
}

}  // namespace

std::vector<std::string> environment_of_programs() {
    std::vector<std::string> given;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        if (is_given_on(*variable)) {
            given.emplace_back(*variable);
        }
    }
    return given;
}

Result<StartedProgram> start_program(std::vector<std::string> words,
                                     std::vector<std::string> environment) {
    Pipe input;
    Pipe output;
    Pipe errors;
    if (!open(input) || !open(output) || !open(errors) || !never_blocks(input.write) ||
        !never_blocks(output.read) || !never_blocks(errors.read)) {
        return fail(Errc::io, "no pipe can be opened: " + words_of(errno));
    }
    FileActions files;
    files.give(input.read.get(), output.write.get(), errors.write.get());
    const Attributes attributes;
    const auto arguments = pointers_to(words);
    const auto variables = pointers_to(environment);
    StartedProgram started;
    const int error = posix_spawn(&started.id, words.front().c_str(), files.get(), attributes.get(),
                                  arguments.data(), variables.data());
    if (error != 0) {
        return fail(Errc::io, words.front() + " cannot be executed: " + words_of(error));
    }
    started.process = FileDescriptor{
        static_cast<int>(syscall(SYS_pidfd_open, started.id, 0U))};  // Closes by exec.
    if (!started.process.is_open()) {
        const int why = errno;
        kill(-started.id, SIGKILL);
        waitpid(started.id, nullptr, 0);
        return fail(Errc::io, words.front() + " cannot be watched: " + words_of(why));
    }
    started.input = std::move(input.write);
    started.output = std::move(output.read);
    started.errors = std::move(errors.read);
    return started;
}

}  // namespace muster::coordinator
