#pragma once

#include <cstdint>
#include <string>

#include "common/base/time.hpp"

namespace muster {

/// What an answer says of the host from time to time, to be kept until it is said anew. Times are
/// those of the host's civil clock.
struct HostVitals {
    CivilMs at{};                 ///< When it was said. 0: nothing is said.
    std::uint64_t memory_free{};  ///< Bytes that processes may still have. 0: not known.
    std::uint64_t disk_free{};    ///< Bytes left where the agent keeps its state and logs.
    std::uint64_t disk_bytes{};   ///< Of that disk. 0: it has not answered.
    CivilMs spawned{};            ///< The last process was made. 0: none in this life.
    CivilMs written{};            ///< The agent's own state was written last. 0: likewise.
    std::string unable{};         ///< Why it should get no work. At most detail_bytes.

    friend bool operator==(const HostVitals&, const HostVitals&) = default;
};

}  // namespace muster
