#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/messages/agent_calls.hpp"

/// Operators' requests to agents, and the answers that the coordinator collected.
namespace muster {

/// The next piece of an instance's output; a client repeats it until nothing is `left`.
struct LogsRequest {
    std::string instance;  ///< `web.3`; or `web`, if it has one.
    std::string node{};    ///< Empty: its present node.
    LogStream stream = LogStream::out;
    LogPosition from{};          ///< From the last answer.
    std::uint64_t since_ms = 0;  ///< Without a position: only output this recent.
    std::uint32_t bytes = 0;     ///< At most; 0: as many as possible.

    friend bool operator==(const LogsRequest&, const LogsRequest&) = default;
};

struct LogsReply {
    InstanceId id;
    std::string node;
    LogPosition next{};
    bool gap = false;
    std::uint64_t left = 0;
    std::string data;

    friend bool operator==(const LogsReply&, const LogsReply&) = default;
};

/// A signal to every running instance that matches. Repeated with one id, it is sent once.
struct TaskSignalRequest {
    std::string pattern;  ///< Of tasks; or one instance.
    std::string signal;

    friend bool operator==(const TaskSignalRequest&, const TaskSignalRequest&) = default;
};

struct SignalView {
    InstanceId id;
    std::string node;
    std::string detail;  ///< Empty: it was sent.

    friend bool operator==(const SignalView&, const SignalView&) = default;
};

struct TaskSignalReply {
    std::string signal;
    std::vector<SignalView> instances;  ///< By id.

    friend bool operator==(const TaskSignalReply&, const TaskSignalReply&) = default;
};

/// The usage of the instances on the matching nodes.
struct UsageRequest {
    std::string nodes = "*";
    std::string tasks = "*";

    friend bool operator==(const UsageRequest&, const UsageRequest&) = default;
};

struct UsageNode {
    std::string name;
    std::uint64_t at_us = 0;         ///< When it was measured, since the boot of the host.
    std::uint64_t cpu_milli = 0;     ///< The node's capacity.
    std::uint64_t memory_bytes = 0;  ///< The node's capacity.
    std::uint32_t load_milli = 0;
    std::string detail{};  ///< Why it has no measurement; empty: it has one.

    friend bool operator==(const UsageNode&, const UsageNode&) = default;
};

struct UsageInstance {
    InstanceUse use;
    std::string node;
    std::uint32_t restarts = 0;
    std::string state;
    Generation generation{};

    friend bool operator==(const UsageInstance&, const UsageInstance&) = default;
};

struct UsageReply {
    std::vector<UsageNode> nodes;          ///< By name.
    std::vector<UsageInstance> instances;  ///< By node, then id.

    friend bool operator==(const UsageReply&, const UsageReply&) = default;
};

}  // namespace muster
