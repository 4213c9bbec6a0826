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

/// A TCP proxy between agents and their coordinator, in a thread of its own. A fault begins with
/// the call, holds for existing and later connections, and lasts until heal().
class Proxy {
public:
    /// The direction of the data. A fault in one direction does not affect the other.
    enum class Way : std::uint8_t { to_coordinator, to_agent, both };

    /// Connects to an endpoint such as `tcp://127.1.2.3:7700`.
    explicit Proxy(std::string_view coordinator);
    ~Proxy();
    Proxy(const Proxy&) = delete;
    Proxy& operator=(const Proxy&) = delete;

    [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

    /// Delays all data by this time.
    void delay(std::chrono::milliseconds time);
    /// Holds all data and closings. After heal() they continue, as TCP does.
    void stall(Way way);
    /// Flips one bit in every other message, in its protocol frame. Messages have no checksum, so a
    /// flip elsewhere could make another valid message.
    void mangle(Way way);
    /// Changes the size of that frame in every other message, so the bytes after it make no sense.
    void tear(Way way);
    /// Resets all connections, once.
    void reset();
    /// Resets all connections, and each new one.
    void refuse();
    void heal();

    [[nodiscard]] std::size_t connections() const { return connections_; }  ///< Opened so far.
    /// The number of changed messages so far, including those from tear().
    [[nodiscard]] std::size_t mangled() const { return mangled_; }

private:
    struct Fault {
        std::chrono::milliseconds delay{0};
        std::array<bool, 2> stalls{};   // By direction.
        std::array<bool, 2> mangles{};  // By direction.
        std::array<bool, 2> tears{};    // By direction.
        bool refuses = false;
        bool resets = false;  // Resets the present connections.
        bool ends = false;    // Ends the proxy.
    };
    class Wires;

    void set_fault(const Fault& fault);
    /// The present fault. Faults that happen once are returned once.
    [[nodiscard]] Fault fault();

    std::string endpoint_;
    FileDescriptor listener_;
    FileDescriptor wake_;
    std::mutex mutex_;
    Fault fault_;  // Guarded by the mutex.
    std::atomic<std::size_t> connections_{0};
    std::atomic<std::size_t> mangled_{0};
    std::thread thread_;  // Last: it uses the members above.
};

}  // namespace muster::faults
