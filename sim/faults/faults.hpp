#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace muster::sim {

/// The faults of a random run, and the operations of people meanwhile.
enum class Fault : std::uint8_t {
    // Random, at any time.
    loss,         ///< Messages are lost, together with their session.
    drop,         ///< Single messages are lost.
    late,         ///< Copies of messages arrive late, out of order.
    corrupt,      ///< Messages are corrupted on their way; most cannot be decoded.
    slow,         ///< Wires, disks, stores and processes are slow.
    client_loss,  ///< Requests and replies of operators are lost.
    write_fails,  ///< Agents sometimes cannot write.
    spawn_fails,  ///< Agents sometimes cannot create a process.
    // On hosts.
    power,   ///< Hosts lose power.
    reboot,  ///< Hosts reboot within a moment.
    halt,    ///< A whole host is paused for a while, like a virtual machine.
    agent_crash,
    disk_lost,  ///< Of an agent that was killed.
    agent_pause,
    agent_stop,   ///< With everything that it runs.
    agent_leave,  ///< Its instances keep running.
    shim_kill,
    machine,  ///< Machines break forever, and others come, also with their names.
    unready,
    spawns_broken,
    disk_broken,
    disk_full,
    clock,  ///< Clocks of hosts and of the coordinator jump by up to ten years.
    task_ends,
    byzantine,  ///< One host is byzantine: it sends false but valid messages.
    // On wires.
    partition,
    mass_partition,  ///< A quarter to all of the hosts at one moment.
    cut,             ///< In one direction.
    flap,            ///< A link fails and returns within moments.
    lag,             ///< All messages from and to a host take longer.
    reset,
    mass_reset,  ///< All agents reconnect at one moment.
    replay,      ///< An old batch arrives again.
    // On the coordinator.
    store_fails,
    coordinator_pause,
    coordinator_crash,
    commit_crash,  ///< It crashes in a commit.
    stores,        ///< Its store is replaced by an old, empty or foreign one.
    // By operators.
    tasks,
    crash_loop,  ///< Some tasks end as soon as they begin, and restart.
    nodes,
    limits,
    rebalance,
    freeze,
    queries,
    // Later additions of any kind: a seed keeps the faults that it had.
    shim_loss,  ///< Messages between agents and shims about starts and ends are lost.
    keys,  ///< Hosts and some operators prove keys, which end; others use their keys and names.
};
inline constexpr std::size_t fault_count = static_cast<std::size_t>(Fault::keys) + 1;

/// The faults of one run.
class FaultSet {
public:
    [[nodiscard]] static FaultSet all();
    /// A subset, from the seed. Faults that hide most others are rare.
    [[nodiscard]] static FaultSet drawn(std::uint64_t seed);
    /// Names separated by commas, `all` or `none`; `all,-keys` leaves out one. Fails on an unknown
    /// name, and lists the known ones.
    [[nodiscard]] static Result<FaultSet> parse(std::string_view text);

    [[nodiscard]] FaultSet with(Fault fault) const;
    [[nodiscard]] FaultSet without(Fault fault) const;
    [[nodiscard]] bool has(Fault fault) const { return set_[static_cast<std::size_t>(fault)]; }
    /// In the format of parse().
    [[nodiscard]] std::string text() const;

    friend bool operator==(const FaultSet&, const FaultSet&) = default;

private:
    std::bitset<fault_count> set_;
};

}  // namespace muster::sim
