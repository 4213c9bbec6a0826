#include "agent/exec/launch/order.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"

namespace muster::agent {

namespace {

// The message to a shim contains only numbers from 0 on.
constexpr std::int32_t nice_zero = 20;

// The batch that would order the process. An agent that lost its journal reads it from the shim.
std::string record_of(const Spawn& spawn) {
    Batch batch;
    batch.specs.push_back({spawn.id.task, spawn.generation, spawn.spec});
    batch.starts.push_back({.id = spawn.id,
                            .generation = spawn.generation,
                            .digest = digest_of(spawn.spec),
                            .proof = spawn.proof});
    std::string bytes;
    codec::encode(CoordinatorMessage{std::move(batch)}, bytes);
    return bytes;
}

void write_hook(shim::Writer& message, shim::Tag tag, const Command& command) {
    message.text(tag, command.program.c_str());
    for (const auto& word : command.words) {
        message.text(tag, word.c_str());
    }
}

void write_identity(shim::Writer& message, const std::optional<Identity>& identity) {
    if (identity) {
        message.number(shim::Tag::user, identity->user);
        message.number(shim::Tag::group, identity->group);
        for (const gid_t group : identity->other_groups) {
            message.number(shim::Tag::other_group, group);
        }
    }
}

void write_sandbox(shim::Writer& message, shim::SandboxMethod method, const ProcessPlace& place) {
    message.number(shim::Tag::sandbox, static_cast<std::uint64_t>(method));
    message.text(shim::Tag::sandbox_own, place.work.c_str());
    message.text(shim::Tag::sandbox_shown, place.secrets.c_str());
}

void write_rlimit(shim::Writer& message, int resource, std::uint64_t soft, std::uint64_t hard) {
    const std::array<std::uint64_t, 3> numbers{static_cast<std::uint64_t>(resource), soft, hard};
    message.numbers(shim::Tag::rlimit, numbers.data(), numbers.size());
}

void write_limits(shim::Writer& message, const TaskSpec& spec, const std::optional<rlimit>& files) {
    message.number(shim::Tag::umask, spec.umask);
    if (spec.nice != 0) {
        message.number(shim::Tag::nice, static_cast<unsigned>(spec.nice + nice_zero));
    }
    if (files) {  // Before those of the spec, which may set it again.
        write_rlimit(message, RLIMIT_NOFILE, files->rlim_cur, files->rlim_max);
    }
    for (const auto& [name, bound] : spec.rlimits) {
        const auto resource = rlimit_resource(name);
        ensure(resource.has_value(), "a spec is validated when it is learned");
        write_rlimit(message, *resource, static_cast<std::uint64_t>(bound.soft),
                     static_cast<std::uint64_t>(bound.hard));
    }
}

void write_times(shim::Writer& message, const TaskSpec& spec, Duration post_stop) {
    const auto number = stop_signal_number(spec.stop_signal);
    ensure(number.has_value(), "a spec is validated when it is learned");
    const auto milliseconds = [](Duration time) { return static_cast<std::uint64_t>(to_ms(time)); };
    message.number(shim::Tag::signal_number, static_cast<std::uint64_t>(*number));
    // This grace is for the end of the lease. Every stop carries its own grace.
    const Duration grace = spec.exclusive ? std::min(spec.grace, limits::lease_grace) : spec.grace;
    message.number(shim::Tag::grace_ms, milliseconds(grace));
    message.number(shim::Tag::start_timeout_ms, milliseconds(spec.start_timeout));
    message.number(shim::Tag::post_stop_ms, milliseconds(post_stop));
    message.number(shim::Tag::log_bytes, spec.log.max_bytes);
    message.number(shim::Tag::log_age_ms, milliseconds(spec.log.max_age));
}

void write_process(shim::Writer& message, const Spawn& spawn,
                   const std::vector<std::string>& cgroups, const std::string& directory,
                   const Environment& environment) {
    const std::string record = record_of(spawn);
    message.number(shim::Tag::process, raw(spawn.process));
    message.bytes(shim::Tag::record, record.data(), record.size());
    for (const auto& cgroup : cgroups) {
        message.text(shim::Tag::cgroup, cgroup.c_str());
    }
    message.text(shim::Tag::directory, directory.c_str());
    message.text(shim::Tag::log_name, to_string(spawn.id).c_str());
    for (const auto& [name, value] : environment) {
        message.text(shim::Tag::variable, (name + '=' + value).c_str());
    }
}

}  // namespace

tl::expected<ShimOrder, LaunchFailure> order_for(const Spawn& spawn,
                                                 const std::optional<Identity>& identity,
                                                 const ProcessPlace& place,
                                                 const HostRules& rules) {
    ensure(!spawn.spec.argv.empty(), "a spec without a program is refused when it comes");
    if (spawn.spec.exclusive && (spawn.lease == Instant{} || spawn.token == 0)) {
        return NoLaunch{permanent("it is exclusive, and there is no lease and token for it")};
    }
    auto found = find_all(spawn, place);
    if (!found) {
        return NoLaunch{found.error()};
    }
    if (auto allowed = enforce(spawn, identity, place, rules, *found); !allowed) {
        return NoLaunch{allowed.error()};
    }
    const bool is_enclosed = spawn.spec.sandbox != Sandbox::none;
    if (is_enclosed && rules.sandbox.method == shim::SandboxMethod::landlock) {
        found->environment.emplace("TMPDIR", place.work);  // There is no /tmp.
    }
    const auto bytes = std::make_unique_for_overwrite<char[]>(shim::message_bytes);
    shim::Writer message{bytes.get(), shim::message_bytes, shim::Kind::order,
                         is_enclosed ? shim::wire_version_of_sandbox : shim::wire_version};
    write_process(message, spawn, place.cgroups, found->directory, found->environment);
    message.text(shim::Tag::program, found->program.program.c_str());
    for (const auto& word : found->program.words) {
        message.text(shim::Tag::argument, word.c_str());
    }
    if (found->pre_start) {
        write_hook(message, shim::Tag::pre_start, *found->pre_start);
    }
    if (found->post_stop) {
        write_hook(message, shim::Tag::post_stop, *found->post_stop);
    }
    if (is_enclosed) {
        write_sandbox(message, rules.sandbox.method, place);
    }
    write_identity(message, identity);
    write_limits(message, spawn.spec, place.files);
    write_times(message, spawn.spec, place.post_stop);
    if (spawn.spec.exclusive) {
        message.number(shim::Tag::lease_ns,
                       static_cast<std::uint64_t>(spawn.lease.time_since_epoch().count()));
    }
    if (!message.fits()) {
        return NoLaunch{permanent("its arguments and environment have more than " +
                                  std::to_string(shim::message_bytes) +
                                  " bytes, with what its env_files and variables add")};
    }
    return ShimOrder{std::move(found->program.program),
                     {message.data(), message.data() + message.size()}};
}

std::optional<FoundProcess> found_process(const ShimState& state) {
    CoordinatorMessage message;
    if (!codec::decode(state.record, message)) {
        return std::nullopt;
    }
    const auto* batch = std::get_if<Batch>(&message);
    if (batch == nullptr || batch->specs.size() != 1 || batch->starts.size() != 1) {
        return std::nullopt;
    }
    return FoundProcess{state.process, batch->starts.front().id, batch->starts.front().generation,
                        batch->specs.front().spec, batch->starts.front().proof};
}

}  // namespace muster::agent
