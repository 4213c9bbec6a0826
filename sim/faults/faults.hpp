#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace muster::sim {

/// What goes wrong in a random run, and what people do meanwhile.
enum class Fault : std::uint8_t {
    // Of chance, at any time.
    loss,         ///< Messages are lost, and their session with them.
    drop,         ///< Messages vanish alone.
    late,         ///< Doubles of messages arrive late, out of order.
    corrupt,      ///< Messages are mangled on their way: most cannot be read.
    slow,         ///< Wires, disks, stores and processes take long.
    client_loss,  ///< Requests and replies of operators vanish.
    write_fails,  ///< Agents cannot write, now and then,
    spawn_fails,  ///< or make a process.
    // Of hosts.
    power,   ///< They lose their power,
    reboot,  ///< or are started anew within a moment.
    halt,    ///< All of them stands still for a while, as a virtual machine that is paused.
    agent_crash,
    disk_lost,  ///< Of a killed agent.
    agent_pause,
    agent_stop,   ///< With all it runs.
    agent_leave,  ///< What it runs runs on.
    shim_kill,
    machine,  ///< Machines break for good, and others come, also under their name.
    unready,
    spawns_broken,
    disk_broken,
    disk_full,
    clock,  ///< Clocks of hosts and of the coordinator jump by up to ten years.
    task_ends,
    liar,  ///< One says what no honest agent would, in messages that can be read.
    // Of wires.
    partition,
    mass_partition,  ///< Of a quarter to all of the hosts at one moment.
    cut,             ///< One way.
    flap,            ///< A link goes and comes within moments.
    lag,             ///< All that a host sends and gets takes longer.
    reset,
    mass_reset,  ///< All agents connect anew at one moment.
    replay,      ///< An old batch arrives once more.
    // Of the coordinator.
    store_fails,
    coordinator_pause,
    coordinator_crash,
    commit_crash,  ///< It dies in a commit.
    stores,        ///< Its store is an old one, empty, or of another cluster.
    // Operators.
    tasks,
    crash_loop,  ///< Some tasks end as soon as they have begun, and are to be started again.
    nodes,
    limits,
    rebalance,
    freeze,
    looks,
    // Later ones, of any kind: a seed keeps those that it had.
    shim_loss,  ///< What agents and shims tell each other is lost: that a process began or is gone.
};
inline constexpr std::size_t fault_count = static_cast<std::size_t>(Fault::shim_loss) + 1;

/// Of a run.
class FaultSet {
public:
    [[nodiscard]] static FaultSet all();
    /// A part of all, from the seed. Those that leave little else to be seen are seldom among them.
    [[nodiscard]] static FaultSet drawn(std::uint64_t seed);
    /// Names with commas between them, `all` or `none`. Fails on what is none, and says which there
    /// are.
    [[nodiscard]] static Result<FaultSet> parse(std::string_view text);

    [[nodiscard]] FaultSet with(Fault fault) const;
    [[nodiscard]] FaultSet without(Fault fault) const;
    [[nodiscard]] bool has(Fault fault) const { return set_[static_cast<std::size_t>(fault)]; }
    /// As parse() reads it.
    [[nodiscard]] std::string text() const;

    friend bool operator==(const FaultSet&, const FaultSet&) = default;

private:
    std::bitset<fault_count> set_;
};

}  // namespace muster::sim
