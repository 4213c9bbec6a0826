#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"

namespace muster::bench {

/// `n00000`, `n00001`, ...
[[nodiscard]] std::string peer_name(std::uint32_t number);

/// What each agent runs since before the coordinator began, in generation 1.
using Running = std::vector<std::vector<InstanceId>>;

/// A fleet of agents without libzmq: raw ZMTP 3.0 NULL peers over loopback, one file each. They say
/// hello in their second incarnation, answer the first poll with a snapshot, a later one with
/// `same` or with what they were ordered to start since, and PING with PONG. Runs in a process of
/// its own until it is killed.
[[noreturn]] void run_peers(std::uint16_t port, std::uint32_t count, Running running = {});

/// An operator of the same kind, who orders rounds.
class ZmtpOperator {
public:
    explicit ZmtpOperator(std::uint16_t port);
    ~ZmtpOperator();
    ZmtpOperator(const ZmtpOperator&) = delete;
    ZmtpOperator& operator=(const ZmtpOperator&) = delete;

    /// Sends `round now`, and throws away the answer to the one before.
    void order_round() const;

private:
    int fd_;
};

}  // namespace muster::bench
