#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

/// Common parts of requests and answers of several subjects.
namespace muster {

/// A request with nothing besides its verb.
struct BareRequest {
    friend bool operator==(const BareRequest&, const BareRequest&) = default;
};

/// Nodes that cannot take an instance, counted by the reason: `3 full`, `1 label rack != r7`.
struct NodeReason {
    std::string code;  ///< Of a filter, or the health or intent of a node that does not serve.
    std::uint32_t count = 0;
    std::string detail;  ///< The constraint, or the pool; else empty.

    friend bool operator==(const NodeReason&, const NodeReason&) = default;
};

/// Why instances could not be placed, counted: `3 no room: every serving node that suits has
/// max_per_node`.
struct UnplacedReason {
    std::string code;
    std::uint32_t count = 0;
    std::string detail;
    std::string task{};               ///< The first task by name with this reason.
    std::vector<NodeReason> nodes{};  ///< Each node's reason against that task.

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
    bool stray = false;  ///< Reported, but never ordered by this store.

    friend bool operator==(const InstanceView&, const InstanceView&) = default;
};

}  // namespace muster
