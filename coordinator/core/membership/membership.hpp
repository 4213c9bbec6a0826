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
#include "coordinator/core/suspension/suspension.hpp"
#include "coordinator/core/workload/copies.hpp"

namespace muster::coordinator {

/// Who may join, under which name, and whose record ends.
///
/// An agent comes with its hello and goes with its goodbye, its connection, or an operator's word.
/// What operators decide of a name takes effect here once it is durable.
class Membership {
public:
    /// The rooms that a node enters and leaves.
    struct Rooms {
        NodeRegistry& nodes;
        Copies& copies;
        Ledger& ledger;
        FleetRoom& room;
        Suspension& suspension;
        Liveness& liveness;
        FreezeControl& freeze;
    };

    Membership(const CoordinatorOptions& options, const Rooms& rooms)
        : options_{options},
          in_{rooms},
          pools_{rooms.copies.placements, rooms.ledger.intents()},
          drains_{rooms.nodes, rooms.ledger},
          conflicts_{rooms.nodes} {}

    /// The nodes of the store, and those that operators listed and that never came.
    void restore(const StepContext& step);

    // ---- agents ----
    void on_hello(StepContext& step, Session session, const Hello& hello, Effects& effects);
    void on_goodbye(StepContext& step, Session session, const Goodbye& goodbye, Effects& effects);
    /// No node that we know can be reached by it any more.
    void on_route_closed(Session session);
    [[nodiscard]] NameConflicts& conflicts() { return conflicts_; }
    [[nodiscard]] const NameConflicts& conflicts() const { return conflicts_; }
    /// It knows a later or another store. `seen`: the latest change of which it knows.
    void mark_ahead(StepContext& step, NodeIndex index, Generation seen, const std::string& why);

    // ---- records ----
    /// What is durable of nodes' rows, and what operators decided of names.
    void on_durable(StepContext& step, const Change& change, Effects& effects);
    /// The store that the nodes know was accepted. Every agent has to learn a new epoch, and to say
    /// hello under it.
    void on_store_accepted(StepContext& step, const Rows<StoredNode>& accepted);
    /// The time of a lost node's record is over. True: its row is to be erased.
    [[nodiscard]] bool on_forget_due(StepContext& step, NodeIndex index);

    [[nodiscard]] Drains& drains() { return drains_; }
    [[nodiscard]] const Drains& drains() const { return drains_; }
    [[nodiscard]] const Refusals& refusals() const { return refusals_; }
    [[nodiscard]] FleetView fleet(CivilMs now) const;

private:
    friend struct CoreFields;

    void welcome(StepContext& step, NodeIndex index, Session session, const Hello& hello,
                 Effects& effects);
    void send_welcome(StepContext& step, NodeIndex index);
    void contest(StepContext& step, NodeIndex index, Session other);
    /// Why a name may not join; empty if it may.
    [[nodiscard]] std::string admission_error(const std::string& name) const;
    /// True: the name may not join, and its agent was told so.
    [[nodiscard]] bool reject_unless_admitted(StepContext& step, Session session,
                                              const std::string& name);
    /// Of a name of which nothing is decided, or told by the caller.
    NodeIndex add_record(std::string_view name);
    NodeIndex add_node(const StepContext& step, std::string_view name);
    void remove_node(NodeIndex index, Effects& effects);
    void on_rows(StepContext& step, const Rows<StoredNode>& rows, Effects& effects);
    void on_decisions(StepContext& step, const Change& change, Effects& effects);
    /// The record takes over what is durable of its name.
    void load_intent(const StepContext& step, NodeIndex index);
    /// A row took effect. `drained`: by our own decision, for nothing runs there any more.
    void adopt(StepContext& step, const StoredIntent& row, bool drained);
    void remove_name(StepContext& step, const std::string& name, std::string cause,
                     Effects& effects);
    /// Its record stays, however long it is lost.
    [[nodiscard]] bool is_kept(NodeIndex index) const;

    const CoordinatorOptions& options_;
    Rooms in_;
    Pools pools_;
    Drains drains_;
    NameConflicts conflicts_;
    Refusals refusals_;
};

/// What is said to an agent under a name that an operator removed.
[[nodiscard]] std::string describe_removed(const std::string& name);

}  // namespace muster::coordinator
