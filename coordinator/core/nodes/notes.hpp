#pragma once

#include <string>
#include <string_view>

#include "common/messages/message.hpp"
#include "coordinator/core/nodes/node.hpp"

/// Texts about nodes for people.
namespace muster::coordinator {

/// `by ann@desk: new switches`: the author of a decision, and the reason.
[[nodiscard]] std::string describe_cause(std::string_view author, std::string_view reason);
/// What a person must know about a node besides its health.
[[nodiscard]] std::string describe_node(const Node& node);
/// How the readiness check failed, as its agent reports.
[[nodiscard]] std::string describe_check(const HostFacts& host);
/// Why the host asks for no work.
[[nodiscard]] std::string describe_unable(const AgentFacts& facts);
/// The stable code of the reason why a node gets no starts: its health or intent comes first.
[[nodiscard]] std::string_view why_not_serving(const Node& node);

}  // namespace muster::coordinator
