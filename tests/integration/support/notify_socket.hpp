#pragma once

#include <optional>
#include <string>

#include "tests/integration/support/process.hpp"

namespace muster::integration {

/// Where a daemon says how it is, as to systemd: `READY=1`, `WATCHDOG=1`, `STOPPING=1`. Given to it
/// as NOTIFY_SOCKET.
class NotifySocket {
public:
    explicit NotifySocket(std::string path);
    ~NotifySocket();
    NotifySocket(const NotifySocket&) = delete;
    NotifySocket& operator=(const NotifySocket&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

    /// The next that is said. Nothing if the process ended with no more to say, or says nothing
    /// before the deadline.
    [[nodiscard]] std::optional<std::string> heard_from(const Process& process,
                                                        Deadline deadline = soon()) const;

private:
    std::string path_;
    int fd_ = -1;
};

}  // namespace muster::integration
