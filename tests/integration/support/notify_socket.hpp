#pragma once

#include <optional>
#include <string>

#include "tests/integration/support/process.hpp"

namespace muster::integration {

/// Receives a daemon's notifications as systemd does: `READY=1`, `WATCHDOG=1`, `STOPPING=1`. The
/// daemon gets it as NOTIFY_SOCKET.
class NotifySocket {
public:
    explicit NotifySocket(std::string path);
    ~NotifySocket();
    NotifySocket(const NotifySocket&) = delete;
    NotifySocket& operator=(const NotifySocket&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

    /// The next notification. Nothing if the process ended and all were read, or if none comes
    /// before the deadline.
    [[nodiscard]] std::optional<std::string> next_state(const Process& process,
                                                        Deadline deadline = soon()) const;

private:
    std::string path_;
    int fd_ = -1;
};

}  // namespace muster::integration
