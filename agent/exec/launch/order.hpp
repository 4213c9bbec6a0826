#pragma once

#include <string>
#include <vector>

#include "agent/core/agent.hpp"
#include "agent/exec/launch/command.hpp"
#include "agent/exec/launch/identity.hpp"
#include "common/spec/placement.hpp"

namespace muster::agent {

/// What a process gets of its host.
struct ProcessPlace {
    std::string home;                  ///< Of the agent's state (process_mark.hpp).
    std::string node;                  ///< Its name,
    Offer offer;                       ///< and what else tasks may want to know of it.
    std::string home_directory;        ///< For HOME, where the user has none of its own.
    std::string work;                  ///< Its own directory, where the spec names none.
    std::string secrets;               ///< Directory of its copies.
    Duration post_stop{};              ///< What a post_stop may take.
    std::vector<std::string> cgroups;  ///< Directories of its own.
};

/// What a shim is told to do.
struct ShimOrder {
    std::string program;  ///< Path.
    std::vector<char> message;
};

/// The order for a spawn; an error if the host cannot do what the spec asks for.
[[nodiscard]] tl::expected<ShimOrder, LaunchFailure> order_for(
    const Spawn& spawn, const std::optional<Identity>& identity, const ProcessPlace& place);

/// What was ordered, from the record in a shim's state.
[[nodiscard]] std::optional<FoundProcess> found_process(const ShimState& state);

}  // namespace muster::agent
