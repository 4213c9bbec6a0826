#pragma once

#include <string>
#include <sys/types.h>

namespace muster::bench {

/// Directories of a benchmark, and everything that its agents made. All of it is removed with this
/// object, even if this program is killed.
class Scene {
public:
    Scene();
    ~Scene();
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    /// Ends the processes now. The directory stays.
    void end_all() const;

    [[nodiscard]] const std::string& path() const { return path_; }
    /// For sockets: in memory if the host has a place for that, like /run.
    [[nodiscard]] const std::string& run() const { return run_; }
    [[nodiscard]] std::string agent_state() const { return path_ + "/agents/bench"; }

private:
    std::string path_;
    std::string run_;
    int alive_ = -1;     // The keeper waits until this is closed.
    pid_t keeper_ = -1;  // It cleans up.
};

}  // namespace muster::bench
