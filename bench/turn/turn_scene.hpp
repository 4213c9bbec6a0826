#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace muster::bench {

/// The size of the cluster in a benchmark of turns.
struct TurnSize {
    std::uint32_t nodes = 0;
    std::uint32_t tasks = 0;  ///< Each with `of_task` instances.
    std::uint32_t of_task = 0;
    std::uint32_t of_large = 0;  ///< Instances of the one task `large`.

    [[nodiscard]] std::uint32_t instances() const { return tasks * of_task + of_large; }
};

/// The longest turn of a period.
struct LongestTurn {
    double cpu_ms = 0;   ///< Of the loop's thread: the time of the turn on an otherwise idle host.
    double wall_ms = 0;  ///< From the end of its wait; on a busy host it includes other programs.
    std::uint64_t turns = 0;
};

/// `t000042`: names sort like numbers.
[[nodiscard]] std::string padded(char letter, std::uint32_t number);

/// The coordinator's real server, core and store in their own process, and in another one a fleet
/// of agents that run the wanted tasks.
class TurnScene {
public:
    struct Ports {
        std::uint16_t agents = 0;
        std::uint16_t operators = 0;
        std::uint16_t http = 0;
    };

    explicit TurnScene(TurnSize size);
    ~TurnScene();
    TurnScene(const TurnScene&) = delete;
    TurnScene& operator=(const TurnScene&) = delete;

    [[nodiscard]] const Ports& ports() const { return ports_; }
    /// The longest turn since the last call.
    [[nodiscard]] LongestTurn longest() const;

private:
    int orders_ = -1;
    int answers_ = -1;
    pid_t server_ = -1;
    pid_t fleet_ = -1;
    Ports ports_;
};

}  // namespace muster::bench
