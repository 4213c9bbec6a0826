#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/faults/chaos.hpp"
#include "sim/faults/forged_message.hpp"
#include "sim/model/generators.hpp"

// Faults of hosts, wires and the coordinator, and their ends.
namespace muster::sim {

namespace {

constexpr std::size_t most_hosts = 8;
constexpr std::uint64_t longest_reboot_ms = 3'000;
constexpr std::uint64_t longest_flap_ms = 400;
constexpr std::uint64_t longest_lag_ms = 3'000;
constexpr std::uint64_t longest_outage_ms = 12'000;

}  // namespace

void Chaos::inject_fault() {
    const std::string label = any_host();
    const auto dice = random_.below(10);
    if (dice < 4) {
        inject_host_fault(label);
    } else if (dice < 8) {
        inject_wire_fault(label);
    } else {
        inject_coordinator_fault();
    }
}

void Chaos::inject_host_fault(const std::string& label) {
    const AgentHost& host = cluster_.host(label);
    if (!host.is_up() || host.is_paused()) {
        return;
    }
    const auto action = [&](Fault fault, void (Cluster::*does)(std::string_view)) {
        perhaps(fault, [&] { (cluster_.*does)(label); });
    };
    switch (random_.below(31)) {
        case 0:
        case 1:
        case 2: action(Fault::power, &Cluster::kill_host); break;
        case 3:
        case 4: action(Fault::agent_crash, &Cluster::crash_agent); break;
        case 5:
            perhaps(Fault::disk_lost, [&] {
                cluster_.crash_agent(label);
                cluster_.lose_disk(label);
            });
            break;
        case 6:
        case 7:
        case 8: action(Fault::agent_pause, &Cluster::pause_agent); break;
        case 9:
        case 10:
        case 11: action(Fault::agent_stop, &Cluster::stop_agent); break;
        case 19:
        case 20: action(Fault::agent_leave, &Cluster::leave_agent); break;
        case 21: action(Fault::shim_kill, &Cluster::kill_shim); break;
        case 12: perhaps(Fault::machine, [&] { exchange_host(label); }); break;
        case 13: perhaps(Fault::unready, [&] { cluster_.set_ready(label, false); }); break;
        case 14: perhaps(Fault::spawns_broken, [&] { cluster_.break_spawns(label, true); }); break;
        case 15: perhaps(Fault::disk_broken, [&] { cluster_.break_disk(label, true); }); break;
        case 22: perhaps(Fault::disk_full, [&] { cluster_.set_full(label, true); }); break;
        case 23:
        case 24: action(Fault::halt, &Cluster::halt_host); break;
        case 25: perhaps(Fault::reboot, [&] { reboot(label); }); break;
        case 27:
        case 28:
        case 29: perhaps(Fault::byzantine, [&] { falsify(label); }); break;
        case 26: perhaps(Fault::clock, [&] { cluster_.set_clock(label, any_jump()); }); break;
        default: perhaps(Fault::task_ends, [&] { cluster_.end_process({any_task(), 0}, 1); });
    }
}

// The machine breaks forever, or another one is added. A new machine may take its name.
void Chaos::exchange_host(const std::string& label) {
    if (cluster_.labels().size() >= most_hosts) {
        return;
    }
    const bool breaks = !random_.chance(1, 3);
    if (breaks && cluster_.is_provided(label)) {
        cluster_.vanish(label);
        return;
    }
    if (breaks) {
        cluster_.scrap_host(label);
    }
    if (breaks && random_.chance(1, 2) && cluster_.host(label).name() == label) {
        cluster_.add_twin(label);
    } else {
        cluster_.add_host(fmt::format("m{}", cluster_.labels().size()), any_offer(random_));
    }
}

// The coordinator may notice the reboot only by the new boot id.
void Chaos::reboot(const std::string& label) {
    cluster_.kill_host(label);
    cluster_.run(std::chrono::milliseconds{random_.below(longest_reboot_ms)});
    if (!cluster_.host(label).is_scrapped()) {  // Its provider may have removed it meanwhile.
        cluster_.boot_host(label);
    }
}

// By up to ten years, forward or back.
Duration Chaos::any_jump() {
    constexpr auto ten_years = std::chrono::seconds{std::chrono::years{10}};
    const auto spread = static_cast<std::uint64_t>(2 * ten_years.count() + 1);
    return std::chrono::seconds{random_.below(spread)} - ten_years;
}

// Only one host: nobody could detect false reports on which two hosts agree.
void Chaos::falsify(const std::string& label) {
    if (!byzantine_host_) {
        byzantine_host_ = label;
        if (manner_ != ReportFalsification::none) {
            cluster_.set_falsification(label, manner_);
        }
    }
    const std::uint64_t times = 1 + random_.below(8);
    for (std::uint64_t time = 0; time < times; ++time) {
        cluster_.forge_from(
            *byzantine_host_,
            forged_message(random_, cluster_.host(*byzantine_host_), cluster_.store()));
        cluster_.run(std::chrono::milliseconds{random_.below(200)});
    }
}

void Chaos::inject_wire_fault(const std::string& label) {
    switch (random_.below(9)) {
        case 0: perhaps(Fault::partition, [&] { cluster_.partition(label); }); break;
        case 1: perhaps(Fault::cut, [&] { cluster_.cut(label, Side::agent); }); break;
        case 2: perhaps(Fault::cut, [&] { cluster_.cut(label, Side::coordinator); }); break;
        case 3: perhaps(Fault::reset, [&] { cluster_.reset_link(label); }); break;
        case 4: perhaps(Fault::flap, [&] { flap(label); }); break;
        case 5: {
            const std::chrono::milliseconds longer{random_.below(longest_lag_ms)};
            perhaps(Fault::lag, [&] { cluster_.lag(label, longer); });
            break;
        }
        case 6: perhaps(Fault::mass_partition, [&] { cut_off_many(); }); break;
        case 7: perhaps(Fault::mass_reset, [&] { reset_all(); }); break;
        default:
            if (cluster_.host(label).has_old_batch()) {
                perhaps(Fault::replay, [&] { cluster_.replay_batch(label); });
            }
    }
}

// The link fails and returns before either side can be sure.
void Chaos::flap(const std::string& label) {
    const std::uint64_t times = 2 + random_.below(6);
    for (std::uint64_t time = 0; time < times; ++time) {
        cluster_.partition(label);
        cluster_.run(std::chrono::milliseconds{random_.below(longest_flap_ms)});
        cluster_.heal(label);
        cluster_.run(std::chrono::milliseconds{random_.below(longest_flap_ms)});
    }
}

// Between a quarter and all of them, at one moment. They return at one moment, too, or one after
// the other.
void Chaos::cut_off_many() {
    const std::uint64_t quarters = 1 + random_.below(4);
    const std::vector<std::string> labels = cluster_.labels();
    for (const std::string& label : labels) {
        if (random_.chance(quarters, 4)) {
            cluster_.partition(label);
        }
    }
    cluster_.run(std::chrono::milliseconds{random_.below(longest_outage_ms)});
    if (random_.chance(1, 2)) {
        for (const std::string& label : labels) {
            cluster_.heal(label);
        }
    }
}

void Chaos::reset_all() {
    for (const std::string& label : cluster_.labels()) {
        cluster_.reset_link(label);
    }
}

void Chaos::inject_coordinator_fault() {
    if (!cluster_.coordinator_is_up() || cluster_.coordinator_is_paused()) {
        return;
    }
    switch (random_.below(5)) {
        case 4: perhaps(Fault::clock, [&] { cluster_.set_coordinator_clock(any_jump()); }); break;
        case 0: perhaps(Fault::store_fails, [&] { cluster_.fail_store(); }); break;
        case 1: perhaps(Fault::coordinator_pause, [&] { cluster_.pause_coordinator(); }); break;
        case 2:
            perhaps(Fault::commit_crash,
                    [&] { cluster_.crash_at_commit(cluster_.commits() + 1 + random_.below(3)); });
            break;
        default: perhaps(Fault::coordinator_crash, [&] { cluster_.crash_coordinator(); });
    }
}

}  // namespace muster::sim
