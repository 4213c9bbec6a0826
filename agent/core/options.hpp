#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/io.hpp"
#include "agent/core/journal.hpp"
#include "common/base/time.hpp"

namespace muster::agent {

/// The command whose exit code says whether the host is ready for work.
struct CheckOptions {
    std::vector<std::string> command;  ///< Empty: there is no check, and the host is ready.
    Duration timeout = 10s;            ///< After this time the check is killed and has failed.

    friend bool operator==(const CheckOptions&, const CheckOptions&) = default;
};

/// Below these floors a host should get no work. 0: no floor. Nothing: a hundredth of the capacity,
/// but at most the value in common/base/limits.hpp.
struct HostFloors {
    std::optional<std::uint64_t> disk_bytes;
    std::optional<std::uint64_t> disk_files;
    std::optional<std::uint64_t> memory_bytes;

    friend bool operator==(const HostFloors&, const HostFloors&) = default;
};

struct AgentOptions {
    std::string name;
    LifeId life;
    BootId boot;
    std::string version;
    std::uint64_t seed = 0;             ///< For the jitter of a repeated hello.
    Duration hello_after_silence = 3s;  ///< After this time without a message from the coordinator
                                        ///< the agent sends hello again.
    Offer offer{};
    CheckOptions check{};
    std::vector<LimitFact> limits{};
    CapacityFrom capacity_from{};
    HostFloors floors{};
    std::string made_key{};  ///< A new key that an earlier life made and did not keep.
    std::string seal_key{};  ///< As in Hello.
};

/// The state with which a life of an agent begins.
struct RecoveredState {
    AgentMemory memory;  ///< As on disk, but already with the incarnation of this life.
    JournalImage journal;
    /// Our processes that the journal does not know, because it was lost.
    std::vector<FoundProcess> found;
    ProcessId last_left{};  ///< The highest process that earlier lives left on the host, including
                            ///< those to remove.
    bool is_rebooted = false;  ///< The host has booted again since the journal was written.
};

}  // namespace muster::agent
