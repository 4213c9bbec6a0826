#include "agent/core/host/readiness.hpp"

#include <csignal>
#include <string>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

namespace muster::agent {

namespace {

// Processes of instances have numbers from 1, processes of checks from here.
constexpr std::uint64_t first_process = std::uint64_t{1} << 63U;
// This is not a valid task name, so its files and directories belong to no instance.
constexpr const char* id_of_checks = ".readiness";
constexpr const char* does_nothing = "/bin/true";

}  // namespace

ReadinessCheck::ReadinessCheck(CheckOptions options)
    : options_{std::move(options)}, asked_{!options_.command.empty()} {
    if (!options_.command.empty()) {
        found_.readiness = Readiness::pending;
    }
}

void ReadinessCheck::shut_down() {
    over_ = true;
    if (running_) {
        orders_.ends.push_back({*running_, SIGKILL, {}});
    }
}

bool ReadinessCheck::owns(ProcessId process) { return raw(process) >= first_process; }

void ReadinessCheck::conclude(std::int32_t exit_code) {
    ensure(running_.has_value(), "only a check that was begun ends");
    orders_.releases.push_back({*running_});
    running_.reset();
    deadline_.reset();
    if (probing_) {
        return;
    }
    ++found_.checks;
    found_.check_exit = exit_code;
    found_.readiness = exit_code == 0 ? Readiness::passed : Readiness::failed;
}

void ReadinessCheck::wake(Instant now, bool spawn_failing) {
    if (!spawn_failing) {
        probe_due_.reset();
    } else if (!probe_due_ && !running_) {
        probe_due_ = now + between_probes;
    }
    if (deadline_ && *deadline_ <= now) {
        if (std::exchange(killed_, true)) {  // Its shim has not reported its end.
            orders_.asks.push_back({*running_});
        }
        orders_.ends.push_back({*running_, SIGKILL, {}});
        deadline_ = now + limits::shim_patience;
    }
    const bool is_due = asked_ || (probe_due_ && *probe_due_ <= now);
    if (is_due && !running_ && !over_) {
        begin(now);
    }
}

void ReadinessCheck::begin(Instant now) {
    probing_ = options_.command.empty();
    asked_ = false;
    probe_due_.reset();
    running_ = ProcessId{first_process + processes_++};
    deadline_ = now + options_.timeout;
    killed_ = false;
    Spawn spawn{.process = *running_, .id = {id_of_checks, 0}, .generation = {}, .spec = {}};
    spawn.spec.argv = probing_ ? std::vector<std::string>{does_nothing} : options_.command;
    orders_.spawns.push_back(std::move(spawn));
}

void ReadinessCheck::describe(HostFacts& host) const {
    host.readiness = found_.readiness;
    host.check_exit = found_.check_exit;
    host.checks = found_.checks;
}

}  // namespace muster::agent
