#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "sim/model/cluster.hpp"

// What a test sees of a simulated cluster, and the verdict after all faults ended.
namespace muster::sim {

namespace {

constexpr std::size_t violations_kept = 10;
constexpr std::size_t lines_shown = 40;
constexpr Duration longest_exemption = 15min;  // A roll-out or back-off that takes longer hangs.
constexpr std::int64_t rounds_at_rest = 5;     // A moment is not enough.

}  // namespace

bool Cluster::in_reach(HostIndex host) const {
    const AgentHost& agent = *agents_[raw(host)];
    return agent.is_up() && !agent.is_paused() && !world_.network.is_cut(host);
}

std::vector<std::string> Cluster::labels() const {
    std::vector<std::string> labels;
    for (const auto& agent : agents_) {
        labels.push_back(agent->label());
    }
    return labels;
}

std::size_t Cluster::running(const std::string& task) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        world_.truth.of(task), [&](const Process* process) { return in_reach(process->host); }));
}

// An instance of a task that may neither surge nor be one short cannot move. Nor can one that has
// ended or will run to its end.
bool Cluster::may_move_all() const {
    return is_uniform() && std::ranges::all_of(store().tasks, [&](const auto& task) {
               const TaskSpec& spec = task.wanted.spec;
               return spec.update.max_surge > 0 && spec.restart.policy == RestartPolicy::always &&
                      stays(spec) && !is_held_up(task);
           });
}

// A halt ends when the instance that caused it has run. It stays while no host can run that one.
bool Cluster::is_halted_for_good(const coordinator::StoredTask& task) const {
    std::set<Ordinal> there;
    for (const Process* process : world_.truth.of(task.wanted.name)) {
        there.insert(process->id.ordinal);
    }
    return world_.halted.contains(task.wanted.name) && there.size() < task.wanted.instances &&
           std::ranges::none_of(hosts(), [&](HostIndex host) { return may_take(host, task); });
}

// An instance that its task or host does not let be replaced in place waits for another host.
bool Cluster::is_held_up(const coordinator::StoredTask& task) const {
    if (is_halted_for_good(task)) {
        return true;
    }
    bool has_outdated = false;
    for (const Process* outdated : world_.truth.of(task.wanted.name)) {
        if (outdated->generation >= task.generation) {
            continue;
        }
        has_outdated = true;
        const bool in_place = task.wanted.spec.update.max_unavailable > 0 &&
                              is_open(outdated->host) && meets(outdated->host, task.wanted.place);
        const bool elsewhere =
            !task.wanted.place.every_node && std::ranges::any_of(hosts(), [&](HostIndex host) {
                return may_take(host, task) && world_.truth.running(outdated->id, host) == 0;
            });
        if (in_place || elsewhere) {
            return false;
        }
    }
    return has_outdated;
}

std::pair<std::size_t, std::size_t> Cluster::loads() const {
    std::size_t least = ~std::size_t{0};
    std::size_t most = 0;
    for (const HostIndex host : hosts()) {
        if (is_open(host)) {
            const std::size_t count = world_.truth.on(host).size();
            least = std::min(least, count);
            most = std::max(most, count);
        }
    }
    return {std::min(least, most), most};
}

bool Cluster::balanced() const {
    const auto [least, most] = loads();
    return most - least <= 1;
}

std::optional<StatusReply> Cluster::status() {
    auto status = leader().status(now_);
    collect_violations();
    return status;
}

std::vector<std::string> Cluster::differences() const {
    std::vector<std::string> found;
    if (!operators_.all_answered()) {
        found.emplace_back("a request has no answer");
    }
    if (!leading().is_up()) {
        found.emplace_back("no coordinator runs");
    }
    const coordinator::StoreImage& image = store();
    for (const coordinator::StoredTask& task : image.tasks) {
        if (stays(task.wanted.spec) && !is_held_up(task)) {
            compare(task, found);
        }
    }
    compare_starts(found);
    for (const auto& [number, process] : world_.truth.processes()) {
        const bool stored = task_of(image, process.id.task) != nullptr;
        if (!stored && in_reach(process.host) && process.generation <= image.meta.counter) {
            found.push_back(describe(process.id, process.generation) + " runs, but is not wanted");
        }
    }
    return found;
}

