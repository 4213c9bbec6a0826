#include "coordinator/core/rooms.hpp"

/// When the cluster requires proofs of orders (ADR 23).
namespace muster::coordinator {

void Rooms::keep_proof_rule(StepContext& step) {
    if (in_.copies.proofs.must_end_rule()) {
        submit_proof_rule(step);
    }
}

// A lost node may return with an agent that keeps none. Its copies are older than the rule.
void Rooms::require_proofs(StepContext& step) {
    if (!in_.copies.proofs.awaits_agents() || in_.liveness.recovery().runs() ||
        in_.freeze.is_on()) {
        return;
    }
    bool is_kept_by_some = false;
    for (const NodeIndex index : in_.nodes.by_name()) {
        const Node& node = in_.nodes[index];
        if (is_lost(node) || node.incarnation == Incarnation{}) {
            continue;
        }
        if (!facts_of(node).keeps_proofs) {
            return;
        }
        is_kept_by_some = true;
    }
    if (is_kept_by_some) {
        submit_proof_rule(step);
    }
}

void Rooms::submit_proof_rule(StepContext& step) {
    Change change{.origin = ChangeOrigin::records};
    change.of<StoredSetting>().put.emplace_back(
        in_.copies.proofs.rule_after(in_.ledger.proposed_meta().counter));
    in_.copies.proofs.note_change_pending();
    in_.ledger.submit(std::move(change), step.output);
}

}  // namespace muster::coordinator
