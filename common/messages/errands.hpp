#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/names.hpp"
#include "common/base/result.hpp"

/// Errands: what an operator asks of an agent by way of the coordinator, and its answer. An errand
/// is done once and at once, or not at all; it is part of no desired state.
namespace muster {

enum class LogStream : std::uint8_t { out, err };
template <>
inline constexpr auto enum_names<LogStream> = name_list("stdout", "stderr");

/// Where a reader of a log stands. It stays good while the log goes on in another file, until what
/// follows it was thrown away.
struct LogPosition {
    std::uint64_t file = 0;  ///< Below 2^53. 0: at no file yet.
    std::uint64_t offset = 0;

    friend bool operator==(const LogPosition&, const LogPosition&) = default;
};

/// Whose errand it is: fences it, and pairs the answer with it.
struct ErrandStamp {
    Epoch epoch{};
    Incarnation incarnation{};
    ErrandNumber number{};

    friend bool operator==(const ErrandStamp&, const ErrandStamp&) = default;
};

// ---- coordinator to agent ----

/// A piece of what an instance printed.
struct ReadLog {
    ErrandStamp stamp{};
    InstanceId id;
    LogStream stream = LogStream::out;
    LogPosition from{};          ///< At no file: from the oldest on that is kept,
    std::uint64_t since_ms = 0;  ///< or, if given, from so long ago on.
    std::uint32_t bytes = 0;     ///< At most; 0: as many as a piece may have.

    friend bool operator==(const ReadLog&, const ReadLog&) = default;
};

/// A signal to the process groups of running instances.
struct SendSignal {
    ErrandStamp stamp;
    std::string signal;  ///< A name that stop_signal_number() knows.
    std::vector<InstanceId> ids;

    friend bool operator==(const SendSignal&, const SendSignal&) = default;
};

/// What each instance uses of the host.
struct Measure {
    ErrandStamp stamp;

    friend bool operator==(const Measure&, const Measure&) = default;
};

// ---- agent to coordinator ----

struct LogPiece {
    ErrandStamp stamp;
    LogPosition next;        ///< Behind the piece.
    bool gap = false;        ///< What was between the position asked for and this piece is gone.
    std::uint64_t left = 0;  ///< Bytes behind this piece, for now.
    std::string data;        ///< Whole lines unless nothing is left, or of a line longer than it.

    friend bool operator==(const LogPiece&, const LogPiece&) = default;
};

/// An instance that did not get the signal.
struct SignalFault {
    InstanceId id;
    std::string detail;

    friend bool operator==(const SignalFault&, const SignalFault&) = default;
};

struct Signalled {
    ErrandStamp stamp;
    std::vector<SignalFault> faults;  ///< All others got it.

    friend bool operator==(const Signalled&, const Signalled&) = default;
};

/// What the processes of an instance use: its whole tree, without its shim.
struct InstanceUse {
    InstanceId id;
    std::uint64_t cpu_us = 0;        ///< Of a processor, since the instance was started.
    std::uint64_t memory_bytes = 0;  ///< Resident; what processes share counts for each.
    std::uint32_t processes = 0;

    friend bool operator==(const InstanceUse&, const InstanceUse&) = default;
};

struct Measured {
    ErrandStamp stamp;
    std::uint64_t at_us = 0;  ///< On the host's clock since its boot: for what is per second.
    std::vector<InstanceUse> instances;

    friend bool operator==(const Measured&, const Measured&) = default;
};

struct ErrandFailed {
    ErrandStamp stamp;
    Errc code = Errc::refused;
    std::string detail;

    friend bool operator==(const ErrandFailed&, const ErrandFailed&) = default;
};

}  // namespace muster