void Cluster::compare(const coordinator::StoredTask& task,
                      std::vector<std::string>& differences) const {
    std::map<Ordinal, std::size_t> copies;
    std::set<HostIndex> homes;
    const bool everywhere = task.wanted.place.every_node && task.wanted.instances > 0;
    for (const Process* process : world_.truth.of(task.wanted.name)) {
        if (!in_reach(process->host)) {
            continue;
        }
        const InstanceId& id = process->id;
        homes.insert(process->host);
        if (process->generation != task.generation ||
            (!everywhere && id.ordinal >= task.wanted.instances)) {
            differences.push_back(describe(id, process->generation) + " runs needlessly");
        }
        if (++copies[id.ordinal] > 1) {
            differences.push_back(to_string(id) + " runs twice");
        }
    }
    const bool lacks = copies.size() < task.wanted.instances;
    for (const HostIndex host : everywhere || lacks ? hosts() : std::vector<HostIndex>{}) {
        if ((!everywhere || !homes.contains(host)) && may_take(host, task)) {
            differences.push_back(fmt::format("one more of {} could run on {}", task.wanted.name,
                                              agents_[raw(host)]->label()));
        }
    }
    for (const HostIndex host : homes) {
        compare_place(host, task, differences);
    }
}

// Between its order and its process an instance is only in the journal.
void Cluster::compare_starts(std::vector<std::string>& differences) const {
    for (const HostIndex host : hosts()) {
        const agent::Agent* core = agents_[raw(host)]->core();
        if (core == nullptr || !in_reach(host)) {
            continue;
        }
        for (const agent::LocalInstance& instance : core->instances()) {
            const InstanceReport& report = instance.report;
            const bool is_starting =
                report.state == InstanceState::pending || report.state == InstanceState::starting;
            const coordinator::StoredTask* task =
                is_starting ? task_of(store(), report.id.task) : nullptr;
            if (task != nullptr && stays(task->wanted.spec) && !is_held_up(*task)) {
                differences.push_back(to_string(report.id) + " is being started");
            }
        }
    }
}

// A misplaced instance leaves, if there is another place for it.
void Cluster::compare_place(HostIndex host, const coordinator::StoredTask& task,
                            std::vector<std::string>& differences) const {
    if (meets(host, task.wanted.place) && intent_for(host) != coordinator::Intent::draining) {
        return;
    }
    for (const Process* process : world_.truth.of(task.wanted.name)) {
        if (process->host == host &&
            std::ranges::any_of(hosts(), [&](HostIndex other) { return may_take(other, task); })) {
            differences.push_back(fmt::format("{} could leave {}", to_string(process->id),
                                              agents_[raw(host)]->label()));
        }
    }
}

// ---- the end of faults ----

void Cluster::repair_host(std::string_view label) {
    const AgentHost& one = host(label);
    heal(label);
    if (!one.is_fault_free()) {
        set_ready(label, true);
        set_full(label, false);
        break_spawns(label, false);
        break_disk(label, false);
    }
    if (!one.is_powered()) {
        if (!one.is_scrapped()) {
            boot_host(label);
        }
    } else if (one.is_halted()) {
        resume_host(label);
    } else if (one.is_paused()) {
        resume_agent(label);
    } else if (!one.is_up()) {
        restart_agent(label);
    }
}

void Cluster::repair_coordinator() {
    for (std::uint32_t control = 0; control < coordinators(); ++control) {
        if (controls_[control]->is_paused()) {
            resume_coordinator(control);
        } else if (!controls_[control]->is_running()) {
            restart_coordinator(control);
        }
    }
}

