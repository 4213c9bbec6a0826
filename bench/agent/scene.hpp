#pragma once

#include <string>
#include <sys/types.h>

namespace muster::bench {

/// Directories of a benchmark's own, and whatever the agents that keep their state in them made:
/// all of it is gone with this object, and also when this program is killed.
class Scene {
public:
    Scene();
    ~Scene();
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    /// Ends the processes already; the directory stays.
    void end_all() const;

    [[nodiscard]] const std::string& path() const { return path_; }
    /// For sockets: in memory where the host has a place for that, as /run is.
    [[nodiscard]] const std::string& run() const { return run_; }
    [[nodiscard]] std::string agent_state() const { return path_ + "/agents/bench"; }

private:
    std::string path_;
    std::string run_;
    int alive_ = -1;     // As long as it is open the keeper waits.
    pid_t keeper_ = -1;  // Cleans up.
};

}  // namespace muster::bench
