#include "sim/faults/chaos.hpp"

// Faults of several coordinators, of their store in etcd and of the wires between them.
namespace muster::sim {

FaultSet Chaos::with_etcd(const FaultSet& faults) {
    return faults.without(Fault::store_fails).without(Fault::commit_crash).without(Fault::stores);
}

void Chaos::inject_election_fault() {
    const auto number =
        static_cast<std::uint32_t>(coordinators_random_.below(cluster_.coordinators()));
    const auto dice = coordinators_random_.below(16);
    const auto much = coordinators_random_.below(1000);
    const ControlHost& control = cluster_.control(number);
    const bool works = control.is_running() && !control.is_paused();
    switch (dice) {
        case 0:
        case 1: cluster_.cut_from_etcd(number); break;
        case 2: cluster_.stop_etcd(); break;
        case 3: cluster_.slow_etcd(std::chrono::milliseconds{1 + 3 * much}); break;
        case 4: cluster_.lose_etcd_messages(static_cast<std::uint32_t>(much / 2)); break;
        case 5: cluster_.compact_etcd(); break;
        case 6:
            if (works) {
                cluster_.crash_coordinator(number);
            }
            break;
        case 7:
        case 8:
            if (works) {
                cluster_.pause_coordinator(number);
            }
            break;
        case 9: cluster_.resign_coordinator(number); break;
        case 10: cluster_.start_etcd(); break;
        case 11:
            cluster_.slow_etcd({});
            cluster_.lose_etcd_messages(0);
            break;
        case 12:
            if (control.is_paused()) {
                cluster_.resume_coordinator(number);
            }
            break;
        default: cluster_.heal_to_etcd(number); cluster_.start_etcd();
    }
}

}  // namespace muster::sim
