#include "coordinator/core/nodes/lifecycle.hpp"

#include "common/base/ensure.hpp"

namespace muster::coordinator {

namespace {

constexpr std::string_view any = "any";

constexpr Transition row(NodeChange change, std::string_view name, std::string_view from,
                         std::string_view under, FactChange sets, std::string_view meaning) {
    return {change, name, from, under, sets, meaning};
}

constexpr std::array<Transition, node_changes> table{
    row(NodeChange::expected, "expected", "unready", "active",
        {.lost = true, .admission = Admission::listed},
        "an operator listed a name that never came"),
    row(NodeChange::joined, "joined", any, any, {.able = false}, "its first hello"),
    row(NodeChange::restarted, "restarted", any, any, {.able = false}, "its agent started again"),
    row(NodeChange::ready, "ready", "unready", any, {.able = true},
        "its readiness check passed, or it has none"),
    row(NodeChange::unready, "unready", any, any, {.able = false},
        "its readiness check failed, or its host asks for no work"),
    row(NodeChange::left, "left", any, any, {.gone = true}, "its agent announced its departure"),
    row(NodeChange::lost, "lost", any, any, {.lost = true},
        "it missed too many polls, or did not return after it left"),
    row(NodeChange::returned, "returned", "lost", any, {.lost = false, .gone = false},
        "it answers again, or returned soon after it left"),
    row(NodeChange::forgotten, "forgotten", any, any, {}, "its record was deleted"),
    row(NodeChange::suspended, "suspended", any, any, {.is_suspended = true},
        "its flap score reached the threshold"),
    row(NodeChange::served, "suspension_ended", "flaky lost", any,
        {.able = false, .is_suspended = false}, "its suspension ended"),
    row(NodeChange::released, "released", "flaky lost", any, {.able = false, .is_suspended = false},
        "an operator ended its suspension"),
    row(NodeChange::forgiven, "forgiven", any, any, {},
        "its flap score and earlier suspensions were cleared"),
    row(NodeChange::offlined, "offline", any, any, {.intent = Intent::offline},
        "an operator gave it no more work"),
    row(NodeChange::onlined, "online", any, "draining offline", {.intent = Intent::active},
        "an operator gave it work again"),
    row(NodeChange::drain_began, "drain_began", any, any, {.intent = Intent::draining},
        "an operator moves its work to other nodes"),
    row(NodeChange::drain_overdue, "drain_overdue", any, "draining", {},
        "its drain has not ended by its deadline"),
    row(NodeChange::drained, "drained", any, "draining", {.intent = Intent::offline},
        "its agent reports that nothing runs there"),
    row(NodeChange::listed, "listed", any, any, {.admission = Admission::listed},
        "an operator listed its name"),
    row(NodeChange::removed, "removed", any, any, {.admission = Admission::removed},
        "an operator took its name off the list"),
    row(NodeChange::ahead, "ahead", any, any, {.ahead = true}, "it knows a later or another store"),
    row(NodeChange::accepted, "accepted", any, any, {.ahead = false},
        "an operator accepted the store that it knows"),
    row(NodeChange::faulty, "faulty", any, any, {},
        "its report contradicts itself, or claims what was never ordered there"),
};

/// True if the list, which is separated by spaces, contains this word.
bool has_word(std::string_view list, std::string_view word) {
    if (list.starts_with(word) && (list.size() == word.size() || list[word.size()] == ' ')) {
        return true;
    }
    const std::size_t end = list.find(' ');
    return end != std::string_view::npos && has_word(list.substr(end + 1), word);
}

template <class T>
void set(T& fact, const std::optional<T>& to) {
    fact = to.value_or(fact);
}

}  // namespace

const std::array<Transition, node_changes>& transitions() { return table; }

const Transition& transition_of(NodeChange change) {
    const Transition& row = table[static_cast<std::size_t>(change)];
    ensure(row.change == change, "the table is in the order of its changes");
    return row;
}

bool may_happen(const Node& node, NodeChange change) {
    const Transition& row = transition_of(change);
    return (row.from == any || has_word(row.from, to_string(health_of(node)))) &&
           (row.under == any || has_word(row.under, to_string(node.intent)));
}

void enter(Node& node, NodeChange change, std::optional<Instant> until) {
    ensure(may_happen(node, change), "a node changes as the table says");
    const FactChange& sets = transition_of(change).sets;
    set(node.lost, sets.lost);
    set(node.gone, sets.gone);
    set(node.able, sets.able);
    set(node.ahead, sets.ahead);
    set(node.admission, sets.admission);
    set(node.intent, sets.intent);
    if (sets.is_suspended) {
        ensure(*sets.is_suspended == until.has_value(), "a suspension that begins has an end");
        node.suspended_until = until;
    }
}

}  // namespace muster::coordinator
