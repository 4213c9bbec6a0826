#pragma once

#include <string>

#include "common/base/result.hpp"
#include "coordinator/providers/provider_options.hpp"

namespace muster::coordinator {

/// Where the agents of local processes find the coordinator, and where their nodes are kept.
struct LocalPlaces {
    std::string state;      ///< The state directory of the coordinator.
    std::string agents;     ///< Its endpoint for agents, as it is bound.
    std::string operators;  ///< Its ipc endpoint for operators.
};

/// Gives each provider of local processes its command: the program muster-pool-local, which is
/// found as other programs of muster are, and the directory for its nodes; by default `pools` in
/// the coordinator's state directory.
[[nodiscard]] Result<void> find_local_programs(OutsideOptions& options, const LocalPlaces& places);

}  // namespace muster::coordinator
