#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "coordinator/core/pools/forecast/need_sample.hpp"

/// What the core asks of programs outside: of providers, which make and remove nodes, and of
/// predictors. The shell gives exactly one answer to each call, within a deadline of its own.
namespace muster::coordinator {

/// All nodes that this provider has for this cluster.
struct ListNodes {
    friend bool operator==(const ListNodes&, const ListNodes&) = default;
};
/// The same request may be made several times, also by another leader. It has one effect.
struct ProvisionNodes {
    std::string pool;
    std::string request;  ///< Unique in the cluster.
    std::uint32_t count = 0;

    friend bool operator==(const ProvisionNodes&, const ProvisionNodes&) = default;
};
/// No error if the node is gone already.
struct RemoveNode {
    std::string pool;
    std::string id;  ///< As the provider listed it.

    friend bool operator==(const RemoveNode&, const RemoveNode&) = default;
};
struct PredictNeed {
    std::string pool;
    std::vector<NeedSample> recent;  ///< The last hour, the newest last.

    friend bool operator==(const PredictNeed&, const PredictNeed&) = default;
};

struct OutsideCall {
    std::uint64_t number = 0;  ///< Of this leadership.
    std::string to;            ///< A provider or a predictor, as the configuration names it.
    std::variant<ListNodes, ProvisionNodes, RemoveNode, PredictNeed> what;

    friend bool operator==(const OutsideCall&, const OutsideCall&) = default;
};

struct ProvidedNode {
    std::string id;
    std::string node;  ///< The name under which its agent joins.
    std::string pool;
    std::string request{};  ///< That made it. Empty: the provider does not say.

    friend bool operator==(const ProvidedNode&, const ProvidedNode&) = default;
};
struct NodesListed {
    std::vector<ProvidedNode> nodes;  ///< No id and no node is there twice.

    friend bool operator==(const NodesListed&, const NodesListed&) = default;
};
struct NodesGranted {
    std::uint32_t count = 0;  ///< So many will come.

    friend bool operator==(const NodesGranted&, const NodesGranted&) = default;
};
struct NodeRemoved {
    friend bool operator==(const NodeRemoved&, const NodeRemoved&) = default;
};
struct NeedPredicted {
    Amount amount = 0;

    friend bool operator==(const NeedPredicted&, const NeedPredicted&) = default;
};

struct CallFailed {
    std::string why;  ///< A sentence for people.

    friend bool operator==(const CallFailed&, const CallFailed&) = default;
};

using OutsideResult =
    std::variant<CallFailed, NodesListed, NodesGranted, NodeRemoved, NeedPredicted>;

}  // namespace muster::coordinator
