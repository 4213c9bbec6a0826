#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/checkers/checkers.hpp"
#include "sim/hosts/agent_host.hpp"

/// Building blocks of the stories that test checkers.
namespace muster::sim {

inline constexpr HostIndex n0{0};
inline constexpr HostIndex n1{1};
inline const ClusterId ours{1, 1};
inline const LeaderId leader{2, 2};
inline const InstanceId web0{"web", 0};

inline std::vector<std::string> properties(Checkers& checkers) {
    std::vector<std::string> found;
    for (const Violation& violation : checkers.take_violations()) {
        found.push_back(violation.property);
    }
    return found;
}

using Found = std::vector<std::string>;

inline WantedTask wanted(const std::string& name, std::uint32_t instances) {
    return WantedTask{name, instances, serving()};
}

inline coordinator::StoreImage image_with(std::uint32_t instances) {
    coordinator::StoreImage image;
    image.meta.cluster = ours;
    image.meta.epoch = Epoch{1};
    image.meta.leader = leader;
    image.meta.counter = Generation{5};
    if (instances > 0) {
        image.tasks.push_back({wanted("web", instances), Generation{5}, Generation{5}});
    }
    return image;
}

inline agent::AgentMemory memory_of(Epoch epoch) {
    return agent::AgentMemory{ours, epoch, leader, Generation{5}, Incarnation{1}};
}

inline Batch batch_of(Epoch epoch, Sequence sequence) {
    Batch batch;
    batch.cluster = ours;
    batch.epoch = epoch;
    batch.leader = leader;
    batch.incarnation = Incarnation{1};
    batch.sequence = sequence;
    batch.counter = Generation{5};
    return batch;
}

inline Batch start_of(const InstanceId& id, Sequence sequence = Sequence{1}) {
    Batch batch = batch_of(Epoch{1}, sequence);
    batch.starts.push_back({id, Generation{5}, {}});
    return batch;
}

inline Batch stop_of(const InstanceId& id, Sequence sequence = Sequence{1}) {
    Batch batch = batch_of(Epoch{1}, sequence);
    batch.stops.push_back({id, Generation{5}});
    return batch;
}

}  // namespace muster::sim
