#pragma once

#include <string>
#include <string_view>

#include "common/messages/message.hpp"
#include "coordinator/core/nodes/node.hpp"

/// What is said of nodes to people, and who decided it.
namespace muster::coordinator {

/// `by ann@desk: new switches`: who decided something, and why.
[[nodiscard]] std::string describe_cause(std::string_view author, std::string_view reason);
/// What a person must know of a node beside its health, in words.
[[nodiscard]] std::string describe_node(const Node& node);
/// What became of the readiness check that failed, as far as its agent says.
[[nodiscard]] std::string describe_check(const HostFacts& host);
/// Why the host asks for no work.
[[nodiscard]] std::string describe_unable(const AgentFacts& said);
/// The stable code of what keeps a node from getting starts: its health or intent says most.
[[nodiscard]] std::string_view why_not_serving(const Node& node);

}  // namespace muster::coordinator
