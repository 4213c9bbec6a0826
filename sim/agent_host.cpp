#include "sim/agent_host.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "common/codec.hpp"
#include "common/ensure.hpp"

namespace muster::sim {

namespace {

constexpr Duration kill_takes = 1ms;
constexpr Duration leftovers_take = 10ms;  // Until what a last life left behind is ended.

constexpr std::size_t batches_kept = 8;

std::int64_t number_of(const TaskSpec& spec, std::size_t argument) {
    return argument < spec.argv.size() ? std::stoll(spec.argv[argument]) : 0;
}

}  // namespace

TaskSpec serving() {
    TaskSpec spec;
    spec.argv = {"serve"};
    return spec;
}

AgentHost::AgentHost(World& world, HostIndex index, std::string label, std::string agent_name)
    : world_{world},
      index_{index},
      label_{std::move(label)},
      name_{std::move(agent_name)},
      random_{world.options.seed ^ (0x686f7374ULL + (std::uint64_t{raw(index)} << 32U))} {}

// ---- power and daemon ----

void AgentHost::boot(Instant now) {
    ensure(!powered_ && !scrapped_, "a host is booted once");
    powered_ = true;
    boot_ = BootId{random_.next(), random_.next()};
    start_daemon(now);
}

void AgentHost::start_daemon(Instant now) {
    ensure(powered_ && !core_, "a daemon is started on a host that has none");
    const auto leftovers = world_.truth.on(index_);
    for (const TrueProcess process : leftovers) {
        world_.queue.push(now + kill_takes, ProcessDone{process, -1, SIGKILL});
    }
    const Duration takes = leftovers.empty() ? Duration{} : leftovers_take;
    world_.queue.push(now + takes, AgentStart{index_, life_});
}

void AgentHost::begin(Instant now, std::uint64_t life) {
    if (life != life_ || core_ || !powered_) {
        return;
    }
    ensure(world_.truth.on(index_).empty(), "an agent begins when its last life's work is ended");
    disk_.incarnation = next(disk_.incarnation);
    AgentOptions options;
    options.name = name_;
    options.life = LifeId{random_.next(), random_.next()};
    options.boot = boot_;
    options.version = "sim";
    options.seed = random_.next();
    options.offer = offer_;
    if (world_.options.readiness_checks) {
        options.check.command = {"is-ready"};
    }
    world_.trace.line(now,
                      fmt::format("{} begins, incarnation {}", label_, raw(disk_.incarnation)));
    world_.checkers.see(now, AgentBegan{index_, disk_});
    core_ = std::make_unique<Agent>(now, options, disk_);
    world_.network.agent_up(now, index_);
    ++world_.changes;
    take(now, AgentWake{});
}

void AgentHost::end_life(Instant now, bool silently) {
    ++life_;
    core_.reset();
    paused_ = false;
    inbox_.clear();
    spawning_.clear();
    processes_.clear();
    due_.reset();
    if (writing_ && random_.chance(1, 2)) {
        disk_ = *writing_;
    }
    writing_.reset();
    world_.network.agent_down(now, index_, silently);
    world_.checkers.see(now, AgentEnded{index_});
    ++world_.changes;
}

void AgentHost::crash(Instant now) {
    if (core_) {
        end_life(now, false);
    }
}

void AgentHost::kill_power(Instant now) {
    ensure(powered_, "only a host with power loses it");
    powered_ = false;
    end_life(now, true);
    for (const TrueProcess number : world_.truth.on(index_)) {
        const Process process = *world_.truth.find(number);
        world_.truth.end(number);
        process_ended(now, process, ProcessDone{number, -1, SIGKILL});
    }
}

void AgentHost::shut_down(Instant now) {
    world_.checkers.see(now, ShutDownOrdered{index_});
    take(now, ShutDown{});
}

void AgentHost::resume(Instant now) {
    paused_ = false;
    for (auto& input : std::exchange(inbox_, {})) {
        take(now, std::move(input));
    }
    take(now, AgentWake{});
}

void AgentHost::lose_disk() {
    ensure(!core_, "a disk is exchanged while no agent uses it");
    disk_ = AgentMemory{};
    world_.checkers.see(origin, DiskLost{index_});
}

// ---- what is due ----

void AgentHost::wake(Instant now, std::uint64_t life) {
    if (life != life_ || !core_ || due_ != now) {
        return;
    }
    due_.reset();
    if (!paused_) {
        take(now, AgentWake{});
    }
}

void AgentHost::written(Instant now, std::uint64_t life) {
    if (life != life_) {
        return;
    }
    ensure(writing_.has_value(), "a write that is done was begun");
    const AgentMemory memory = *std::exchange(writing_, std::nullopt);
    if (disk_broken_ || (faulty_ && random_.chance(world_.options.disk_fails, 1000))) {
        world_.trace.line(now, label_ + " fails to write its memory");
        world_.checkers.see(now, WriteFailed{index_});
        take(now, RememberFailed{"no space"});
        return;
    }
    disk_ = memory;
    take(now, Remembered{});
}

void AgentHost::spawned(Instant now, const SpawnDone& done) {
    if (done.life != life_) {
        return;
    }
    const auto at = spawning_.find(done.process);
    ensure(at != spawning_.end(), "a process that is made was ordered");
    const auto failure = std::move(at->second.failure);
    spawning_.erase(at);
    if (failure) {
        take(now, *failure);
    } else {
        take(now, ProcessStarted{ProcessId{done.process}, civil(now)});
    }
}

void AgentHost::checked(Instant now, const CheckDone& done) {
    if (done.life != life_) {
        return;
    }
    const ProcessId process{done.process};
    if (spawns_broken_) {
        take(now, ProcessNotStarted{process, false, true, "out of memory"});
        return;
    }
    take(now, ProcessStarted{process, civil(now)});
    take(now, ProcessEnded{process, ready_ ? 0 : 1, 0});
}

void AgentHost::receive(Instant now, const std::string& bytes) {
    CoordinatorMessage message;
    const auto decoded = codec::decode(bytes, message);
    ensure(decoded.has_value(), "an agent can read what a coordinator wrote");
    if (core_ && !is_routine(message)) {
        world_.trace.line(now, fmt::format("c1 > {} {}", label_, describe(message)));
    } else {
        world_.trace.routine(now, bytes);
        if (world_.options.keep_routine) {
            world_.trace.line(now, fmt::format("c1 > {} {}", label_, describe(message)));
        }
    }
    if (const auto* batch = std::get_if<Batch>(&message); batch != nullptr && core_) {
        world_.checkers.see(now, BatchDelivered{index_, *batch, disk_});
        batches_.push_back(bytes);
        if (batches_.size() > batches_kept) {
            batches_.erase(batches_.begin());
        }
    }
    take(now, FromCoordinator{std::move(message)});
}

const std::string& AgentHost::old_batch(std::size_t back) const {
    ensure(back < batches_.size(), "a batch that is replayed was delivered before");
    return batches_[batches_.size() - 1 - back];
}

void AgentHost::process_ended(Instant now, const Process& process, const ProcessDone& done) {
    const bool mine = core_ && process.life == life_;
    world_.trace.line(now,
                      fmt::format("{} - {}", label_, describe(process.id, process.generation)));
    world_.checkers.see(now, ProcessGone{index_, process.number, process.id, process.generation,
                                         mine, done.exit_code});
    ++world_.changes;
    if (mine) {
        processes_.erase(process.number);
        take(now, ProcessEnded{ProcessId{process.number}, done.exit_code, done.exit_signal});
    }
}

// ---- the daemon ----

void AgentHost::take(Instant now, AgentInput input) {
    if (!core_) {
        return;
    }
    if (paused_) {
        inbox_.push_back(std::move(input));
        return;
    }
    AgentOutput output = core_->step(now, input);
    carry_out(now, output);
}

void AgentHost::carry_out(Instant now, AgentOutput& output) {
    if (output.remember) {
        ensure(!writing_, "an agent awaits one write before the next");
        writing_ = output.remember;
        world_.queue.push(now + draw(random_, world_.options.disk), DiskDone{index_, life_});
    }
    for (const AgentMessage& message : output.messages) {
        world_.checkers.see(now, AgentSaid{index_, message, disk_});
    }
    for (const Kill& kill : output.kills) {
        end(now, raw(kill.process), SIGKILL);
    }
    for (const Signal& signal : output.signals) {
        end(now, raw(signal.process), signal.number);
    }
    for (const Spawn& order : output.spawns) {
        spawn(now, order);
    }
    for (const AgentMessage& message : output.messages) {
        send(now, message);
    }
    for (const Spawn& order : output.checks) {
        world_.queue.push(now + draw(random_, world_.options.spawn),
                          CheckDone{index_, life_, raw(order.process)});
    }
    if (output.finished) {
        world_.trace.line(now, label_ + " ends");
        end_life(now, false);
        if (!faulty_) {
            start_daemon(now);
        }
        return;
    }
    schedule(now);
}

void AgentHost::spawn(Instant now, const Spawn& order) {
    const std::uint64_t number = raw(order.process);
    ensure(!spawning_.contains(number) && !processes_.contains(number),
           "an agent numbers its processes anew");
    world_.checkers.see(
        now, SpawnOrdered{index_, number, order.id, order.generation, order.spec.restart.policy});
    Spawning spawning;
    spawning.known = now + draw(random_, world_.options.spawn);
    const std::string& behaviour = order.spec.argv.front();
    if (behaviour == "missing") {
        spawning.failure = ProcessNotStarted{order.process, true, false, "no such file"};
    } else if (spawns_broken_ || (faulty_ && random_.chance(world_.options.spawn_fails, 1000))) {
        spawning.failure = ProcessNotStarted{order.process, false, true, "out of memory"};
    }
    world_.queue.push(spawning.known, SpawnDone{index_, life_, number});
    const bool made = !spawning.failure.has_value();
    const Instant known = spawning.known;
    spawning_.emplace(number, std::move(spawning));
    if (!made) {
        world_.trace.line(
            now, fmt::format("{} cannot run {}", label_, describe(order.id, order.generation)));
        return;
    }
    const TrueProcess process = world_.truth.begin(
        Process{index_, life_, number, order.id, order.generation, behaviour == "stubborn"});
    processes_.emplace(number, process);
    world_.trace.line(now, fmt::format("{} + {}", label_, describe(order.id, order.generation)));
    world_.checkers.see(now, ProcessBegan{index_, order.id, order.generation});
    ++world_.changes;
    if (behaviour == "exit") {
        const auto code = static_cast<std::int32_t>(number_of(order.spec, 1));
        const std::chrono::milliseconds lasts{number_of(order.spec, 2)};
        world_.queue.push(known + lasts, ProcessDone{process, code, 0});
    }
}

void AgentHost::end(Instant now, std::uint64_t process, int signal) {
    world_.checkers.see(now, EndOrdered{index_, process});
    const auto at = processes_.find(process);
    if (at == processes_.end()) {
        return;
    }
    const bool kills = signal == SIGKILL;
    if (!kills && world_.truth.find(at->second)->ignores_signals) {
        return;
    }
    const Instant gone = now + (kills ? kill_takes : draw(random_, world_.options.dying));
    world_.queue.push(earliest_end(gone, *world_.truth.find(at->second)),
                      ProcessDone{at->second, -1, signal});
}

Instant AgentHost::earliest_end(Instant now, const Process& process) const {
    const auto spawning = process.life == life_ ? spawning_.find(process.number) : spawning_.end();
    return spawning == spawning_.end() ? now : std::max(now, spawning->second.known);
}

void AgentHost::send(Instant now, const AgentMessage& message) {
    const auto session = world_.network.session_of(index_);
    if (!session) {
        return;
    }
    codec::encode(message, bytes_);
    if (!world_.network.send(now, *session, Side::coordinator, bytes_)) {
        world_.trace.line(now, fmt::format("{} > c1 {}: lost", label_, describe(message)));
    }
}

void AgentHost::schedule(Instant now) {
    const Instant wanted = std::max(core_->next_deadline(), now);
    if (!due_ || wanted < *due_) {
        due_ = wanted;
        world_.queue.push(wanted, AgentDue{index_, life_});
    }
}

}  // namespace muster::sim
