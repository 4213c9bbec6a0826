#pragma once

#include <string>

#include "agent/core/agent.hpp"
#include "common/log/log.hpp"
#include "common/spec/placement.hpp"

namespace muster::agent {

/// All that an operator may choose of an agent. The defaults run without any configuration.
struct AgentSettings {
    std::string name;  ///< Empty: the host's name, made valid.
    std::string coordinator = "tcp://127.0.0.1:7700";
    std::string state_dir;    ///< Empty: the default of common/base/paths.hpp.
    std::string run_dir;      ///< Likewise.
    std::string secrets_dir;  ///< Likewise.
    log::Level log_level = log::Level::info;
    std::string version;
    Offer offer;                 ///< What is not said of its capacity is what the host has.
    CapacityFrom capacity_from;  ///< Whence that is known, once the settings are completed.
    HostFloors floors;
    CheckOptions check;  ///< Whether the host is ready for work.
};

}  // namespace muster::agent
