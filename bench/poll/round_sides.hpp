#pragma once

#include <cstdint>
#include <memory>
#include <sys/types.h>

#include "bench/zmtp_peers.hpp"

namespace muster::bench {

/// One side of the comparison, in its own process, with a fleet of peers in another one. For each
/// requested round it polls all peers once and reports the cost.
class Side {
public:
    /// The request to a side and its answer.
    struct Cost {
        double cpu_ms = 0;        ///< Of its whole process in that round, including the I/O thread.
        double memory_bytes = 0;  ///< Resident, since before its first peer.
    };
    struct Ports {
        std::uint16_t agents = 0;
        std::uint16_t operators = 0;  ///< 0: the side begins its rounds by itself.
    };
    using Run = void (*)(int orders, int answers, std::uint32_t count, bool keys);

    /// `run` is run_coordinator_side or run_bare_side.
    /// With keys, all connections use CURVE.
    Side(Run run, std::uint32_t count, bool keys = false);
    ~Side();
    Side(const Side&) = delete;
    Side& operator=(const Side&) = delete;

    [[nodiscard]] Cost round();
    /// The cost until all peers have connected and sent hello.
    [[nodiscard]] const Cost& join() const { return join_; }

private:
    int orders_ = -1;
    int answers_ = -1;
    pid_t side_ = -1;
    pid_t peers_ = -1;
    std::unique_ptr<ZmtpOperator> operator_;
    Cost join_;
};

/// The coordinator's real server, core and store.
void run_coordinator_side(int orders, int answers, std::uint32_t count, bool keys);

/// The floor: a bare libzmq ROUTER that sends the same polls and receives the same answers.
void run_bare_side(int orders, int answers, std::uint32_t count, bool keys);

}  // namespace muster::bench
