#pragma once

#include <string>
#include <string_view>

#include "common/base/ids.hpp"
#include "common/messages/message.hpp"
#include "coordinator/core/effects.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/fleet_room.hpp"
#include "coordinator/core/ledger/ledger.hpp"
#include "coordinator/core/liveness/freeze_control.hpp"
#include "coordinator/core/liveness/liveness.hpp"
#include "coordinator/core/membership/drains.hpp"
#include "coordinator/core/membership/hello.hpp"
#include "coordinator/core/membership/pools.hpp"
#include "coordinator/core/membership/refusals.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/security/access.hpp"
#include "coordinator/core/security/key_renewals.hpp"
#include "coordinator/core/suspension/suspension.hpp"
#include "coordinator/core/workload/copies.hpp"

namespace muster::coordinator {

/// Decides which agents may join, under which name, and which records are deleted.
///
/// An agent joins with its hello. It goes when it leaves, when its connection closes, or when an
/// operator removes it. Operators' decisions about a name take effect here once they are durable.
class Membership {
public:
    /// The rooms that keep state of a node.
    struct Rooms {
        NodeRegistry& nodes;
        Copies& copies;
        Ledger& ledger;
        const Access& access;
        KeyRenewals& renewals;
        FleetRoom& room;
        Suspension& suspension;
        Liveness& liveness;
        FreezeControl& freeze;
    };

    Membership(const CoordinatorOptions& options, const Rooms& rooms)
        : options_{options},
          in_{rooms},
          pools_{rooms.copies.placements, rooms.ledger},
          drains_{rooms.nodes, rooms.ledger},
          conflicts_{rooms.nodes} {}

    /// Restores the nodes of the store, and the listed names that never joined.
    void restore(const StepContext& step);

    // ---- agents ----
    void on_hello(StepContext& step, const FromAgent& input, const Hello& hello, Effects& effects);
    void on_departure(StepContext& step, Session session, const Departure& departure,
                      Effects& effects);
    /// Closes the session of a node whose key is not admitted any more.
    void check_key(StepContext& step, std::string_view name, Effects& effects);
    /// The same before a message of this session is handled: its key may have ended just now.
    void check_key_of(StepContext& step, Session session, Effects& effects);
    /// A connection closed: no node is reached by it any more.
    void on_connection_closed(Session session);
    [[nodiscard]] NameConflicts& conflicts() { return conflicts_; }
    [[nodiscard]] const NameConflicts& conflicts() const { return conflicts_; }
    /// The node knows a later or another store. `seen`: the latest change that it knows.
    void mark_ahead(StepContext& step, NodeIndex index, Generation seen, const std::string& why);

    // ---- records ----
    /// Applies durable rows of nodes, and durable decisions of operators about names.
    void on_durable(StepContext& step, const Change& change, Effects& effects);
    /// An operator accepted the store that the nodes know. Every agent must send a hello in the new
    /// epoch.
    void on_store_accepted(StepContext& step, const Rows<StoredNode>& accepted);
    /// The record of a lost node is due to be deleted. True: the caller erases its row.
    [[nodiscard]] bool on_forget_due(StepContext& step, NodeIndex index);

    [[nodiscard]] Drains& drains() { return drains_; }
    [[nodiscard]] const Drains& drains() const { return drains_; }
    [[nodiscard]] const Refusals& refusals() const { return refusals_; }
    [[nodiscard]] FleetView fleet(CivilMs now) const;

private:
    friend struct CoreFields;

    void welcome(StepContext& step, NodeIndex index, const FromAgent& input, const Hello& hello,
                 Effects& effects);
    /// The node is absent on purpose, its own or an operator's.
    void leave(StepContext& step, NodeIndex index, bool leaves_instances, std::string why,
               Effects& effects);
    void send_welcome(StepContext& step, NodeIndex index);
    void reject_name_in_use(StepContext& step, NodeIndex index, Session other);
    /// The reason why a name must not join; empty if it may.
    [[nodiscard]] std::string admission_error(const std::string& name) const;
    /// True if the name must not join; its agent was refused.
    [[nodiscard]] bool reject_unless_admitted(StepContext& step, Session session,
                                              const std::string& name);
    /// Adds a record without an operator's decision, or for a caller that applies the decision.
    NodeIndex add_record(std::string_view name);
    NodeIndex add_node(const StepContext& step, std::string_view name);
    void remove_node(NodeIndex index, Effects& effects);
    void on_rows(StepContext& step, const Rows<StoredNode>& rows, Effects& effects);
    void on_decisions(StepContext& step, const Change& change, Effects& effects);
    /// The record takes over the durable decision about its name.
    void load_intent(const StepContext& step, NodeIndex index);
    /// A row took effect. `drained`: our own decision, because no instance runs there any more.
    void adopt(StepContext& step, const StoredIntent& row, bool drained);
    void remove_name(StepContext& step, const std::string& name, std::string cause,
                     Effects& effects);
    /// The record must stay, however long the node is lost.
    [[nodiscard]] bool is_kept(NodeIndex index) const;

    const CoordinatorOptions& options_;
    Rooms in_;
    Pools pools_;
    Drains drains_;
    NameConflicts conflicts_;
    Refusals refusals_;
};

/// The refusal of an agent with a name that an operator removed.
[[nodiscard]] std::string describe_removed(const std::string& name);

}  // namespace muster::coordinator
