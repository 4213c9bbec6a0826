#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

/// What requests and answers of several subjects have in common.
namespace muster {

/// A request that says nothing beside its verb.
struct BareRequest {
    friend bool operator==(const BareRequest&, const BareRequest&) = default;
};

/// Nodes that cannot take an instance, counted by the reason: `3 full`, `1 label rack != r7`.
struct NodeReason {
    std::string code;  ///< A filter's, or the health or intent of a node that does not serve.
    std::uint32_t count = 0;
    std::string detail;  ///< The constraint, or the pool that the nodes are of; else empty.

    friend bool operator==(const NodeReason&, const NodeReason&) = default;
};

/// Why instances could not be placed, counted: `3 no room: every serving node that suits has
/// max_per_node`.
struct UnplacedReason {
    std::string code;
    std::uint32_t count = 0;
    std::string detail;
    std::string task{};               ///< The first by name that this is so of.
    std::vector<NodeReason> nodes{};  ///< Why each node cannot take another instance of that task.

    friend bool operator==(const UnplacedReason&, const UnplacedReason&) = default;
};

/// An instance somewhere; `node` is empty when it is unplaced.
struct InstanceView {
    InstanceId id;
    std::string node;
    std::string state;  ///< An InstanceState, or `unplaced`, `ordered`.
    Generation generation{};
    std::uint32_t restarts = 0;
    std::int32_t exit_code = -1;
    std::int32_t exit_signal = 0;
    CivilMs started{};
    std::string detail;  ///< The reason, when there is one.
    bool stray = false;  ///< Reported, but nothing this store ever ordered.

    friend bool operator==(const InstanceView&, const InstanceView&) = default;
};

}  // namespace muster
