#include "agent/exec/launcher.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "agent/exec/process_mark.hpp"
#include "common/ensure.hpp"

namespace muster {

namespace {

using Failure = tl::unexpected<LaunchFailure>;

// The system's own default for its services.
constexpr const char* default_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

Failure permanent(std::string detail) {
    return Failure{LaunchFailure{true, false, std::move(detail)}};
}

bool is_fault_of_host(int error) {
    switch (error) {
        case EAGAIN:
        case ENOMEM:
        case EMFILE:
        case ENFILE:
        case ENOSPC:
        case EDQUOT:
        case EROFS:
        case EIO: return true;
        default: return false;
    }
}

// A program that is just being written may be there a moment later.
bool is_permanent(int error) { return !is_fault_of_host(error) && error != ETXTBSY; }

Failure failed(const std::string& what, int error) {
    return Failure{LaunchFailure{is_permanent(error), is_fault_of_host(error),
                                 what + ": " + std::strerror(error)}};
}

bool is_file(const std::string& path) {
    struct stat status = {};
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// As a shell would find it. Nothing: there is none.
tl::expected<std::string, LaunchFailure> find_program(const std::string& name,
                                                      const std::string& path) {
    if (name.find('/') != std::string::npos) {
        return name;
    }
    std::string not_executable;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        const std::string candidate = path.substr(begin, end - begin) + '/' + name;
        begin = end + 1;
        if (!is_file(candidate)) {
            continue;
        }
        if (access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
        not_executable = candidate;
    }
    if (!not_executable.empty()) {
        return permanent(not_executable + " is not executable");
    }
    return permanent("there is no program '" + name + "' in " + path);
}

Failure cannot_execute(const std::string& program, int error) {
    if (error == ENOEXEC) {
        return permanent(program + " is no program; a script begins with #! and its interpreter");
    }
    if (error == ENOENT && is_file(program)) {
        return permanent(program + " names an interpreter that does not exist");
    }
    return failed(program + " cannot be executed", error);
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (auto& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

// What the child does between its making and its program.
class FileActions {
public:
    FileActions() { check(posix_spawn_file_actions_init(&actions_)); }
    ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;

    void put(const FileDescriptor& file, int as) {
        check(posix_spawn_file_actions_adddup2(&actions_, file.get(), as));
    }
    void close_from(int first) {
        check(posix_spawn_file_actions_addclosefrom_np(&actions_, first));
    }
    void change_directory(const std::string& path) {
        check(posix_spawn_file_actions_addchdir_np(&actions_, path.c_str()));
    }
    [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    static void check(int error) {
        ensure(error == 0, "there is memory for the actions of a spawn");
    }

    posix_spawn_file_actions_t actions_ = {};
};

class Attributes {
public:
    Attributes() {
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_init(&attributes_);
        // We block signals and ignore some; a task that inherited that could not be stopped.
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setflags(&attributes_,
                                 static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETSIGDEF));
    }
    ~Attributes() { posix_spawnattr_destroy(&attributes_); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;

    [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

private:
    posix_spawnattr_t attributes_ = {};
};

Result<void> make_directory(const std::string& path) {
    if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) {
        return {};
    }
    return fail(Errc::io, path + " cannot be made: " + std::strerror(errno));
}

}  // namespace

Launcher::Launcher(LauncherOptions options)
    : options_{std::move(options)}, outputs_{options_.outputs} {}

Result<void> Launcher::open() {
    if (auto made = make_directory(options_.state + "/work"); !made) {
        return made;
    }
    if (auto opened = outputs_.open(options_.state + "/logs"); !opened) {
        return opened;
    }
    null_ = FileDescriptor{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    home_ = home_of(options_.state);
    if (!null_.is_open() || home_.empty()) {
        return fail(Errc::io,
                    options_.state + " or /dev/null cannot be opened: " + std::strerror(errno));
    }
    getrlimit(RLIMIT_NOFILE, &files_);
    const rlimit ours{files_.rlim_max, files_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &ours);
    return {};
}

tl::expected<pid_t, LaunchFailure> Launcher::launch(const Spawn& order) {
    ensure(null_.is_open(), "a launcher is opened before it launches");
    ensure(!order.spec.argv.empty(), "a spec without a program is refused when it comes");
    const auto directory = directory_of(order);
    const auto output = outputs_.open_for(order.id, ".out");
    const auto errors = outputs_.open_for(order.id, ".err");
    const Environment environment = environment_of(order);
    const auto program = find_program(order.spec.argv.front(), environment.at("PATH"));
    if (!directory || !program) {
        return Failure{!directory ? directory.error() : program.error()};
    }
    if (!output || !errors) {
        return Failure{LaunchFailure{false, true, (output ? errors : output).error().detail}};
    }
    FileActions actions;
    actions.put(null_, STDIN_FILENO);
    actions.put(*output, STDOUT_FILENO);
    actions.put(*errors, STDERR_FILENO);
    actions.change_directory(*directory);
    actions.close_from(STDERR_FILENO + 1);

    std::vector<std::string> words = order.spec.argv;
    std::vector<std::string> variables;
    for (const auto& [name, value] : environment) {
        variables.push_back(name + '=' + value);
    }
    const Attributes attributes;
    pid_t pid = 0;
    const int error = posix_spawn(&pid, program->c_str(), actions.get(), attributes.get(),
                                  pointers_to(words).data(), pointers_to(variables).data());
    if (error != 0) {
        return cannot_execute(*program, error);
    }
    prlimit(pid, RLIMIT_NOFILE, &files_, nullptr);
    return pid;
}

Launcher::Environment Launcher::environment_of(const Spawn& order) const {
    Environment environment{
        {"PATH", default_path}, {"LANG", "C.UTF-8"}, {"HOME", options_.home_directory}};
    for (const auto& [name, value] : order.spec.env) {
        environment[name] = value;
    }
    environment["MUSTER_TASK"] = order.id.task;
    environment["MUSTER_INSTANCE"] = to_string(order.id);
    environment["MUSTER_NODE"] = options_.node;
    environment["MUSTER_GENERATION"] = std::to_string(raw(order.generation));
    environment[std::string{process_mark_variable}] =
        to_string(ProcessMark{home_, options_.life, order.process});
    return environment;
}

tl::expected<std::string, LaunchFailure> Launcher::directory_of(const Spawn& order) const {
    if (order.spec.workdir.empty()) {
        const std::string own = "work/" + to_string(order.id);
        if (!make_directory(options_.state + '/' + own)) {
            return Failure{LaunchFailure{
                false, true, "its directory " + own + " cannot be made: " + std::strerror(errno)}};
        }
        return options_.state + '/' + own;
    }
    // posix_spawn would say the same of a missing directory as of a missing program.
    const std::string& path = order.spec.workdir;
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0) {
        return failed("the working directory " + path + " cannot be used", errno);
    }
    if (!S_ISDIR(status.st_mode)) {
        return permanent("the working directory " + path + " is not a directory");
    }
    if (access(path.c_str(), X_OK) != 0) {
        return failed("the working directory " + path + " cannot be entered", errno);
    }
    return path;
}

void Launcher::forget(const InstanceId& id) {
    outputs_.ended(id);
    rmdir((options_.state + "/work/" + to_string(id)).c_str());  // Only if nothing is in it.
}

}  // namespace muster