void Cluster::heal_all() {
    note("all", "is well again");
    healed_ = now_;
    world_.network.calm();
    world_.store.repair();
    operators_.calm();
    crash_at_commit_ = 0;
    world_.provider.set_faults({});
    if (etcd_) {
        etcd_->calm(now_);
    }
    for (const auto& control : controls_) {
        control->set_clock(now_, {});
    }
    for (std::uint32_t index = 0; index < agents_.size(); ++index) {
        AgentHost& agent = *agents_[index];
        if (agent.is_scrapped()) {
            continue;
        }
        agent.calm();
        world_.network.heal(now_, HostIndex{index});
        if (!agent.is_powered()) {
            agent.boot(now_);
        } else if (agent.is_halted()) {
            agent.go_on(now_);
        } else if (agent.is_paused()) {
            agent.resume(now_);
        } else if (!agent.is_up()) {
            agent.start_daemon(now_);
        }
    }
    for (const auto& control : controls_) {
        if (control->is_paused()) {
            control->resume(now_);
        } else if (!control->is_running()) {
            control->start(now_);
        }
    }
    collect_violations();
}

// L1 does not count the time of a recovery, a back-off, a roll-out or a move, nor that in which a
// node that left may return, because they have their own bounds.
bool Cluster::is_exempt() const {
    const coordinator::CoordinatorOptions& options = world_.options.coordinator;
    if (!leading().is_up() || now_ < leading().awake_since() + options.recovery_grace ||
        !world_.suspended.empty() || !world_.left.empty() || world_.frozen ||
        may_wait_for_lease() ||
        now_ <= std::max(world_.move_ordered, leading().led_since()) + options.round +
                    options.move_cooldown) {
        return true;
    }
    for (const auto& [number, process] : world_.truth.processes()) {
        const coordinator::StoredTask* task = task_of(store(), process.id.task);
        if (task != nullptr && task->generation != process.generation && !is_held_up(*task)) {
            return true;
        }
    }
    return is_restarting();
}

/// True if some host starts again, or some instance on an honest host.
bool Cluster::is_restarting() const {
    return std::ranges::any_of(agents_, [](const auto& agent) {
        if (!agent->is_up()) {
            return !agent->is_scrapped();
        }
        if (agent->is_byzantine()) {
            return false;
        }
        return std::ranges::any_of(agent->core()->instances(), [](const auto& instance) {
            return instance.report.state == InstanceState::backoff ||
                   instance.report.state == InstanceState::stopping;
        });
    });
}

bool Cluster::may_wait_for_lease() const {
    const Duration lease = world_.options.coordinator.lease;
    const Duration over = lease + lease / 100 + limits::lease_grace + limits::lease_kill;
    // An agent that was just ordered to end takes its time, and so does an accepted store.
    constexpr Duration converged_within = 60s;
    const bool is_late = now_ > std::max(healed_ + converged_within, leading().led_since()) + over;
    return !is_late && std::ranges::any_of(store().tasks, [](const coordinator::StoredTask& task) {
        return task.wanted.spec.exclusive;
    });
}

std::int64_t Cluster::rounds_to_converge() const {
    const ClusterOptions& options = world_.options;
    const Duration round = options.coordinator.round;
    const Duration reconnected =
        options.heartbeat_timeout + options.reconnect.most + 4 * options.delay.most;
    return (reconnected + round - 1ns) / round + options.coordinator.loss.after;
}

/// True if the cluster comes to rest within this many rounds, except exempt ones, and stays so.
template <class AtRest, class Exempt>
bool Cluster::stays_at_rest(std::int64_t bound, AtRest is_at_rest, Exempt is_exempt) {
    const Instant began = now_;
    std::int64_t rounds = 0;
    for (std::int64_t calm = 0; rounds < bound && now_ - began < longest_exemption;) {
        run(world_.options.coordinator.round);
        end_freeze();
        calm = is_at_rest() ? calm + 1 : 0;
        if (calm == rounds_at_rest) {
            return true;
        }
        rounds += calm > 0 || is_exempt() ? 0 : 1;
    }
    return false;
}

