#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace muster::bench {

/// How large a cluster a benchmark of turns has.
struct TurnSize {
    std::uint32_t nodes = 0;
    std::uint32_t tasks = 0;  ///< Each of `of_task` instances.
    std::uint32_t of_task = 0;
    std::uint32_t of_large = 0;  ///< Instances of the one task `large`.

    [[nodiscard]] std::uint32_t instances() const { return tasks * of_task + of_large; }
};

/// The longest turn of a stretch of time.
struct LongestTurn {
    double cpu_ms = 0;   ///< Of the loop's thread: what the turn takes on a host of its own.
    double wall_ms = 0;  ///< From the end of its wait: on a busy host others run in between.
    std::uint64_t turns = 0;
};

/// `t000042`: names sort as numbers.
[[nodiscard]] std::string padded(char letter, std::uint32_t number);

/// The coordinator's real server, core and store in a process of its own, and in another one a
/// fleet of agents that run what is wanted.
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
