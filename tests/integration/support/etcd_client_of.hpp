#pragma once

#include <memory>
#include <stdexcept>
#include <utility>

#include "coordinator/store/etcd/etcd_client.hpp"
#include "tests/integration/support/etcd_servers.hpp"

namespace muster::integration {

/// A client that waits for etcd for so long. Throws what is wrong with its options.
[[nodiscard]] inline std::unique_ptr<coordinator::etcd::Client> client_of(
    const EtcdServers& servers, Duration deadline = paces(200)) {
    auto client =
        coordinator::etcd::Client::open({.endpoints = servers.endpoints(), .deadline = deadline});
    if (!client) {
        throw std::runtime_error{client.error().detail};
    }
    return std::move(*client);
}

}  // namespace muster::integration
