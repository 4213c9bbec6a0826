#include "sim/faults/chaos.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/model/generators.hpp"

namespace muster::sim {

namespace {

constexpr std::array task_names{"api", "cache", "db", "web"};
constexpr std::uint64_t most_instances = 5;
constexpr int most_acceptances = 10;
constexpr Duration reconnected_within = 30s;

}  // namespace

ClusterOptions random_options(std::uint64_t seed, std::uint32_t nodes, const FaultSet& faults) {
    Random random{seed ^ 0x6b6e6f62ULL};
    const auto chance = [&](Fault fault, std::uint64_t most) {
        const auto drawn = static_cast<std::uint32_t>(1 + random.below(most));
        return faults.has(fault) ? drawn : 0;
    };
    ClusterOptions options;
    options.seed = seed;
    options.nodes = nodes;
    options.offers = random.chance(1, 2);
    options.readiness_checks = random.chance(1, 2);
    options.coordinator.listed_only = random.chance(1, 4);
    options.loss = chance(Fault::loss, 30);
    options.drop = chance(Fault::drop, 100);
    options.late = chance(Fault::late, 200);
    options.corrupt = chance(Fault::corrupt, 30);
    options.client_loss = chance(Fault::client_loss, 300);
    options.disk_fails = chance(Fault::write_fails, 100);
    options.spawn_fails = chance(Fault::spawn_fails, 50);
    if (faults.has(Fault::slow)) {
        options.delay = Span{1ms, std::chrono::milliseconds{1 + random.below(400)}};
        options.commit = Span{1ms, std::chrono::milliseconds{1 + random.below(300)}};
        options.disk = Span{1ms, std::chrono::milliseconds{1 + random.below(100)}};
        options.dying = Span{1ms, 3s};
        options.spawn = Span{1ms, std::chrono::milliseconds{2 + random.below(500)}};
    }
    options.shim_loss = chance(Fault::shim_loss, 300);
    // A generator of its own, so that the other draws stay the same.
    if (Random{seed ^ 0x6c6f7374ULL}.chance(1, 2)) {
        options.coordinator.loss = {};
        options.coordinator.recovery_grace = usual_recovery_grace(options.coordinator);
    }
    // A cluster without a key has no proofs of orders.
    if (Random{seed ^ 0x6b657973ULL}.chance(1, 4)) {
        options.coordinator.order_key = {};
    }
    options.coordinator.keys = faults.has(Fault::keys);
    options.coordinator.accept_pending =
        options.coordinator.keys && Random{seed ^ 0x70656e64ULL}.chance(1, 2);
    return options;
}

// A node of an exchanged store or with false reports is in no known state.
FaultSet Chaos::with_pools(const FaultSet& faults) {
    return faults.without(Fault::stores).without(Fault::byzantine).without(Fault::keys);
}

void Chaos::run(Duration duration) {
    const Instant end = cluster_.now() + duration;
    if (random_.chance(1, 2) && may(Fault::nodes)) {
        list_all(false);
    }
    while (cluster_.now() < end) {
        cluster_.run(std::chrono::milliseconds{random_.below(2000)});
        const auto dice = random_.below(10);
        if (dice < 4) {
            operate();
        } else if (dice < 7) {
            inject_fault();
        } else {
            cluster_.mend(any_host());
        }
        if (random_.chance(1, 20) && may(Fault::stores)) {
            exchange_store();
        }
        if (may(Fault::keys) && keys_random_.chance(1, 3)) {
            inject_key_fault();
        }
        if (cluster_.coordinators() > 1 && coordinators_random_.chance(1, 2)) {
            inject_election_fault();
        }
        if (pools_) {
            pools_->act();
        }
    }
}

// The cluster must serve while the byzantine host is still there, before an operator reacts. This
// cannot be required if a host claims to know another store, because its reports are not believed.
void Chaos::serve_beside_byzantine_host() {
    cluster_.heal_all();
    (void)cluster_.run_until([&] { return cluster_.all_answered(); }, reconnected_within);
    admit_hosts();
    open_all();
    if (!is_anyone_ahead()) {
        (void)cluster_.serves_beside_byzantine_hosts();
    }
}

void Chaos::heal() {
    // A claim at the start of a leadership cannot be distinguished from the truth.
    const bool hides =
        manner_ == ReportFalsification::swallows || manner_ == ReportFalsification::by_turns;
    if (hides && byzantine_host_ && !cluster_.host(*byzantine_host_).is_scrapped() &&
        !may(Fault::stores)) {
        serve_beside_byzantine_host();
    }
    if (byzantine_host_ && !cluster_.host(*byzantine_host_).is_scrapped()) {
        cluster_.scrap_host(*byzantine_host_);
    }
    cluster_.heal_all();
    // Earlier requests must not take effect after the following ones.
    (void)cluster_.run_until([&] { return cluster_.all_answered(); }, reconnected_within);
    if (pools_) {
        pools_->heal();
    }
    admit_hosts();
    open_all();
    if (byzantine_host_) {
        give_up(cluster_.host(*byzantine_host_).name());
    }
    // The claims of a byzantine host stay with its name, even if another machine has the name.
    if (may(Fault::stores) || is_anyone_ahead()) {
        accept_store();
    }
}

std::string Chaos::any_host() {
    const auto labels = cluster_.labels();
    return labels[random_.below(labels.size())];
}

std::string Chaos::any_task() { return task_names[random_.below(task_names.size())]; }

WantedTask Chaos::random_task(std::string task) {
    const auto instances = static_cast<std::uint32_t>(random_.below(most_instances + 1));
    WantedTask task_wanted{std::move(task), instances, any_spec(random_), any_rule(random_)};
    if (random_.chance(1, 8) && may(Fault::crash_loop)) {
        task_wanted.spec.argv = {"exit", "1", "100"};
        task_wanted.spec.restart.policy = RestartPolicy::always;
    }
    if (task_wanted.place.every_node) {
        task_wanted.instances = std::min(task_wanted.instances, 1U);
    }
    return task_wanted;
}

void Chaos::operate() {
    const auto dice = random_.below(26);
    switch (dice) {
        case 9:
        case 15:
        case 16: perhaps(Fault::queries, [&] { observe(); }); break;
        case 10:
        case 11:
        case 12: perhaps(Fault::nodes, [&] { operate_nodes(); }); break;
        case 13: perhaps(Fault::limits, [&] { set_limit(); }); break;
        case 14: perhaps(Fault::rebalance, [&] { cluster_.ask(RebalanceRequest{}); }); break;
        case 17: perhaps(Fault::freeze, [&] { cluster_.ask(FreezeOnRequest{}); }); break;
        case 18:
        case 19:
        case 20: perhaps(Fault::freeze, [&] { cluster_.ask(FreezeOffRequest{}); }); break;
        default: perhaps(Fault::tasks, [&] { operate_tasks(dice); });
    }
    if (random_.chance(1, 10) && last_) {
        cluster_.repeat(*last_);
    }
}

void Chaos::operate_tasks(std::uint64_t dice) {
    switch (dice) {
        case 0:
        case 1: {
            // First, because the order of evaluation of arguments depends on the compiler.
            const std::string task = any_task();
            cluster_.scale(task, static_cast<std::uint32_t>(random_.below(most_instances + 1)));
            break;
        }
        case 2:
        case 3: cluster_.restart(any_task()); break;
        case 4:
        case 5: cluster_.remove(any_task()); break;
        case 6: cluster_.ask(TaskAddRequest{random_task(any_task())}); break;
        case 7: apply_all(); break;
        case 8: cluster_.ask(TaskRestartRequest{"*"}); break;
        default: last_ = cluster_.ask(ApplyRequest{.tasks = {random_task(any_task())}});
    }
}

// From now on only two tasks are wanted.
void Chaos::apply_all() {
    ApplyRequest request;
    request.replace = true;
    const std::uint64_t first = random_.below(task_names.size());
    for (const std::uint64_t task : {first, (first + 1) % task_names.size()}) {
        request.tasks.push_back(random_task(task_names.at(task)));
    }
    cluster_.ask(std::move(request));
}

// Keeps a copy of the present store, and replaces the store with one of the copies.
void Chaos::exchange_store() {
    if (backups_.empty()) {
        coordinator::StoreImage empty;
        empty.meta.cluster = cluster_.store().meta.cluster;
        backups_ = {empty, new_store(random_)};
    }
    backups_.push_back(cluster_.store());
    if (cluster_.coordinator_is_up()) {
        cluster_.crash_coordinator();
    }
    cluster_.replace_store(backups_[random_.below(backups_.size())]);
    cluster_.restart_coordinator();
}

// Not if another machine has taken the name.
void Chaos::give_up(const std::string& name) {
    const auto labels = cluster_.labels();
    const bool is_taken = std::ranges::any_of(labels, [&](const std::string& label) {
        return cluster_.host(label).name() == name && !cluster_.host(label).is_scrapped();
    });
    if (!is_taken) {
        cluster_.ask(NodeRemoveRequest{.pattern = name, .force = true, .why = {}});
    }
}

// If no node is ahead any more, a number may stand for different specs in two stores, and nobody
// notices (ADR 7). So everything is restarted.
bool Chaos::is_anyone_ahead() {
    return std::ranges::any_of(cluster_.store().nodes, &coordinator::StoredNode::ahead);
}

void Chaos::accept_store() {
    for (int time = 0; time < most_acceptances; ++time) {
        cluster_.run(reconnected_within);
        if (!is_anyone_ahead()) {
            if (time == 0) {
                cluster_.restart("*");
            }
            return;
        }
        if (time == 0 || !wipe_foreign_hosts()) {
            cluster_.ask(StoreAcceptRequest{});
        }
    }
}

// An agent belongs to one cluster as long as it has its disk. True if there was a foreign agent.
bool Chaos::wipe_foreign_hosts() {
    bool found = false;
    for (const std::string& label : cluster_.labels()) {
        const AgentHost& host = cluster_.host(label);
        const ClusterId cluster = host.disk().cluster;
        if (host.is_up() && !cluster.is_none() && cluster != cluster_.store().meta.cluster) {
            cluster_.crash_agent(label);
            cluster_.lose_disk(label);
            cluster_.restart_agent(label);
            found = true;
        }
    }
    return found;
}

}  // namespace muster::sim
