#include "coordinator/core/operators/intent_changes.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/limits.hpp"
#include "coordinator/core/operators/intent_checks.hpp"

namespace muster::coordinator {

namespace {

/// The latest deadline of a drain. A much later one would overflow a clock.
constexpr Duration longest_drain = 24h * 365;

/// The rows that a request writes, and the changes in its reply.
struct IntentChanges {
    Change change;
    NodesChangeReply reply;
    std::ptrdiff_t grows_by = 0;  ///< By how many the number of known names grows.

    [[nodiscard]] std::vector<Shared<StoredIntent>>& rows() {
        return change.of<StoredIntent>().put;
    }
    /// Names whose records are deleted.
    [[nodiscard]] std::vector<std::string>& removed() { return change.of<StoredNode>().erased; }
};

/// Adds the change of one node to the reply, and its row if it differs.
void note_change(const StoredIntent& before, StoredIntent&& after, std::string_view action,
                 IntentChanges& written, std::string_view detail = {}) {
    const bool is_same = after == before;
    auto& change = written.reply.changes.emplace_back();
    change.node = before.name;
    change.action = is_same ? "unchanged" : action;
    change.intent_before = to_string(before.intent);
    change.intent_after = to_string(after.intent);
    change.detail = detail;
    if (!is_same) {
        written.rows().emplace_back(std::move(after));
    }
}

/// The row with another intent or reason; otherwise as it was.
StoredIntent wanting(const StoredIntent& before, Intent intent, const Occasion& why,
                     const FleetView& fleet) {
    const bool says_more = !why.reason.empty() && why.reason != before.reason;
    StoredIntent after = before;
    if (before.intent != intent || says_more) {
        after.reason = why.reason;
        after.author = why.author;
        after.since = fleet.now;
    }
    after.intent = intent;
    after.deadline = CivilMs{};
    after.force = false;
    after.remove = false;
    return after;
}

/// The settings of an earlier drain that a new request drops.
std::string_view dropped_by(const StoredIntent& before, const StoredIntent& after) {
    const bool drops_deadline = before.deadline != CivilMs{} && after.deadline == CivilMs{};
    const bool drops_force = before.force && !after.force;
    if (drops_force) {
        return drops_deadline ? "its earlier deadline and --force are dropped"
                              : "its earlier --force is dropped";
    }
    return drops_deadline ? "its earlier deadline is dropped" : "";
}

template <class Change>
Result<IntentChanges> change_each(const std::string& pattern, const Occasion& why,
                                  const FleetView& fleet, Change change) {
    return check(why)
        .and_then([&] { return nodes_matching(pattern, fleet); })
        .map([&](const std::vector<std::string>& names) {
            IntentChanges written;
            for (const std::string& name : names) {
                change(fleet.intents.proposed(name), written);
            }
            return written;
        });
}

Result<Answered> as_answered(Result<IntentChanges> written) {
    return std::move(written).map([](IntentChanges&& done) {
        return Answered{std::move(done.change), std::move(done.reply)};
    });
}

/// Final checks: without force a pool must keep a node for work, and the number of removed names is
/// bounded.
Result<Answered> complete_intents(Result<IntentChanges> written, bool force,
                                  const FleetView& fleet) {
    const std::size_t refused =
        fleet.intents.count_soon().removed +
        (written && !fleet.listed_only ? written->removed().size() : std::size_t{0});
    if (refused > limits::removed_names) {
        return fail(Errc::too_large, std::to_string(refused) +
                                         " removed names would have to be kept; at most " +
                                         std::to_string(limits::removed_names) +
                                         " are kept; with nodes.mode = \"listed\" none is needed");
    }
    return as_answered(
        std::move(written).and_then([&](IntentChanges&& done) -> Result<IntentChanges> {
            return check_count(done.grows_by, fleet)
                .and_then([&] { return force ? Result<void>{} : check_pools(done.change, fleet); })
                .map([&] { return std::move(done); });
        }));
}

void remove_name(const StoredIntent& before, bool force, const Occasion& why,
                 const FleetView& fleet, IntentChanges& written) {
    const auto index = fleet.nodes.find(before.name);
    const bool never_came = !index || fleet.nodes[*index].incarnation == Incarnation{};
    if (force || never_came || is_drained(*index, fleet)) {
        StoredIntent after = removed_row(before, fleet.listed_only);
        after.reason = after.admission == Admission::removed ? why.reason : "";
        after.author = after.admission == Admission::removed ? why.author : "";
        after.since = after.admission == Admission::removed ? fleet.now : CivilMs{};
        note_change(before, std::move(after), "remove", written);
        written.reply.changes.back().action = "remove";
        written.reply.changes.back().intent_after.clear();
        written.removed().push_back(before.name);
        const bool is_on_its_way = index && before.admission != Admission::listed &&
                                   fleet.nodes[*index].admission == Admission::listed;
        written.grows_by -= is_on_its_way ? 0 : 1;
        written.change.why = why;
        return;
    }
    StoredIntent after = wanting(before, Intent::draining, why, fleet);
    after.remove = true;
    note_change(before, std::move(after), "drain", written, "it is removed once it is drained");
}

/// Describes the pool of a row; a row without one leaves it to the agent.
std::string describe_pool(const std::string& pool) {
    return pool.empty() ? "its agent's pool" : "pool " + pool;
}

void list_name(const ListedNode& node, const Occasion& why, const FleetView& fleet,
               IntentChanges& written) {
    const StoredIntent before = fleet.intents.proposed(node.name);
    StoredIntent after = before;
    if (before.admission == Admission::removed) {
        after = StoredIntent{.name = node.name};
    }
    if (before.admission != Admission::listed) {
        const auto index = fleet.nodes.find(node.name);
        const bool has_come = index && fleet.nodes[*index].admission != Admission::listed;
        written.grows_by += has_come ? 0 : 1;
    }
    const bool says_nothing_yet =
        before.admission != Admission::listed && after.reason.empty() && after.author.empty();
    // It is not removed any more.
    if (says_nothing_yet || (before.remove && !why.reason.empty())) {
        after.reason = why.reason;
        after.author = why.author;
        after.since = after.since == CivilMs{} || before.remove ? fleet.now : after.since;
    }
    after.admission = Admission::listed;
    after.pool = node.pool;
    after.remove = false;
    std::string detail = before.remove ? "it stays listed; it is still draining" : "";
    if (before.pool != after.pool) {
        detail += (detail.empty() ? "" : "; ") + describe_pool(before.pool) + " -> " +
                  describe_pool(after.pool);
    }
    note_change(before, std::move(after), "add", written, detail);
}

/// In the order of names, because ordered containers then grow fastest.
Result<IntentChanges> list_names(const Result<NamedNodes>& named, const Occasion& why,
                                 const FleetView& fleet) {
    return named.and_then([&](const NamedNodes& nodes) {
        return check(why).map([&] {
            IntentChanges written;
            written.rows().reserve(nodes.size());
            written.reply.changes.reserve(nodes.size());
            for (const ListedNode* node : nodes) {
                list_name(*node, why, fleet, written);
            }
            return written;
        });
    });
}

/// Sets one intent for all nodes that match.
Result<Answered> change_intent(const std::string& pattern, const Occasion& why, Intent intent,
                               std::string_view action, const FleetView& fleet) {
    return as_answered(
        change_each(pattern, why, fleet, [&](const StoredIntent& before, IntentChanges& written) {
            note_change(before, wanting(before, intent, why, fleet), action, written);
        }));
}

}  // namespace

Result<Answered> change_of(const NodeOfflineRequest& request, const FleetView& fleet) {
    return change_intent(request.pattern, request.why, Intent::offline, "offline", fleet);
}

Result<Answered> change_of(const NodeOnlineRequest& request, const FleetView& fleet) {
    return change_intent(request.pattern, request.why, Intent::active, "online", fleet);
}

Result<Answered> change_of(const NodeDrainRequest& request, const FleetView& fleet) {
    const auto most = static_cast<std::uint64_t>(to_ms(longest_drain));
    if (request.deadline_ms > most) {
        return fail(Errc::invalid, "the deadline is " + std::to_string(request.deadline_ms) +
                                       " ms from now; it is at most a year (" +
                                       std::to_string(most) + "), or 0 for none");
    }
    const auto change = [&](const StoredIntent& before, IntentChanges& written) {
        StoredIntent after = wanting(before, Intent::draining, request.why, fleet);
        after.deadline = request.deadline_ms == 0
                             ? CivilMs{}
                             : static_cast<CivilMs>(raw(fleet.now) +
                                                    static_cast<std::int64_t>(request.deadline_ms));
        after.force = request.force;
        after.remove = before.remove;
        const std::string_view dropped = dropped_by(before, after);
        note_change(before, std::move(after), "drain", written, dropped);
    };
    return complete_intents(change_each(request.pattern, request.why, fleet, change), request.force,
                            fleet);
}

Result<Answered> change_of(const NodeAddRequest& request, const FleetView& fleet) {
    return complete_intents(list_names(read_list(request.nodes), request.why, fleet), true, fleet);
}

Result<Answered> change_of(const NodeRemoveRequest& request, const FleetView& fleet) {
    const auto change = [&](const StoredIntent& before, IntentChanges& written) {
        remove_name(before, request.force, request.why, fleet, written);
    };
    return complete_intents(change_each(request.pattern, request.why, fleet, change), request.force,
                            fleet);
}

Result<Answered> change_of(const NodeApplyRequest& request, const FleetView& fleet) {
    const auto named = read_list(request.nodes);
    auto written = list_names(named, request.why, fleet);
    if (!written) {
        return tl::unexpected{written.error()};
    }
    for (const std::string& name : node_names(fleet)) {
        if (!std::ranges::binary_search(*named, name, {}, &ListedNode::name)) {
            remove_name(fleet.intents.proposed(name), request.force, request.why, fleet, *written);
        }
    }
    return complete_intents(std::move(written), request.force, fleet);
}

}  // namespace muster::coordinator
