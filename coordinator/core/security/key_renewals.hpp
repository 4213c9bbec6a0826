#pragma once

#include <string>
#include <string_view>

#include "common/messages/message.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/ledger.hpp"
#include "coordinator/core/nodes/registry.hpp"

namespace muster::coordinator {

/// Replaces the keys of agents. While the row of a name says so, each poll asks its agent for a new
/// key; the agent answers until it uses the new one. So no lost message ends a replacement.
class KeyRenewals {
public:
    KeyRenewals(NodeRegistry& nodes, Ledger& ledger) : nodes_{nodes}, ledger_{ledger} {}

    /// The agent of this session sent its new key.
    void on_new_key(StepContext& step, Session session, const NewKey& message);
    /// A hello proved this key. True: it is the first use of a new one.
    bool on_hello(StepContext& step, NodeIndex index, const PublicKey& key);
    /// The row of the name changed.
    void on_row(std::string_view name);

private:
    friend struct CoreFields;

    void follow(NodeIndex index);
    void submit(StepContext& step, StoredKey row, const PublicKey& by, const std::string& what);

    NodeRegistry& nodes_;
    Ledger& ledger_;
};

}  // namespace muster::coordinator
