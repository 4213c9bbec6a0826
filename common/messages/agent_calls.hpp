#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/names.hpp"
#include "common/base/result.hpp"

/// Agent calls: requests of operators to an agent through the coordinator, and the answers. An
/// agent call is done once and at once, or not at all; it is not part of the desired state.
namespace muster {

enum class LogStream : std::uint8_t { out, err };
template <>
inline constexpr auto enum_names<LogStream> = name_list("stdout", "stderr");

/// A reader's position in a log. It stays valid across file rotation, until the output after it was
/// deleted.
struct LogPosition {
    std::uint64_t file = 0;  ///< Below 2^53. 0: at no file yet.
    std::uint64_t offset = 0;

    friend bool operator==(const LogPosition&, const LogPosition&) = default;
};

/// The identity of an agent call: fences it, and pairs the answer with it.
struct AgentCallStamp {
    Epoch epoch{};
    Incarnation incarnation{};
    AgentCallNumber number{};

    friend bool operator==(const AgentCallStamp&, const AgentCallStamp&) = default;
};

// ---- coordinator to agent ----

/// A piece of an instance's output.
struct ReadLog {
    AgentCallStamp stamp{};
    InstanceId id;
    LogStream stream = LogStream::out;
    LogPosition from{};          ///< At no file: from the oldest kept output on,
    std::uint64_t since_ms = 0;  ///< or, if given, from that long ago on.
    std::uint32_t bytes = 0;     ///< At most; 0: as many as a piece holds.

    friend bool operator==(const ReadLog&, const ReadLog&) = default;
};

/// A signal to the process groups of running instances.
struct SendSignal {
    AgentCallStamp stamp;
    std::string signal;  ///< A name that stop_signal_number() knows.
    std::vector<InstanceId> ids;

    friend bool operator==(const SendSignal&, const SendSignal&) = default;
};

/// What each instance uses of the host.
struct Measure {
    AgentCallStamp stamp;

    friend bool operator==(const Measure&, const Measure&) = default;
};

// ---- agent to coordinator ----

struct LogPiece {
    AgentCallStamp stamp;
    LogPosition next;        ///< After the piece.
    bool gap = false;        ///< Output between the requested position and this piece is deleted.
    std::uint64_t left = 0;  ///< Bytes after this piece, for now.
    std::string data;        ///< Whole lines, unless nothing is left or one line is longer.

    friend bool operator==(const LogPiece&, const LogPiece&) = default;
};

/// An instance that did not get the signal.
struct SignalFault {
    InstanceId id;
    std::string detail;

    friend bool operator==(const SignalFault&, const SignalFault&) = default;
};

struct Signalled {
    AgentCallStamp stamp;
    std::vector<SignalFault> faults;  ///< All others got it.

    friend bool operator==(const Signalled&, const Signalled&) = default;
};

/// What the processes of an instance use: its whole tree, without its shim.
struct InstanceUse {
    InstanceId id;
    std::uint64_t cpu_us = 0;        ///< Of a processor, since the instance was started.
    std::uint64_t memory_bytes = 0;  ///< Resident; shared pages count for each process.
    std::uint32_t processes = 0;

    friend bool operator==(const InstanceUse&, const InstanceUse&) = default;
};

struct Measured {
    AgentCallStamp stamp;
    std::uint64_t at_us = 0;  ///< The host's time since its boot, for rates.
    std::vector<InstanceUse> instances;

    friend bool operator==(const Measured&, const Measured&) = default;
};

struct AgentCallFailed {
    AgentCallStamp stamp;
    Errc code = Errc::refused;
    std::string detail;

    friend bool operator==(const AgentCallFailed&, const AgentCallFailed&) = default;
};

}  // namespace muster
