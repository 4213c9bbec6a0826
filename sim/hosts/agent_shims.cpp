#include <algorithm>
#include <csignal>
#include <set>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "sim/hosts/agent_host.hpp"

/// The shims of a host: their processes, and their reports to the present agent.
namespace muster::sim {

namespace {

constexpr Duration kill_takes = 1ms;

std::int64_t number_of(const TaskSpec& spec, std::size_t argument) {
    return argument < spec.argv.size() ? std::stoll(spec.argv[argument]) : 0;
}

}  // namespace

// Adopts like the executor: unknown processes are returned at once, the rest arrives as events.
agent::RecoveredState AgentHost::recovered_state() {
    agent::RecoveredState recovered;
    recovered.memory = disk_;
    recovered.is_rebooted = !journal_.boot.is_none() && journal_.boot != boot_;
    for (const auto& [key, spec] : journal_.specs) {
        recovered.journal.specs.push_back({key.first, spec});
    }
    for (auto& [process, shim] : shims_) {
        shim.reported_start = shim.reported_end = shim.is_awaited = false;
    }
    std::set<std::uint64_t> known;
    for (const auto& [id, image] : journal_.instances) {
        recovered.journal.instances.push_back(image);
        const std::uint64_t process = raw(image.process);
        if (process == 0 || recovered.is_rebooted) {
            continue;
        }
        known.insert(process);
        const bool ran = image.identity.pid != 0;
        const auto [at, is_lost] = shims_.try_emplace(process);
        at->second.order.process = image.process;
        at->second.reported_start = ran;
        if (is_lost && ran) {
            at->second.end = agent::ProcessEnded{.process = image.process, .unseen = true};
        } else if (is_lost) {
            at->second.failure =
                agent::ProcessNotStarted{image.process, false, false, "it was never made", true};
        }
        at->second.is_known = at->second.is_known || is_lost;
    }
    for (const auto& [process, shim] : shims_) {
        if (!known.contains(process)) {
            recovered.found.push_back(shim.order);
        }
    }
    return recovered;
}

void AgentHost::deliver_all(Instant now) {
    std::vector<std::uint64_t> processes;
    for (const auto& [process, shim] : shims_) {
        processes.push_back(process);
    }
    for (const std::uint64_t process : processes) {
        if (const auto at = shims_.find(process); at != shims_.end()) {
            report_state(now, at->second);
        }
    }
}

// The agent acts on each report at once and may release the shim, so `shim` is not used after a
// report.
void AgentHost::report_state(Instant now, Shim& shim) {
    if (!core_ || !shim.is_known) {
        return;
    }
    if (shim.failure) {
        if (!shim.reported_end && !loses(now, shim, "that its process was not made")) {
            shim.reported_end = true;
            on_input(now, *shim.failure);
        }
        return;
    }
    const std::optional<agent::ProcessEnded> end = shim.end;
    const bool reports_end = end && !shim.reported_end;
    if ((!shim.reported_start || reports_end) &&
        loses(now, shim, reports_end ? "that its process is gone" : "that its process runs")) {
        return;
    }
    shim.reported_end = shim.reported_end || end.has_value();
    if (!std::exchange(shim.reported_start, true)) {
        on_input(now,
                 agent::ProcessStarted{
                     shim.order.process, clock(now), {static_cast<std::int32_t>(shim.number), 1}});
    }
    if (reports_end) {
        on_input(now, *end);
    }
}

// Only expected reports can be lost: the end of a running process is never missed, and the link
// shows that a shim was killed.
bool AgentHost::loses(Instant now, const Shim& shim, std::string_view what) {
    const bool is_awaited = !shim.reported_start || shim.is_awaited;
    if (!faulty_ || shim.is_killed || !is_awaited ||
        !shims_random_.chance(world_.options.shim_loss, 1000)) {
        return false;
    }
    world_.trace.line(now, "{} shim of process {}: {} is lost", label_, raw(shim.order.process),
                      what);
    return true;
}

// Sends the whole state again, over a new link.
void AgentHost::ask(Instant now, const agent::Ask& order) {
    world_.trace.line(now, "{} asks the shim of process {}", label_, raw(order.process));
    const auto at = shims_.find(raw(order.process));
    if (at != shims_.end() && at->second.is_known) {
        world_.queue.push(now, SpawnDone{index_, at->first, at->second.number});
    }
}

void AgentHost::spawn(Instant now, const agent::Spawn& order) {
    const std::uint64_t number = raw(order.process);
    const bool is_journaled = std::ranges::any_of(journal_.instances, [&](const auto& entry) {
        return entry.second.process == order.process;
    });
    world_.checkers.on(now, SpawnOrdered{index_, number, order.id, order.generation,
                                         order.spec.restart.policy, is_journaled, order.lease});
    const auto [at, is_new] = shims_.try_emplace(number);
    ensure(is_new, "an agent gives each process a new number");
    Shim& shim = at->second;
    shim.number = ++shims_made_;
    shim.order = {order.process, order.id, order.generation, order.spec, order.proof};
    shim.known = now + draw(random_, world_.options.spawn);
    const std::string& behaviour = order.spec.argv.front();
    if (behaviour == "missing") {
        shim.failure = agent::ProcessNotStarted{order.process, true, false, "no such file"};
    } else if (spawns_broken_ || (faulty_ && random_.chance(world_.options.spawn_fails, 1000))) {
        shim.failure = agent::ProcessNotStarted{order.process, false, true, "out of memory"};
    }
    world_.queue.push(shim.known, SpawnDone{index_, number, shim.number});
    if (order.spec.exclusive) {
        ensure(order.lease > now && order.token > 0, "an exclusive instance begins under a lease");
        shim.lease = end_of(now, order.lease);
        world_.queue.push(shim.lease, LeaseDue{index_, number, shim.number});
    }
    if (shim.failure) {
        world_.trace.line(now, "{} cannot run {}", label_, describe(order.id, order.generation));
        return;
    }
    shim.process =
        world_.truth.begin(Process{index_, shim.number, number, order.id, order.generation,
                                   behaviour == "stubborn", order.token});
    world_.trace.line(now, "{} + {}", label_, describe(order.id, order.generation));
    world_.checkers.on(now, ProcessBegan{index_, order.id, order.generation, number,
                                         order.spec.exclusive, order.token});
    ++world_.changes;
    if (behaviour == "exit") {
        const auto code = static_cast<std::int32_t>(number_of(order.spec, 1));
        const std::chrono::milliseconds lasts{number_of(order.spec, 2)};
        world_.queue.push(shim.known + lasts, ProcessDone{*shim.process, code, 0});
    }
}

void AgentHost::spawned(Instant now, const SpawnDone& done) {
    const auto at = shims_.find(done.process);
    if (at == shims_.end() || at->second.number != done.shim) {
        return;  // The host lost its power.
    }
    at->second.is_known = true;
    report_state(now, at->second);
}

void AgentHost::end(Instant now, const agent::End& order) {
    const auto at = shims_.find(raw(order.process));
    if (at == shims_.end()) {
        world_.checkers.on(now, EndOrdered{index_, raw(order.process)});
        return;
    }
    Shim& shim = at->second;
    shim.is_awaited = true;
    const bool is_due = shim.process && !shim.is_stopping;
    const bool is_lost = is_due && loses(now, shim, "its order to end");
    world_.checkers.on(now, EndOrdered{index_, raw(order.process), is_lost});
    if (is_due && !is_lost) {
        stop(now, shim, order.number, order.grace);
    }
}

void AgentHost::stop(Instant now, Shim& shim, int number, Duration grace) {
    shim.is_stopping = true;
    const Process& process = *world_.truth.find(*shim.process);
    const bool kills = number == SIGKILL || grace == Duration{};
    const Duration obeys = kills ? kill_takes : draw(random_, world_.options.dying);
    const bool in_time = !process.ignores_signals && obeys < grace;
    const Instant gone = now + (kills || in_time ? obeys : grace + kill_takes);
    world_.queue.push(earliest_end(gone, process),
                      ProcessDone{*shim.process, -1, kills || !in_time ? SIGKILL : number});
}

// The clock of a host is up to one percent slow, so a measured time lasts longer.
Instant AgentHost::end_of(Instant now, Instant lease) const {
    const auto slow = static_cast<std::int64_t>((world_.options.seed + raw(index_)) % 11);
    return lease + (lease - now) * slow / 1000;
}

void AgentHost::renew(Instant now, const agent::Renewal& order) {
    world_.checkers.on(now, LeaseRenewed{index_, raw(order.process), order.lease});
    if (const auto at = shims_.find(raw(order.process)); at != shims_.end()) {
        at->second.lease = std::max(at->second.lease, end_of(now, order.lease));
    }
}

// With or without an agent. A process that is being stopped gets no extra time.
void AgentHost::lease_due(Instant now, const LeaseDue& due) {
    const auto at = shims_.find(due.process);
    if (at == shims_.end() || at->second.number != due.shim || !at->second.process) {
        return;
    }
    if (is_halted_) {
        overdue_.push_back(due);
        return;
    }
    if (now < at->second.lease) {
        world_.queue.push(at->second.lease, due);
        return;
    }
    world_.trace.line(now, "{} lease over {}", label_,
                      describe(at->second.order.id, at->second.order.generation));
    world_.checkers.on(now, LeaseEnded{index_, due.process});
    stop(now, at->second, SIGTERM, std::min(at->second.order.spec.grace, limits::lease_grace));
}

Instant AgentHost::earliest_end(Instant now, const Process& process) const {
    const auto at = shims_.find(process.number);
    return at == shims_.end() ? now : std::max(now, at->second.known);
}

// The process does not outlive its shim.
bool AgentHost::kill_shim(Instant now) {
    for (auto& [number, shim] : shims_) {
        if (shim.is_known && shim.process && !shim.is_killed) {
            shim.is_killed = true;
            world_.checkers.on(now, ShimKilled{index_, number});
            world_.queue.push(now + kill_takes, ProcessDone{*shim.process, -1, SIGKILL});
            return true;
        }
    }
    return false;
}

void AgentHost::process_ended(Instant now, const Process& process, const ProcessDone& done) {
    world_.trace.line(now, "{} - {}", label_, describe(process.id, process.generation));
    world_.checkers.on(now, ProcessGone{index_, process.number, process.id, process.generation,
                                        !powered_, done.exit_code});
    ++world_.changes;
    const auto at = shims_.find(process.number);
    if (at == shims_.end() || at->second.number != process.shim) {
        return;
    }
    Shim& shim = at->second;
    shim.process.reset();
    shim.end = agent::ProcessEnded{.process = agent::ProcessId{process.number},
                                   .exit_code = shim.is_killed ? -1 : done.exit_code,
                                   .exit_signal = shim.is_killed ? 0 : done.exit_signal,
                                   .by_order = shim.is_stopping && !shim.is_killed,
                                   .unseen = shim.is_killed};
    report_state(now, shim);
}

void AgentHost::release(std::uint64_t process) {
    const auto at = shims_.find(process);
    ensure(at == shims_.end() || at->second.end || at->second.failure,
           "a shim is released when its process has ended");
    if (at != shims_.end()) {
        shims_.erase(at);
    }
}

}  // namespace muster::sim
