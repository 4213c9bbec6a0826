#include "coordinator/core/operators/intent_checks.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "common/base/limits.hpp"
#include "common/text/utf8.hpp"
#include "coordinator/core/queries/matching.hpp"

namespace muster::coordinator {

namespace {

Result<void> check_text(std::string_view field, const std::string& text) {
    if (text.size() > limits::detail_bytes) {
        return fail(Errc::invalid, "the " + std::string{field} + " has " +
                                       std::to_string(text.size()) + " bytes; at most " +
                                       std::to_string(limits::detail_bytes) + " are kept");
    }
    std::string_view rest = text;
    while (const auto bytes = character_bytes(rest)) {
        rest.remove_prefix(bytes);
    }
    return rest.empty() ? Result<void>{}
                        : fail(Errc::invalid,
                               "the " + std::string{field} +
                                   " has control characters, for example marks of the direction "
                                   "of writing, or bytes that are not UTF-8; it is "
                                   "one line of text");
}

/// The nodes of a pool that may get work.
struct Workforce {
    std::string leaves;  ///< One of the nodes that a change takes away.
    std::size_t leave = 0;
    std::size_t stay = 0;
};

std::string pool_of(NodeIndex index, const StoredIntent& row, const FleetView& fleet) {
    return row.pool.empty() ? fleet.pools.without_list(index) : row.pool;
}

}  // namespace

bool is_node(const std::string& name, const FleetView& fleet) {
    const auto index = fleet.nodes.find(name);
    return index ? !fleet.nodes[*index].forgetting && !is_removed(fleet.intents, name)
                 : fleet.intents.proposed(name).admission == Admission::listed;
}

std::vector<std::string> node_names(const FleetView& fleet) {
    std::vector<std::string> names;
    for (const NodeIndex index : fleet.nodes.by_name()) {
        const Node& node = fleet.nodes[index];
        if (!node.forgetting && !is_removed(fleet.intents, node.name)) {
            names.push_back(node.name);
        }
    }
    const auto known = static_cast<std::ptrdiff_t>(names.size());
    each_coming(fleet.intents, [&](const std::string& name) {
        if (!fleet.nodes.find(name)) {
            names.push_back(name);
        }
    });
    std::ranges::inplace_merge(names, names.begin() + known);
    return names;
}

Result<std::vector<std::string>> nodes_matching(const std::string& pattern,
                                                const FleetView& fleet) {
    if (is_valid_name(pattern) && is_node(pattern, fleet)) {
        return std::vector{pattern};
    }
    auto matching = names_matching(pattern, node_names(fleet));
    if (!matching || !matching->empty()) {
        return matching;
    }
    const bool was_removed = is_removed(fleet.intents, pattern);
    return fail(Errc::not_found, was_removed
                                     ? "node '" + pattern + "' was removed; 'muster node add " +
                                           pattern + "' lets it join again"
                                     : "no node matches '" + pattern + "'; see 'muster node list'");
}

Result<NamedNodes> read_list(const std::vector<ListedNode>& nodes) {
    NamedNodes named;
    named.reserve(nodes.size());
    if (nodes.size() > limits::nodes) {
        return fail(Errc::too_large, std::to_string(nodes.size()) + " nodes are named; at most " +
                                         std::to_string(limits::nodes) + " are possible");
    }
    for (const ListedNode& node : nodes) {
        if (!is_valid_name(node.name) || (!node.pool.empty() && !is_valid_name(node.pool))) {
            const bool is_name = !is_valid_name(node.name);
            return fail(Errc::invalid, std::string{is_name ? "no node" : "no pool"} +
                                           " can be called '" + (is_name ? node.name : node.pool) +
                                           "'; " + std::string{name_rule()});
        }
        named.push_back(&node);
    }
    if (!std::ranges::is_sorted(named, {}, &ListedNode::name)) {  // Most files are sorted.
        std::ranges::sort(named, {}, &ListedNode::name);
    }
    const auto twice = std::ranges::adjacent_find(named, {}, &ListedNode::name);
    if (twice != named.end()) {
        return fail(Errc::invalid, "node '" + (*twice)->name + "' is named twice; name it once");
    }
    return named;
}

Result<void> check(const Occasion& why) {
    auto sound = check_text("reason", why.reason);
    return sound ? check_text("author", why.author) : sound;
}

Result<void> check_count(std::ptrdiff_t grows_by, const FleetView& fleet) {
    const std::size_t joiners = fleet.nodes.count() - fleet.intents.count().listed;
    const std::size_t known = joiners + fleet.intents.count_soon().listed;
    const auto after = static_cast<std::ptrdiff_t>(known) + grows_by;
    return grows_by <= 0 || after <= static_cast<std::ptrdiff_t>(limits::nodes)
               ? Result<void>{}
               : fail(Errc::too_large, "there would be " + std::to_string(after) +
                                           " nodes; at most " + std::to_string(limits::nodes) +
                                           " are possible");
}

Result<void> check_pools(const Change& change, const FleetView& fleet) {
    const auto& removed = change.of<StoredNode>().erased;
    std::set<std::string_view> leaving{removed.begin(), removed.end()};
    for (const Shared<StoredIntent>& row : change.of<StoredIntent>().put) {
        if (row->intent != Intent::active) {
            leaving.insert(row->name);
        }
    }
    if (leaving.empty()) {
        return {};
    }
    std::map<std::string_view, const StoredIntent*> rows;
    for (const Shared<StoredIntent>& row : change.of<StoredIntent>().put) {
        rows.emplace(row->name, &*row);
    }
    std::map<std::string, Workforce> pools;
    for (const NodeIndex index : fleet.nodes.by_name()) {
        const std::string& name = fleet.nodes[index].name;
        const StoredIntent before = fleet.intents.proposed(name);
        if (before.intent != Intent::active || is_lost(fleet.nodes[index]) ||
            is_removed(fleet.intents, name)) {
            continue;
        }
        if (leaving.contains(name)) {
            Workforce& pool = pools[pool_of(index, before, fleet)];
            pool.leaves = name;
            ++pool.leave;
        } else {
            const auto row = rows.find(name);
            ++pools[pool_of(index, row == rows.end() ? before : *row->second, fleet)].stay;
        }
    }
    for (const auto& [name, pool] : pools) {
        if (!pool.leaves.empty() && pool.stay == 0) {
            return fail(
                Errc::refused,
                (pool.leave == 1
                     ? pool.leaves + " is the last node of pool '" + name + "' that gets work"
                     : "these are all " + std::to_string(pool.leave) + " nodes of pool '" + name +
                           "' that get work") +
                    "; --force allows it: a drain then "
                    "stops instances that no other node can run, a removal keeps them running");
        }
    }
    return {};
}

}  // namespace muster::coordinator
