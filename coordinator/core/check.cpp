#include "coordinator/core/check.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

namespace muster::coordinator {

namespace {

/// Collects contradictions.
class Findings {
public:
    void expect(bool agrees, std::string_view what, std::string_view name = {}) {
        if (!agrees) {
            all_.push_back((name.empty() ? std::string{} : std::string{name} + ": ") +
                           std::string{what});
        }
    }
    [[nodiscard]] std::vector<std::string> take() { return std::move(all_); }

private:
    std::vector<std::string> all_;
};

/// Compares the facts of a node with what the copies and the registry derived from them.
void check_node(const Memory& memory, NodeIndex index, const Node& node, Findings& found) {
    const Placements& placements = memory.copies.placements;
    found.expect(placements.nodes().is_known(index) && placements.nodes().name(index) == node.name,
                 "its copies are kept under another name", node.name);
    found.expect(memory.nodes.find(node.name) == index, "its name leads elsewhere", node.name);
    found.expect(!node.session || memory.nodes.find(*node.session) == index,
                 "its route leads elsewhere", node.name);
    found.expect((!node.session && node.lost) || memory.nodes.poll_set().test(raw(index)),
                 "it has a route or is not lost, and is not polled", node.name);
    found.expect(memory.nodes.deadlines().of(index, DueKind::suspension) == node.suspended_until,
                 "its suspension and the deadline of that differ", node.name);
    if (node.touched) {
        return;  // What follows from its facts is not published yet.
    }
    found.expect(placements.nodes().is_counted(index) == is_counted(node),
                 "its copies count, or do not, against its facts", node.name);
    found.expect(placements.nodes().is_serving(index) == (is_serving(node) && is_commandable(node)),
                 "it gets instances, or none, against its facts", node.name);
    found.expect(placements.nodes().is_commandable(index) == is_commandable(node),
                 "it gets orders, or none, against its facts", node.name);
    const bool has_row = node.incarnation != Incarnation{};
    found.expect(!has_row || node.row_pending || row_of(node) == node.durable,
                 "its row is not stored and not on its way", node.name);
}

}  // namespace

std::vector<std::string> contradictions(const Memory& memory) {
    Findings found;
    std::size_t nodes = 0;
    std::size_t awaited = 0;
    std::size_t in_conflict = 0;
    std::size_t polled = 0;
    memory.nodes.each([&](NodeIndex index, const Node& node) {
        check_node(memory, index, node, found);
        ++nodes;
        awaited += node.awaited ? 1U : 0U;
        in_conflict += node.in_conflict ? 1U : 0U;
        polled += node.answer_pending ? 1U : 0U;
        const bool drains = memory.membership.drains().draining().contains(index);
        const auto row = memory.ledger.intents().rows().find(node.name);
        const Intent intent = row ? row->intent : Intent::active;
        found.expect(drains == (intent == Intent::draining), "its drain is not as its row says",
                     node.name);
        found.expect(node.intent == intent, "its intent is not that of its row", node.name);
    });
    found.expect(nodes == memory.nodes.count(), "the table of nodes miscounts");
    found.expect(awaited == memory.liveness.recovery().awaited(), "recovery miscounts");
    found.expect(in_conflict == memory.membership.conflicts().count(), "name conflicts miscount");
    const auto open = memory.liveness.rounds().awaited();
    found.expect(!open || *open == polled, "the open round miscounts the polls without an answer");
    found.expect(memory.copies.placements.is_consistent(), "copies by node and by task differ");
    found.expect(memory.planning.planner().is_consistent(), "reserved resources miscount");
    std::size_t wanted = 0;
    for (std::size_t task = 0; task < memory.copies.workload.bound(); ++task) {
        const auto index = static_cast<TaskIndex>(task);
        wanted += memory.copies.workload[index].wanted ? 1U : 0U;
    }
    found.expect(wanted == memory.copies.workload.wanted_count(), "wanted tasks miscount");
    RowCount<StoredIntent> counted;
    memory.ledger.intents().rows().each(
        [&](std::string_view /*name*/, const StoredIntent& row) { counted.add(row); });
    found.expect(counted == memory.ledger.intents().count(), "the list of nodes miscounts");
    found.expect(memory.ledger.durable() <= memory.ledger.last_number(),
                 "more is durable than was given to the store");
    return found.take();
}

}  // namespace muster::coordinator
