#include "agent/exec/launch/launcher.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <initializer_list>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "agent/exec/launch/process_mark.hpp"
#include "common/base/ensure.hpp"
#include "common/base/number.hpp"
#include "common/base/process.hpp"
#include "common/base/read_file.hpp"

namespace muster::agent {

namespace {

namespace fs = std::filesystem;

constexpr const char* end_suffix = ".end";
// Agents that connect one after the other while a shim is busy.
constexpr int agents_waiting = 4;

std::string words(int error) { return std::strerror(error); }

NoLaunch fault_of_host(const std::string& what) {
    return NoLaunch{LaunchFailure{false, true, what + ": " + words(errno)}};
}

Result<FileDescriptor> open_directory(const std::string& path, mode_t mode) {
    if (mkdir(path.c_str(), mode) != 0 && errno != EEXIST) {
        return fail(Errc::io, path + " cannot be made: " + words(errno));
    }
    FileDescriptor directory{open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!directory.is_open()) {
        return fail(Errc::io, path + " cannot be opened: " + words(errno));
    }
    return directory;
}

std::string name_of(ProcessId process) { return std::to_string(raw(process)); }

// The open files of the shim, in the order of agent/shim/shim.hpp.
class ShimFiles {
public:
    ShimFiles() { posix_spawn_file_actions_init(&actions_); }
    ~ShimFiles() { posix_spawn_file_actions_destroy(&actions_); }
    ShimFiles(const ShimFiles&) = delete;
    ShimFiles& operator=(const ShimFiles&) = delete;

