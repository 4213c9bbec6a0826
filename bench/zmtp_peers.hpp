#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/zmtp_curve.hpp"
#include "common/base/ids.hpp"

namespace muster::bench {

/// `n00000`, `n00001`, ...
[[nodiscard]] std::string peer_name(std::uint32_t number);

/// The instances of each agent in generation 1, which run since before the coordinator began.
using Running = std::vector<std::vector<InstanceId>>;

/// A fleet of agents without libzmq: raw ZMTP 3.0 NULL peers over loopback, one file each. They
/// send hello in their second incarnation. They answer the first poll with a snapshot, later polls
/// with `same` or with newly started instances, and PING with PONG. Runs in its own process until
/// it is killed.
/// With keys they prove that of their number (zmtp_curve.hpp).
[[noreturn]] void run_peers(std::uint16_t port, std::uint32_t count, Running running = {},
                            bool keys = false);

/// An operator of the same kind that orders rounds.
class ZmtpOperator {
public:
    explicit ZmtpOperator(std::uint16_t port, bool keys = false);
    ~ZmtpOperator();
    ZmtpOperator(const ZmtpOperator&) = delete;
    ZmtpOperator& operator=(const ZmtpOperator&) = delete;

    /// Sends `round now`, and discards the answer to the previous one.
    void order_round();

private:
    void join_with_key();

    int fd_;
    std::optional<zmtp::CurveLink> link_;
};

}  // namespace muster::bench
