#include "sim/chaos.hpp"

#include <array>

#include <fmt/format.h>

namespace muster::sim {

namespace {

constexpr std::array tasks{"api", "cache", "db", "web"};
constexpr std::uint64_t most_instances = 5;

}  // namespace

ClusterOptions random_faults(std::uint64_t seed, std::uint32_t nodes) {
    Random random{seed ^ 0x6b6e6f62ULL};
    const auto perhaps = [&](std::uint64_t most) {
        return static_cast<std::uint32_t>(random.chance(1, 2) ? random.below(most + 1) : 0);
    };
    ClusterOptions options;
    options.seed = seed;
    options.nodes = nodes;
    options.loss = perhaps(30);
    options.drop = perhaps(100);
    options.late = perhaps(200);
    options.client_loss = perhaps(300);
    options.disk_fails = perhaps(100);
    options.spawn_fails = perhaps(50);
    if (random.chance(1, 2)) {
        options.delay = Span{1ms, std::chrono::milliseconds{1 + random.below(400)}};
        options.commit = Span{1ms, std::chrono::milliseconds{1 + random.below(300)}};
        options.disk = Span{1ms, std::chrono::milliseconds{1 + random.below(100)}};
        options.dying = Span{1ms, 3s};
        options.spawn = Span{1ms, std::chrono::milliseconds{2 + random.below(500)}};
    }
    return options;
}

void Chaos::run(Duration duration) {
    const Instant end = cluster_.now() + duration;
    while (cluster_.now() < end) {
        cluster_.run(std::chrono::milliseconds{random_.below(2000)});
        const auto dice = random_.below(10);
        if (dice < 4) {
            operate();
        } else if (dice < 7) {
            hurt();
        } else {
            mend();
        }
    }
}

std::string Chaos::any_host() {
    const auto labels = cluster_.labels();
    return labels[random_.below(labels.size())];
}

std::string Chaos::any_task() { return tasks[random_.below(tasks.size())]; }

TaskSpec Chaos::any_spec() {
    TaskSpec spec = serving();
    if (random_.chance(1, 4)) {
        spec.argv = {"stubborn"};
        spec.grace = 2s;
    }
    spec.argv.push_back(fmt::format("version-{}", random_.below(3)));
    spec.max_per_node = random_.chance(1, 5) ? 2 : 1;
    const auto style = random_.below(3);
    spec.update.max_surge = style == 0 ? 0 : 1;
    spec.update.max_unavailable = style == 1 ? 0 : 1;
    return spec;
}

void Chaos::operate() {
    const auto instances = static_cast<std::uint32_t>(random_.below(most_instances + 1));
    switch (random_.below(6)) {
        case 0: cluster_.scale(any_task(), instances); break;
        case 1: cluster_.restart(any_task()); break;
        case 2: cluster_.remove(any_task()); break;
        default: cluster_.want(any_task(), instances, any_spec()); break;
    }
}

void Chaos::hurt() {
    const std::string label = any_host();
    const auto dice = random_.below(10);
    if (dice < 4) {
        hurt_host(label);
    } else if (dice < 8) {
        hurt_wire(label);
    } else {
        hurt_coordinator();
    }
}

void Chaos::hurt_host(const std::string& label) {
    const AgentHost& host = cluster_.host(label);
    if (!host.is_up() || host.is_paused()) {
        return;
    }
    switch (random_.below(5)) {
        case 0: cluster_.kill_host(label); break;
        case 1: cluster_.crash_agent(label); break;
        case 2: cluster_.pause_agent(label); break;
        case 3: cluster_.stop_agent(label); break;
        default: cluster_.end_process({any_task(), 0}, 1); break;
    }
}

void Chaos::hurt_wire(const std::string& label) {
    switch (random_.below(5)) {
        case 0: cluster_.partition(label); break;
        case 1: cluster_.cut(label, Side::agent); break;
        case 2: cluster_.cut(label, Side::coordinator); break;
        case 3: cluster_.reset_link(label); break;
        default:
            if (cluster_.host(label).has_old_batch()) {
                cluster_.replay_batch(label);
            }
            break;
    }
}

void Chaos::hurt_coordinator() {
    if (!cluster_.coordinator_is_up() || cluster_.coordinator_is_paused()) {
        return;
    }
    switch (random_.below(4)) {
        case 0: cluster_.fail_store(); break;
        case 1: cluster_.pause_coordinator(); break;
        case 2: cluster_.crash_at_commit(cluster_.commits() + 1 + random_.below(3)); break;
        default: cluster_.crash_coordinator(); break;
    }
}

void Chaos::mend() {
    const std::string label = any_host();
    const AgentHost& host = cluster_.host(label);
    cluster_.heal(label);
    if (!host.is_powered()) {
        cluster_.boot_host(label);
    } else if (host.is_paused()) {
        cluster_.resume_agent(label);
    } else if (!host.is_up()) {
        cluster_.restart_agent(label);
    }
    if (cluster_.coordinator_is_paused()) {
        cluster_.resume_coordinator();
    } else if (!cluster_.coordinator_is_up()) {
        cluster_.restart_coordinator();
    }
}

}  // namespace muster::sim
