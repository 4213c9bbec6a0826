#include "sim/hosts/agent_host.hpp"

#include <algorithm>
#include <csignal>

#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"

namespace muster::sim {

namespace {

constexpr Duration adoption_takes = 10ms;  // Until all shims have sent their state.

constexpr std::size_t batches_kept = 8;

}  // namespace

TaskSpec serving() {
    TaskSpec spec;
    spec.argv = {"serve"};
    return spec;
}

bool stays(const TaskSpec& spec) {
    return spec.argv.front() != "exit" && spec.argv.front() != "missing";
}

AgentHost::AgentHost(World& world, HostIndex index, std::string label, std::string agent_name)
    : world_{world},
      index_{index},
      label_{std::move(label)},
      name_{std::move(agent_name)},
      random_{world.options.seed ^ (0x686f7374ULL + (std::uint64_t{raw(index)} << 32U))},
      shims_random_{world.options.seed ^ (0x7368696dULL + (std::uint64_t{raw(index)} << 32U))} {}

// ---- power and daemon ----

void AgentHost::boot(Instant now) {
    ensure(!powered_ && !scrapped_, "a host is booted once");
    powered_ = true;
    boot_ = BootId{random_.next(), random_.next()};
    start_daemon(now);
}

void AgentHost::start_daemon(Instant now) {
    ensure(powered_ && !core_, "a daemon is started on a host that has none");
    world_.queue.push(now + (shims_.empty() ? Duration{} : adoption_takes),
                      AgentStart{index_, life_});
}

void AgentHost::begin(Instant now, std::uint64_t life) {
    if (life != life_ || core_ || !powered_) {
        return;
    }
    disk_.incarnation = next(disk_.incarnation);
    agent::AgentOptions options;
    options.name = name_;
    options.life = LifeId{random_.next(), random_.next()};
    options.boot = boot_;
    options.version = "sim";
    options.seed = random_.next();
    options.offer = offer_;
    if (world_.options.readiness_checks) {
        options.check.command = {"is-ready"};
    }
    world_.trace.line(now, "{} begins, incarnation {}", label_, raw(disk_.incarnation));
    const agent::RecoveredState recovered = recovered_state();
    world_.checkers.on(now, AgentBegan{index_, recovered});
    core_ = std::make_unique<agent::Agent>(now, options, recovered);
    world_.network.agent_up(now, index_);
    ++world_.changes;
    deliver_all(now);
    on_input(now, agent::AgentWake{});
}

void AgentHost::end_life(Instant now, bool silently) {
    ++life_;
    core_.reset();
    paused_ = false;
    inbox_.clear();
    due_.reset();
    if (writing_ && random_.chance(1, 2)) {
        disk_ = *writing_;
    }
    if (journaling_ && random_.chance(1, 2)) {
        apply(*journaling_);
    }
    writing_.reset();
    journaling_.reset();
    world_.network.agent_down(now, index_, silently);
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
    shims_.clear();
    for (const TrueProcess number : world_.truth.on(index_)) {
        const Process process = *world_.truth.find(number);
        world_.truth.end(number);
        process_ended(now, process, ProcessDone{number, -1, SIGKILL});
    }
}

void AgentHost::shut_down(Instant now) {
    world_.checkers.on(now, ShutDownOrdered{index_});
    on_input(now, agent::ShutDown{});
}

void AgentHost::resume(Instant now) {
    paused_ = false;
    for (auto& input : std::exchange(inbox_, {})) {
        on_input(now, std::move(input));
    }
    on_input(now, agent::AgentWake{});
}

void AgentHost::halt(Instant now) {
    is_halted_ = true;
    pause();
    world_.checkers.on(now, HostHalted{index_});
}

void AgentHost::go_on(Instant now) {
    is_halted_ = false;
    for (const LeaseDue& due : std::exchange(overdue_, {})) {
        lease_due(now, due);
    }
    resume(now);
}

void AgentHost::lose_disk() {
    ensure(!core_, "a disk is exchanged while no agent uses it");
    disk_ = agent::AgentMemory{};
    journal_ = {};
    world_.checkers.on(origin, DiskLost{index_});
}

// ---- deadlines ----

void AgentHost::wake(Instant now, std::uint64_t life) {
    if (life != life_ || !core_ || due_ != now) {
        return;
    }
    due_.reset();
    if (!paused_) {
        on_input(now, agent::AgentWake{});
    }
}

void AgentHost::written(Instant now, const DiskDone& done) {
    if (done.life != life_) {
        return;
    }
    const bool fails = disk_broken_ || (faulty_ && random_.chance(world_.options.disk_fails, 1000));
    if (done.of_journal) {
        ensure(journaling_.has_value(), "a write that is done was begun");
        const agent::JournalWrite write = *std::exchange(journaling_, std::nullopt);
        if (fails) {
            world_.trace.line(now, label_ + " fails to write its journal");
            on_input(now, agent::JournalFailed{"no space"});
        } else {
            apply(write);
            on_input(now, agent::Journaled{});
        }
        return;
    }
    ensure(writing_.has_value(), "a write that is done was begun");
    const agent::AgentMemory memory = *std::exchange(writing_, std::nullopt);
    if (fails) {
        world_.trace.line(now, label_ + " fails to write its memory");
        world_.checkers.on(now, WriteFailed{index_});
        on_input(now, agent::RememberFailed{"no space"});
        return;
    }
    disk_ = memory;
    on_input(now, agent::Remembered{});
}

void AgentHost::apply(const agent::JournalWrite& write) {
    journal_.boot = boot_;
    for (const auto& spec : write.specs) {
        journal_.specs.insert_or_assign({spec.task, digest_of(spec.spec)}, spec.spec);
    }
    for (const auto& image : write.instances) {
        journal_.instances.insert_or_assign(image.report.id, image);
    }
    for (const auto& id : write.gone) {
        journal_.instances.erase(id);
    }
    std::erase_if(journal_.specs, [&](const auto& entry) {
        return std::ranges::none_of(journal_.instances, [&](const auto& instance) {
            return instance.first.task == entry.first.first &&
                   instance.second.digest == entry.first.second;
        });
    });
}

void AgentHost::checked(Instant now, const CheckDone& done) {
    if (done.life != life_) {
        return;
    }
    const agent::ProcessId process{done.process};
    if (spawns_broken_) {
        on_input(now, agent::ProcessNotStarted{process, false, true, "out of memory"});
        return;
    }
    on_input(now, agent::ProcessStarted{process, clock(now)});
    on_input(now, agent::ProcessEnded{process, ready_ ? 0 : 1, 0});
}

// A corrupted message that can still be decoded would be an order of a false coordinator. Only keys
// protect against that, so the message counts as lost.
void AgentHost::receive(Instant now, const Delivery& delivery) {
    const std::string& bytes = delivery.bytes;
    const std::string from = name_of_control(world_.network.control_of(delivery.session));
    CoordinatorMessage message;
    const auto decoded = codec::decode(bytes, message);
    if (delivery.mangled) {
        world_.trace.line(now, "{} > {} mangled", from, label_);
        return;
    }
    ensure(decoded.has_value(), "an agent can read what a coordinator wrote");
    if (core_ && !is_routine(message)) {
        world_.trace.line(now, "{} > {} {}", from, label_, describe(message));
    } else {
        world_.trace.routine(now, bytes);
        if (world_.options.keep_routine) {
            world_.trace.line(now, "{} > {} {}", from, label_, describe(message));
        }
    }
    if (const auto* batch = std::get_if<Batch>(&message); batch != nullptr && core_) {
        world_.checkers.on(now, BatchDelivered{index_, *batch, disk_});
        batches_.push_back(bytes);
        if (batches_.size() > batches_kept) {
            batches_.erase(batches_.begin());
        }
    }
    if (observes_ && std::holds_alternative<Poll>(message)) {
        observe_itself(now);
    }
    on_input(now, agent::FromCoordinator{std::move(message)});
}

void AgentHost::observe_itself(Instant now) {
    constexpr std::uint64_t bytes = std::uint64_t{1} << 40U;
    on_input(now, agent::HostObserved{.civil = clock(now)});
    on_input(now, agent::DiskObserved{.free_bytes = full_ ? 0 : bytes, .bytes = bytes});
}

const std::string& AgentHost::old_batch(std::size_t back) const {
    ensure(back < batches_.size(), "a batch that is replayed was delivered before");
    return batches_[batches_.size() - 1 - back];
}

// ---- the daemon ----

void AgentHost::on_input(Instant now, agent::AgentInput input) {
    if (!core_) {
        return;
    }
    if (paused_) {
        inbox_.push_back(std::move(input));
        return;
    }
    agent::AgentOutput output = core_->step(now, input);
    if (world_.options.hash_outputs) {
        world_.outputs.add(now, index_, output);
    }
    carry_out(now, output);
}

void AgentHost::carry_out(Instant now, agent::AgentOutput& output) {
    if (output.remember) {
        ensure(!writing_, "an agent awaits one write before the next");
        writing_ = output.remember;
        world_.queue.push(now + draw(random_, world_.options.disk), DiskDone{index_, life_});
    }
    if (output.journal) {
        ensure(!journaling_, "an agent awaits one write before the next");
        journaling_ = std::move(output.journal);
        world_.queue.push(now + draw(random_, world_.options.disk), DiskDone{index_, life_, true});
    }
    for (const AgentMessage& message : output.messages) {
        world_.checkers.on(now, AgentMessageSent{index_, message, disk_});
    }
    for (const agent::Release& order : output.processes.releases) {
        release(raw(order.process));
    }
    for (const agent::Ask& order : output.processes.asks) {
        ask(now, order);
    }
    for (const agent::End& order : output.processes.ends) {
        end(now, order);
    }
    for (const agent::Renewal& order : output.processes.renewals) {
        renew(now, order);
    }
    for (const agent::Spawn& order : output.processes.spawns) {
        spawn(now, order);
    }
    for (const AgentMessage& message : output.messages) {
        send(now, message);
    }
    for (const agent::Spawn& order : output.checks) {
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

void AgentHost::send(Instant now, const AgentMessage& message) {
    const auto session = world_.network.session_of(index_);
    if (!session) {
        return;
    }
    if (const auto* report = std::get_if<Report>(&message); is_byzantine() && report != nullptr) {
        send_falsified(now, *session, *report);
        return;
    }
    codec::encode(message, bytes_);
    if (!world_.network.send(now, *session, Side::coordinator, bytes_)) {
        world_.trace.line(now, "{} > {} {}: lost", label_,
                          name_of_control(world_.network.control_of(*session)), describe(message));
    }
}

// Only an answer may be a snapshot. The host sends its unsolicited changes with the next answer.
void AgentHost::send_falsified(Instant now, coordinator::Session session, const Report& truth) {
    if (truth.round == Round{}) {
        return;
    }
    const Known known{index_, world_.store.durable(), world_.proofs};
    codec::encode(AgentMessage{report_in(manner_, truth, core_->instances(), shown_, known)},
                  bytes_);
    static_cast<void>(world_.network.send(now, session, Side::coordinator, bytes_));
}

void AgentHost::falsify(ReportFalsification manner) {
    manner_ = manner;
    shown_.clear();
    if (core_) {
        for (const agent::LocalInstance& instance : core_->instances()) {
            shown_.emplace(instance.report.id, instance.report.generation);
        }
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