bool Cluster::converges() {
    const std::int64_t bound = rounds_to_converge();
    const Instant began = now_;
    if (stays_at_rest(
            bound, [&] { return is_at_rest(); }, [&] { return is_exempt(); })) {
        return true;
    }
    auto found = differences();
    for (const std::string& name : world_.suspended) {
        found.push_back(name + " is suspended");
    }
    if (world_.frozen) {
        found.emplace_back("it is frozen");
    }
    found.emplace_back(balanced() ? "the load is balanced" : "the load is not balanced");
    violated(Violation{"L1", fmt::format("not converged {} s after all faults ended: {}",
                                         to_ms(now_ - began) / 1000, fmt::join(found, "; "))});
    return false;
}

bool Cluster::serves_beside_byzantine_hosts() {
    constexpr std::int64_t found_out_within = 5;
    const coordinator::CoordinatorOptions& options = world_.options.coordinator;
    const std::int64_t bound = rounds_to_converge() + found_out_within;
    const Instant began = now_;
    const auto is_excusable = [&] {
        const bool is_recovering =
            !leading().is_up() || now_ < leading().awake_since() + options.recovery_grace;
        return is_recovering || world_.frozen || is_restarting();
    };
    if (stays_at_rest(
            bound, [&] { return missing_beside_byzantine_hosts().empty(); }, is_excusable)) {
        return true;
    }
    violated(Violation{"L1",
                       fmt::format("beside a byzantine host, {} s after all other faults ended: {}",
                                   to_ms(now_ - began) / 1000,
                                   fmt::join(missing_beside_byzantine_hosts(), "; "))});
    return false;
}

// It is sufficient that an instance runs, in any generation, any number of times.
std::vector<std::string> Cluster::missing_beside_byzantine_hosts() const {
    std::vector<std::string> found;
    for (const coordinator::StoredTask& task : store().tasks) {
        if (!stays(task.wanted.spec) || task.wanted.spec.exclusive ||
            task.wanted.place.every_node) {
            continue;
        }
        std::set<Ordinal> running;
        for (const Process* process : world_.truth.of(task.wanted.name)) {
            if (!host(process->host).hides(process->id, process->generation)) {
                running.insert(process->id.ordinal);
            }
        }
        const bool could_run = std::ranges::any_of(hosts(), [&](HostIndex host) {
            return !this->host(host).is_byzantine() && may_take(host, task);
        });
        for (Ordinal ordinal = 0; ordinal < task.wanted.instances && could_run; ++ordinal) {
            if (!running.contains(ordinal)) {
                found.push_back(to_string(InstanceId{task.wanted.name, ordinal}));
            }
        }
    }
    return found;
}

// Operators end their own freezes and give up hosts that are gone forever. Any other freeze has to
// end by itself (L11).
void Cluster::end_freeze() {
    const bool any_scrapped =
        std::ranges::any_of(agents_, [](const auto& agent) { return agent->is_scrapped(); });
    if (world_.frozen && (world_.frozen_by_operator || any_scrapped)) {
        ask(FreezeOffRequest{{.reason = "all is well", .author = "op"}});
    }
}

bool Cluster::is_at_rest() const {
    const bool all_there = std::ranges::all_of(agents_, [&](const auto& agent) {
        return agent->is_scrapped() || in_reach(agent->label());
    });
    return all_there && world_.suspended.empty() && !world_.frozen && converged() &&
           (balanced() || !may_move_all());
}

void Cluster::collect_violations() {
    for (const Violation& violation : world_.checkers.take_violations()) {
        violated(violation);
    }
}

void Cluster::violated(const Violation& violation) {
    if (violations_.size() < violations_kept) {
        violations_.push_back(fmt::format("{}: {} (seed {})\n{}", violation.property,
                                          violation.what, world_.options.seed,
                                          world_.trace.last(lines_shown)));
    }
    world_.trace.line(now_, "violated " + violation.property + ": " + violation.what);
}

}  // namespace muster::sim
