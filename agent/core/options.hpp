#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/io.hpp"
#include "agent/core/journal.hpp"
#include "common/base/time.hpp"

namespace muster::agent {

/// The command that says by its exit code whether the host is ready for work.
struct CheckOptions {
    std::vector<std::string> command;  ///< Empty: none, and it is ready.
    Duration timeout = 10s;            ///< Then it is killed, and has failed.

    friend bool operator==(const CheckOptions&, const CheckOptions&) = default;
};

/// Below these a host should get no work. 0: no such floor; nothing: a hundredth of what there is,
/// but at most what stands in common/base/limits.hpp.
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
    Duration hello_after_silence = 3s;  ///< Without a word from the coordinator: hello again.
    Offer offer{};
    CheckOptions check{};
    std::vector<LimitFact> limits{};
    CapacityFrom capacity_from{};
    HostFloors floors{};
};

/// What a life of an agent begins with.
struct RecoveredState {
    AgentMemory memory;  ///< As on disk; its incarnation is already this life's.
    JournalImage journal;
    /// Processes of ours that the journal does not know: it was lost.
    std::vector<FoundProcess> found;
    ProcessId last_left{};     ///< Of all that earlier lives left on the host, also to be removed.
    bool is_rebooted = false;  ///< The host was started anew since the journal was written.
};

}  // namespace muster::agent
