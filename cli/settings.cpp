#include "cli/settings.hpp"

#include <string_view>
#include <unistd.h>

#include "cli/contexts/contexts.hpp"
#include "common/base/paths.hpp"
#include "common/net/endpoint.hpp"
#include "common/spec/duration.hpp"

namespace muster::cli {

namespace {

constexpr std::string_view default_coordinator = "tcp://127.0.0.1:7701";

std::string found_coordinator(const CommandLine& line) {
    const auto directories = paths::directories("", line.value("--run-dir").value_or(""));
    const std::string socket = paths::operators_socket(directories);
    const auto endpoint = paths::ipc_endpoint(socket);
    if (endpoint && access(socket.c_str(), R_OK | W_OK) == 0) {
        return *endpoint;
    }
    return std::string{default_coordinator};
}

/// An endpoint from the option, else from the variable, else the default.
Result<std::string> endpoint_of(const CommandLine& line, std::string_view option,
                                std::string_view variable, const std::string& from_variable,
                                const std::string& usual) {
    const auto given = line.value(option);
    const std::string wanted = given.value_or(from_variable);
    if (wanted.empty() && !given) {
        return usual;
    }
    auto endpoint = net::endpoints_to_connect(wanted);
    if (!endpoint) {
        return fail(Errc::invalid, std::string{given ? option : variable} + ": " +
                                       endpoint.error().detail +
                                       (usual.empty() ? "" : "; the default is " + usual));
    }
    return endpoint;
}

/// The context that is meant, if any: with --run-dir it is the cluster of this host.
Result<std::optional<Context>> context_of(const CommandLine& line, const Environment& environment) {
    const Contexts contexts = Contexts::of_user();
    std::string name = line.value("--context").value_or(environment.context);
    if (name.empty() && !line.value("--run-dir")) {
        name = contexts.current();
    }
    if (name.empty()) {
        return std::optional<Context>{};
    }
    return contexts.read(name).map(
        [](Context&& context) { return std::optional{std::move(context)}; });
}

Result<Duration> duration_of(const CommandLine& line, std::string_view option, Duration otherwise) {
    const auto text = line.value(option);
    if (!text) {
        return otherwise;
    }
    auto duration = parse_duration(*text);
    if (!duration) {
        return fail(Errc::invalid, std::string{option} + ": " + duration.error().detail);
    }
    if (*duration < 1ms) {
        return fail(Errc::invalid, std::string{option} + " is at least 1ms, not " + *text);
    }
    return duration;
}

}  // namespace

Environment environment_of_process() {
    return {.coordinator = paths::variable("MUSTER_COORDINATOR"),
            .events = paths::variable("MUSTER_EVENTS"),
            .context = paths::variable("MUSTER_CONTEXT")};
}

Result<Settings> settings_of(const CommandLine& line, const Environment& environment,
                             const Terminal& terminal) {
    Settings settings;
    settings.terminal = terminal;
    settings.json = line.wants_json();
    const auto context = context_of(line, environment);
    if (!context) {
        return tl::unexpected(context.error());
    }
    const auto coordinator =
        endpoint_of(line, "--coordinator", "MUSTER_COORDINATOR", environment.coordinator,
                    *context ? (*context)->coordinator : found_coordinator(line));
    const auto events = endpoint_of(line, "--events", "MUSTER_EVENTS", environment.events, "");
    if (!coordinator || !events) {
        return tl::unexpected(coordinator ? events.error() : coordinator.error());
    }
    settings.coordinator = *coordinator;
    if (*context && net::ipc_path(*coordinator).empty()) {
        settings.keys = (*context)->keys;
        settings.context = (*context)->name;
    }
    settings.events = *events;
    const bool waits = line.verb == Verb::wait || line.has("--wait");
    const auto patient = waits ? Duration{30s} : settings.timeout;
    const auto timeout = duration_of(line, "--timeout", patient);
    const auto interval = duration_of(line, "--interval", settings.interval);
    if (!timeout || !interval) {
        return tl::unexpected(timeout ? interval.error() : timeout.error());
    }
    settings.timeout = *timeout;
    settings.interval = *interval;
    return settings;
}

}  // namespace muster::cli
