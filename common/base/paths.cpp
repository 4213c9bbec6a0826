#include "common/base/paths.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace muster::paths {

namespace {

// sockaddr_un holds 108 bytes with the closing zero.
constexpr std::size_t socket_path_bytes = 107;

bool is_absolute(std::string_view path) { return path.starts_with('/'); }

std::string below(std::string_view directory, std::string_view rest) {
    std::string path{directory};
    if (!path.ends_with('/')) {
        path += '/';
    }
    return path += rest;
}

/// Relative to the working directory. If that is unknown, the path as it is; opening it will fail.
std::string absolute(const std::string& path) {
    std::error_code unknown;
    const auto whole = std::filesystem::absolute(path, unknown);
    return unknown ? path : whole.lexically_normal().string();
}

tl::unexpected<Error> fail_on(const std::string& path, std::string_view what) {
    return fail(Errc::io, path + " " + std::string{what});
}

Result<void> make_one(const std::string& path) {
    if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) {
        return {};
    }
    return fail_on(path, std::string{"cannot be made: "} + std::strerror(errno));
}

}  // namespace

Directories default_directories(const Environment& environment) {
    if (environment.user_id == 0) {
        return {.state = "/var/lib/muster", .run = "/run/muster"};
    }
    const std::string own = "/tmp/muster-" + std::to_string(environment.user_id);
    Directories found{.state = own + "/state", .run = own + "/run"};
    if (is_absolute(environment.xdg_state_home)) {
        found.state = below(environment.xdg_state_home, "muster");
    } else if (is_absolute(environment.home)) {
        found.state = below(environment.home, ".local/state/muster");
    }
    if (is_absolute(environment.xdg_runtime_dir)) {
        found.run = below(environment.xdg_runtime_dir, "muster");
    }
    return found;
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): none is set.
    return value == nullptr ? std::string{} : std::string{value};
}

Environment environment_of_process() {
    return {.user_id = geteuid(),
            .home = variable("HOME"),
            .xdg_state_home = variable("XDG_STATE_HOME"),
            .xdg_runtime_dir = variable("XDG_RUNTIME_DIR")};
}

Directories directories(const std::string& state_given, const std::string& run_given) {
    Directories found = default_directories(environment_of_process());
    if (!state_given.empty()) {
        found.state = absolute(state_given);
    }
    if (!run_given.empty()) {
        found.run = absolute(run_given);
    }
    return found;
}

std::string coordinator_state(const Directories& directories) {
    return below(directories.state, "coordinator");
}

std::string operators_socket(const Directories& directories) {
    return below(directories.run, "operators.sock");
}

std::string agent_state(const Directories& directories, std::string_view name) {
    return below(directories.state, "agents/" + std::string{name});
}

std::string agent_socket(const Directories& directories, std::string_view name) {
    return below(directories.run, "agents/" + std::string{name} + ".sock");
}

std::string agent_shims(const Directories& directories, std::string_view name) {
    return below(directories.run, "agents/" + std::string{name} + ".shims");
}

std::string agent_secrets(const Directories& directories, std::string_view name, bool as_root) {
    const std::string all =
        as_root ? directories.run + "-secrets" : below(directories.run, "secrets");
    return below(all, name);
}

std::string default_secrets(const Directories& directories, bool as_root) {
    return as_root ? "/etc/muster/secrets" : below(directories.state, "secrets");
}

Result<std::string> ipc_endpoint(std::string_view path) {
    if (path.size() > socket_path_bytes) {
        return fail(Errc::invalid, "the socket path " + std::string{path} + " has " +
                                       std::to_string(path.size()) + " bytes, the kernel takes " +
                                       std::to_string(socket_path_bytes) +
                                       ": give a shorter --run-dir");
    }
    return "ipc://" + std::string{path};
}

Result<void> make_private_directory(const std::string& path) {
    for (std::size_t slash = 0; slash != std::string::npos;) {
        slash = path.find('/', slash + 1);
        if (auto made = make_one(path.substr(0, slash)); !made) {
            return made;
        }
    }
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0) {
        return fail_on(path, std::string{"cannot be checked: "} + std::strerror(errno));
    }
    if (!S_ISDIR(status.st_mode)) {
        return fail_on(path, "is not a directory");
    }
    if (status.st_uid != geteuid()) {
        return fail_on(path, "belongs to user " + std::to_string(status.st_uid) +
                                 ", not to the user that runs muster");
    }
    const mode_t mode = status.st_mode & 0777U;
    if (mode != 0700U && mode != 0711U && chmod(path.c_str(), 0700) != 0) {
        return fail_on(path, std::string{"cannot be made private: "} + std::strerror(errno));
    }
    return {};
}

}  // namespace muster::paths