    // First to numbers above all of them, because a file may have the number that another one
    // needs.
    void give(std::initializer_list<int> files) {
        const int above = std::max(std::max(files), static_cast<int>(files.size())) + 1;
        int to = above;
        for (const int file : files) {
            posix_spawn_file_actions_adddup2(&actions_, file, to++);
        }
        for (int i = 0; i < static_cast<int>(files.size()); ++i) {
            posix_spawn_file_actions_adddup2(&actions_, above + i, i);
        }
        posix_spawn_file_actions_addclosefrom_np(&actions_, static_cast<int>(files.size()));
    }
    [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

class ShimAttributes {
public:
    ShimAttributes() {
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_init(&attributes_);
        // The agent blocks and ignores some signals. A task that inherited this could not be
        // stopped.
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setflags(&attributes_,
                                 static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETSIGDEF));
    }
    ~ShimAttributes() { posix_spawnattr_destroy(&attributes_); }
    ShimAttributes(const ShimAttributes&) = delete;
    ShimAttributes& operator=(const ShimAttributes&) = delete;
    [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

private:
    posix_spawnattr_t attributes_{};
};

}  // namespace

Result<std::string> shim_of_this_program() {
    std::string shim = program_of_muster("muster-shim");
    if (shim.empty()) {
        return fail(Errc::io,
                    "there is no program muster-shim beside this one or in "
                    "../libexec/muster: install it again");
    }
    return shim;
}

Launcher::Launcher(LauncherOptions options)
    : options_{std::move(options)}, outputs_{options_.ended_kept} {}

Result<void> Launcher::open() {
    const std::string& state = options_.state;
    const std::array<std::pair<std::string, FileDescriptor*>, 3> directories{
        {{state + "/logs", &logs_}, {state + "/ends", &ends_}, {options_.sockets, &sockets_}}};
    for (const auto& [path, into] : directories) {
        auto opened = open_directory(path, 0700);
        if (!opened) {
            return tl::unexpected{opened.error()};
        }
        *into = std::move(*opened);
    }
    if (auto work = open_directory(state + "/work", 0711); !work) {
        return tl::unexpected{work.error()};
    }
    if (auto opened = secrets_.open(options_.secrets, options_.secrets_place); !opened) {
        return opened;
    }
    if (auto opened = open_to_tasks(); !opened) {
        return opened;
    }
    outputs_.open(state + "/logs");
    null_ = FileDescriptor{::open("/dev/null", O_RDWR | O_CLOEXEC)};
    place_ = {.home = home_of(state),
              .node = options_.node,
              .offer = options_.offer,
              .home_directory = options_.home_directory,
              .work = {},
              .secrets = {},
              .post_stop = options_.post_stop,
              .cgroups = {},
              .files = {}};
    if (!null_.is_open() || place_.home.empty()) {
        return fail(Errc::io, state + " or /dev/null cannot be opened: " + words(errno));
    }
    cgroups_.open(cgroup_trees_of_process(), place_.home);
    rules_ = {std::move(options_.policy), probe_sandbox(state + "/work")};
    limits_ = cgroups_.facts();
    limits_.push_back({"sandbox", rules_.sandbox.method != shim::SandboxMethod::none,
                       rules_.sandbox.how.substr(0, limits::detail_bytes)});
    rlimit files{};  // The original limit, for tasks: the agent raises its own.
    getrlimit(RLIMIT_NOFILE, &files);
    place_.files = files;
    const rlimit ours{files.rlim_max, files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &ours);
    return {};
}

// Other users cannot list these directories, and each entry has its own permissions.
Result<void> Launcher::open_to_tasks() const {
    for (const auto& path : options_.passed) {
        if (geteuid() == 0 && chmod(path.c_str(), 0711) != 0) {
            return fail(Errc::io, path + " cannot be opened to tasks: " + words(errno));
        }
    }
    return {};
}

ProcessPlace Launcher::place_of(const Spawn& spawn, const std::optional<Identity>& identity) const {
    ProcessPlace place = place_;
    place.work = work_directory(spawn.id);
    place.secrets = secrets_.directory_of(spawn.process, !spawn.spec.cluster_secrets.empty());
    if (identity && !identity->home.empty()) {
        place.home_directory = identity->home;
    }
    return place;
}

std::optional<std::string> Launcher::objection_to_start(const InstanceId& id, Generation generation,
                                                        const TaskSpec& spec) const {
    if (!rules_.concern(spec)) {
        return std::nullopt;
    }
    const Spawn spawn{.id = id, .generation = generation, .spec = spec};
    const auto identity = identity_of(spec.user, spec.user_group);
    return identity ? objection_to(spawn, *identity, place_of(spawn, *identity), rules_)
                    : std::nullopt;
}

tl::expected<Launched, LaunchFailure> Launcher::launch(const Spawn& spawn) {
    ensure(null_.is_open(), "a launcher is opened before it launches");
    const auto sent = vault_.of(spawn.id, spawn.generation, spawn.spec);
    if (!sent) {
        return NoLaunch{{.detail = "the agent was started again, so it has no values of the "
                                   "secrets from the coordinator any more",
                         .needs_order = true}};
    }
    const auto identity = identity_of(spawn.spec.user, spawn.spec.user_group);
    if (!identity) {
        return NoLaunch{identity.error()};
    }
    if (auto made = make_work_directory(spawn.id, *identity); !made) {
        return NoLaunch{made.error()};
    }
    ProcessPlace place = place_of(spawn, *identity);
    place.cgroups = cgroups_.make(spawn.process, spawn.spec.limits);
    // The agent's own check is not of a task, and the host's administrator configured it.
    const bool is_own = !is_valid_name(spawn.id.task);
    auto order = order_for(spawn, *identity, place, is_own ? HostRules{} : rules_);
    if (!order) {
        return NoLaunch{order.error()};
    }
    if (auto copied = secrets_.copy(spawn.process, spawn.spec.secrets, *sent, *identity); !copied) {
        return NoLaunch{copied.error()};
    }
    outputs_.begins(spawn.id);
    auto link = start_shim(spawn.process, order->message);
    if (!link) {
        return NoLaunch{link.error()};
    }
    return Launched{std::move(*link), std::move(order->program)};
}

// The listening socket is made here, so that a later agent can find the shim from its first moment.
// The order is sent before the shim exists, so that the shim finds it at once. Everything that the
// shim must know before it starts the task is therefore in the order.
tl::expected<ShimLink, LaunchFailure> Launcher::start_shim(ProcessId process,
                                                           const std::vector<char>& order) const {
    const std::string name = name_of(process);
    FileDescriptor listen{socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
    std::array<int, 2> both{-1, -1};
    if (!listen.is_open() ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both.data()) != 0) {
        return fault_of_host("a socket for its shim cannot be made");
    }
    FileDescriptor ours{both[0]};
    const FileDescriptor theirs{both[1]};
    unlinkat(sockets_.get(), name.c_str(), 0);
    if (!SocketAddress{sockets_, name}.bind(listen) ||
        ::listen(listen.get(), agents_waiting) != 0) {
        return fault_of_host("a socket for its shim cannot be made");
    }
    if (::send(ours.get(), order.data(), order.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
        return fault_of_host("the order cannot be sent to the shim");
    }
    ShimFiles files;
    files.give({null_.get(), null_.get(), null_.get(), theirs.get(), listen.get(), logs_.get(),
                ends_.get()});
    const ShimAttributes attributes;
    std::string program = "muster-shim";
    std::string mark =
        std::string{process_mark_variable} + '=' + to_string(ProcessMark{place_.home, process});
    const std::array<char*, 2> arguments{program.data(), nullptr};
    const std::array<char*, 2> variables{mark.data(), nullptr};
    pid_t pid = 0;
    const int error = posix_spawn(&pid, options_.shim.c_str(), files.get(), attributes.get(),
                                  arguments.data(), variables.data());
    if (error != 0) {
        unlinkat(sockets_.get(), name.c_str(), 0);
        errno = error;
        return fault_of_host("its shim " + options_.shim + " cannot be executed");
    }
    return ShimLink{std::move(ours)};
}

// The directory belongs to the user of the process.
tl::expected<void, LaunchFailure> Launcher::make_work_directory(
    const InstanceId& id, const std::optional<Identity>& identity) const {
    const std::string path = work_directory(id);
    const bool made = mkdir(path.c_str(), 0700) == 0;
    if (!made && errno != EEXIST) {
        return fault_of_host("its directory work/" + to_string(id) + " cannot be made");
    }
    const uid_t user = identity ? identity->user : geteuid();
    const gid_t group = identity ? identity->group : getegid();
    if ((made && !identity) || lchown(path.c_str(), user, group) == 0) {
        return {};
    }
    return fault_of_host("its directory work/" + to_string(id) + " cannot be given to its user");
}

// ---- the traces of shims ----

std::set<ProcessId> Launcher::listed() const {
    std::set<ProcessId> processes;
    for (const std::string& name : names_in(options_.sockets)) {
        if (const auto process = number_in<ProcessId>(name)) {
            processes.insert(*process);
        }
    }
    return processes;
}

Result<ShimLink> Launcher::connect(ProcessId process) const {
    return ShimLink::connect(sockets_, name_of(process));
}

std::optional<ShimState> Launcher::end_of(ProcessId process) const {
    const FileDescriptor file{openat(ends_.get(), (name_of(process) + end_suffix).c_str(),
                                     O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)};
    std::array<char, 4096> bytes{};
    const ssize_t size = file.is_open() ? read(file.get(), bytes.data(), bytes.size()) : -1;
    return size <= 0 ? std::nullopt
                     : read_shim_state({bytes.data(), static_cast<std::size_t>(size)});
}

void Launcher::clean_up_socket(ProcessId process) const {
    unlinkat(sockets_.get(), name_of(process).c_str(), 0);
}

void Launcher::clean_up(ProcessId process) const {
    clean_up_socket(process);
    cgroups_.remove(process);
    secrets_.remove(process);
    unlinkat(ends_.get(), (name_of(process) + end_suffix).c_str(), 0);
}

void Launcher::clean_up_but(const std::set<ProcessId>& kept) const {
    secrets_.remove_but(kept);
    for (const std::string& name : names_in(options_.state + "/ends")) {
        const auto process = number_in<ProcessId>(fs::path{name}.stem().string());
        if (!process || !kept.contains(*process)) {
            unlinkat(ends_.get(), name.c_str(), 0);
        }
    }
}

void Launcher::forget(const InstanceId& id) {
    outputs_.ended(id);
    vault_.forget(id);
    rmdir((options_.state + "/work/" + to_string(id)).c_str());  // Only if it is empty.
}

}  // namespace muster::agent
