#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/zmtp_peers.hpp"
#include "common/codec/chunking.hpp"
#include "common/messages/operator.hpp"

namespace muster::bench {

/// An operator without libzmq that sends requests and reads whole replies, in parts or not.
class RawOperator {
public:
    explicit RawOperator(std::uint16_t port);
    ~RawOperator();
    RawOperator(const RawOperator&) = delete;
    RawOperator& operator=(const RawOperator&) = delete;

    void ask(const Request& request);
    /// Reads what is available. True once the reply to the last request is complete.
    [[nodiscard]] bool read_some();
    /// Waits until the reply is complete, and takes it.
    [[nodiscard]] Reply await();

    [[nodiscard]] int fd() const { return fd_; }

private:
    [[nodiscard]] bool take_reply(std::string_view body);

    int fd_;
    std::uint64_t uploads_ = 0;
    std::string unread_;
    parts::Assembly parts_;
    std::string reply_;
};

/// Operators that send one of these requests each, again a moment after each answer, and
/// `of_metrics` readers of `/metrics`. Runs in its own process until it is killed.
struct Readers {
    std::uint16_t operators = 0;
    std::uint16_t http = 0;
    std::uint32_t count = 0;
    std::uint32_t of_metrics = 0;
    double pause_ms = 0;
    std::vector<RequestBody> requests;
};
[[noreturn]] void run_readers(const Readers& readers);

}  // namespace muster::bench
