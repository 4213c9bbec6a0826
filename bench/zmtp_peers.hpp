#pragma once

#include <cstdint>

namespace muster::bench {

/// A fleet of agents without libzmq: raw ZMTP 3.0 NULL peers over loopback, one file each. They say
/// hello as `n00000`, `n00001`, ..., answer the first poll with an empty snapshot, every later one
/// with `same`, and PING with PONG. Runs in a process of its own until it is killed.
[[noreturn]] void run_peers(std::uint16_t port, std::uint32_t count);

/// An operator of the same kind, who orders terms.
class ZmtpOperator {
public:
    explicit ZmtpOperator(std::uint16_t port);
    ~ZmtpOperator();
    ZmtpOperator(const ZmtpOperator&) = delete;
    ZmtpOperator& operator=(const ZmtpOperator&) = delete;

    /// Sends `term now`, and throws away the answer to the one before.
    void order_round() const;

private:
    int fd_;
};

}  // namespace muster::bench
