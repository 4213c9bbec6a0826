#include "agent/exec/launch/environment.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <utility>

#include "agent/exec/launch/process_mark.hpp"
#include "common/base/file_descriptor.hpp"
#include "common/base/limits.hpp"
#include "common/base/read_file.hpp"
#include "common/text/utf8.hpp"

namespace muster::agent {

namespace {

// The default of systemd services.
constexpr const char* default_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr std::string_view blanks = " \t\r";

bool is_variable(std::string_view name) {
    constexpr std::string_view letters =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return !name.empty() && (name.front() < '0' || name.front() > '9') &&
           name.find_first_not_of(letters) == std::string_view::npos;
}

// Reads lines NAME=value. Empty lines and lines that begin with # are ignored.
// The text and the path of one file, whatever becomes of links meanwhile.
tl::expected<std::string, LaunchFailure> text_of(const std::string& path, std::string& real) {
    const FileDescriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    struct stat status = {};
    if (!file.is_open() || fstat(file.get(), &status) != 0) {
        return NoLaunch{failure_of("its env file '" + path + "' cannot be read", errno)};
    }
    if (!S_ISREG(status.st_mode)) {
        return NoLaunch{permanent("its env file '" + path + "' is not a regular file")};
    }
    const std::string same = "/proc/self/fd/" + std::to_string(file.get());
    std::array<char, PATH_MAX> found{};
    if (realpath(same.c_str(), found.data()) == nullptr) {
        return NoLaunch{failure_of("its env file '" + path + "' cannot be read", errno)};
    }
    real = found.data();
    auto text = read_file(same, limits::spec_text_bytes);
    if (!text) {
        const bool is_large = text.error().code == Errc::too_large;
        return NoLaunch{
            {false, false,
             "its env file " + path +
                 (is_large ? " has more than " + std::to_string(limits::spec_text_bytes) + " bytes"
                           : " cannot be read")}};
    }
    return std::move(*text);
}

tl::expected<void, LaunchFailure> read_variables(const std::string& path, Environment& into,
                                                 std::string& real) {
    const auto text = text_of(path, real);
    if (!text) {
        return NoLaunch{text.error()};
    }
    std::string_view rest = *text;
    for (int line = 1; !rest.empty(); ++line) {
        const auto end = std::min(rest.find('\n'), rest.size());
        const auto written = trimmed(rest.substr(0, end), blanks);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (written.empty() || written.front() == '#') {
            continue;
        }
        const auto equals = written.find('=');
        const auto name = trimmed(written.substr(0, equals), blanks);
        if (equals == std::string_view::npos || !is_variable(name) ||
            written.find('\0') != std::string_view::npos) {
            return NoLaunch{
                permanent("its env file " + path + ":" + std::to_string(line) +
                          " is not a line NAME=value, with a name of letters, digits and _")};
        }
        into[std::string{name}] = written.substr(equals + 1);
    }
    return {};
}

}  // namespace

TemplateValues template_values(const Spawn& spawn, const ProcessPlace& place) {
    TemplateValues values{{"MUSTER_TASK", spawn.id.task},
                          {"MUSTER_INSTANCE", to_string(spawn.id)},
                          {"MUSTER_ORDINAL", std::to_string(spawn.id.ordinal)},
                          {"MUSTER_NODE", place.node},
                          {"MUSTER_GENERATION", std::to_string(raw(spawn.generation))},
                          {"node.name", place.node},
                          {"node.pool", place.offer.pool}};
    if (spawn.spec.exclusive) {
        values.emplace("MUSTER_TOKEN", std::to_string(spawn.token));
    }
    if (!spawn.spec.secrets.empty() || !spawn.spec.cluster_secrets.empty()) {
        values.emplace("MUSTER_SECRETS", place.secrets);
    }
    for (const auto& [key, value] : place.offer.labels) {
        values.emplace("node.label." + key, value);
    }
    return values;
}

tl::expected<std::string, LaunchFailure> filled_in(std::string_view field, const std::string& text,
                                                   const TemplateValues& values) {
    return expand(text, values).map_error([&](const Error& error) {
        return permanent(std::string{field} + ' ' + error.detail);
    });
}

tl::expected<Environment, LaunchFailure> environment_of(const Spawn& spawn,
                                                        const ProcessPlace& place,
                                                        const TemplateValues& values,
                                                        std::vector<std::string>& read) {
    Environment environment{
        {"PATH", default_path}, {"LANG", "C.UTF-8"}, {"HOME", place.home_directory}};
    for (const auto& written : spawn.spec.env_files) {
        const auto path = filled_in("env_files", written, values);
        if (!path) {
            return NoLaunch{path.error()};
        }
        if (auto done = read_variables(*path, environment, read.emplace_back()); !done) {
            return NoLaunch{done.error()};
        }
    }
    for (const auto& [name, written] : spawn.spec.env) {
        const auto value = filled_in("env", written, values);
        if (!value) {
            return NoLaunch{value.error()};
        }
        environment[name] = *value;
    }
    for (const auto& [name, value] : values) {
        if (name.starts_with("MUSTER_")) {
            environment[name] = value;
        }
    }
    environment[std::string{process_mark_variable}] =
        to_string(ProcessMark{place.home, spawn.process});
    return environment;
}

}  // namespace muster::agent
