#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/log/log.hpp"
#include "coordinator/core/coordinator.hpp"
#include "coordinator/providers/provider_options.hpp"

namespace muster::coordinator {

/// Where the coordinator listens, besides the ipc socket for operators in its run directory.
struct Endpoints {
    std::string agents = "tcp://127.0.0.1:7700";
    std::string operators = "tcp://127.0.0.1:7701";
    std::string events{};                       ///< Empty: beside the operators, at the next port.
    std::string enrolment{};                    ///< Empty: beside the agents, three ports higher.
    std::string http = "tcp://127.0.0.1:7780";  ///< Empty: none.
    std::string advertise{};  ///< The hosts in addresses for others, with commas. Empty: found.
};

/// The same host at a port so much higher; at any free port for `*`.
[[nodiscard]] std::string beside(std::string_view endpoint, std::uint16_t higher);
/// With the endpoints that were left out. Hosts do not enrol where agents use ipc.
[[nodiscard]] Endpoints completed(Endpoints endpoints);

/// Where the wanted state is kept, if not in a file of the state directory.
struct EtcdOptions {
    std::vector<std::string> endpoints;  ///< `host:port`. Empty: the store is a file.
    std::string prefix = "/muster";      ///< Of all keys of this cluster.
    Duration lease = 5s;                 ///< A leader that is silent for this time leads no more.
    std::string ca{};                    ///< File of certificates. Empty: no TLS.
    std::string certificate{};
    std::string key{};
    std::string user{};
    std::string password_file{};
};

/// All that an operator may choose. The defaults run without any configuration.
struct Options {
    std::string state_dir;  ///< Empty: the default of common/base/paths.hpp.
    std::string run_dir;    ///< Likewise.
    log::Level log_level = log::Level::info;
    bool insecure_loopback = false;  ///< Listen on loopback without keys.
    Endpoints endpoints;
    EtcdOptions etcd;
    std::string record;              ///< Directory for the flight recorder. Empty: none.
    std::uint32_t record_mib = 256;  ///< Disk space that it may take.
    std::uint32_t agents = 0;        ///< The fleet that open files must suffice for. 0: what fits.
    OutsideOptions outside;          ///< Its names are in `core`, too.
    CoordinatorOptions core;
};

/// An endpoint for HTTP, `tcp://ADDRESS:PORT`; `none` gives an empty one.
[[nodiscard]] Result<std::string> http_endpoint(std::string_view text);

/// Reads a configuration file; examples/coordinator.toml has every key with its default. The first
/// fault is returned as `FILE:LINE: what is wrong; what would be right`.
[[nodiscard]] Result<Options> options_from_toml(std::string_view text, std::string_view file);

}  // namespace muster::coordinator
