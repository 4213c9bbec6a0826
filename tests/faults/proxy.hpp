#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "common/base/file_descriptor.hpp"

namespace muster::faults {

/// A wire that a test holds in its hand: a TCP proxy between agents and their coordinator, in a
/// thread of its own. A fault begins when it is told, for connections that are there and for later
/// ones, and lasts until heal().
class Proxy {
public:
    /// Where bytes go. A fault of one way leaves the other alone.
    enum class Way : std::uint8_t { to_coordinator, to_agent, both };

    /// Leads to an endpoint such as `tcp://127.1.2.3:7700`.
    explicit Proxy(std::string_view coordinator);
    ~Proxy();
    Proxy(const Proxy&) = delete;
    Proxy& operator=(const Proxy&) = delete;

    [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

    /// All comes so much later.
    void delay(std::chrono::milliseconds time);
    /// Holds what comes, and that a side has hung up; once healed it goes on, as TCP has it.
    void stall(Way way);
    /// Changes one bit of every other message: in the frame with its protocol. Elsewhere it could
    /// become another message, since nobody here has a checksum.
    void mangle(Way way);
    /// Changes the size of that frame in every other message: what follows has no sense any more.
    void tear(Way way);
    /// Resets all connections, once.
    void reset();
    /// Resets them, and each that is made.
    void refuse();
    void heal();

    [[nodiscard]] std::size_t connections() const { return connections_; }  ///< Made so far.
    /// Messages so far, with those that were torn.
    [[nodiscard]] std::size_t mangled() const { return mangled_; }

private:
    struct Fault {
        std::chrono::milliseconds delay{0};
        std::array<bool, 2> stalls{};   // By the way.
        std::array<bool, 2> mangles{};  // Likewise.
        std::array<bool, 2> tears{};    // Likewise.
        bool refuses = false;
        bool resets = false;  // What is there now.
        bool ends = false;    // So does the proxy.
    };
    class Wires;

    void tell(const Fault& fault);
    /// What is wrong at present; what happens once is told once.
    [[nodiscard]] Fault fault();

    std::string endpoint_;
    FileDescriptor listener_;
    FileDescriptor wake_;
    std::mutex mutex_;
    Fault fault_;  // Under the mutex.
    std::atomic<std::size_t> connections_{0};
    std::atomic<std::size_t> mangled_{0};
    std::thread thread_;  // Last: it uses what is above.
};

}  // namespace muster::faults
