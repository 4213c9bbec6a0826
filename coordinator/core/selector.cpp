#include "coordinator/core/selector.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "common/limits.hpp"
#include "common/nearest.hpp"
#include "common/pattern.hpp"
#include "common/placement.hpp"

namespace muster {

namespace {

std::string in_quotes(std::string_view text) {
    return '\'' + std::string{text.substr(0, limits::name_bytes)} + '\'';
}

}  // namespace

Result<std::vector<NodeIndex>> select_nodes(const Placements& placements,
                                            std::string_view selector) {
    const auto equals = selector.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        return fail(Errc::invalid, in_quotes(selector) +
                                       " selects no node; write node=n7, "
                                       "node='web-*' or, of a label, rack=r3");
    }
    const auto key = selector.substr(0, equals);
    const auto wish = selector.substr(equals + 1);
    // Values of labels have letters that no pattern has.
    if (const auto sound = pattern::check(wish); !sound && !is_valid_label_value(wish)) {
        return tl::unexpected{sound.error()};
    }
    if (auto unknown = unknown_label(placements, key)) {
        return tl::unexpected{*std::move(unknown)};
    }
    std::vector<NodeIndex> selected;
    for (const NodeIndex node : placements.by_name()) {
        std::string_view value = placements.node_name(node);
        if (key != node_key) {
            const auto& labels = placements.offer(node).labels;
            const auto label = labels.find(std::string{key});
            if (label == labels.end()) {
                continue;
            }
            value = label->second;
        }
        if (wish == value || pattern::matches(wish, value)) {
            selected.push_back(node);
        }
    }
    if (selected.empty()) {
        return fail(Errc::not_found,
                    "no node has " + in_quotes(selector) + "; see 'muster node list'");
    }
    return selected;
}

std::optional<Error> unknown_label(const Placements& placements, std::string_view key) {
    const auto& nodes = placements.by_name();
    const auto has_it = [&, label = std::string{key}](NodeIndex node) {
        return placements.offer(node).labels.contains(label);
    };
    if (nodes.empty() || key == node_key || std::ranges::any_of(nodes, has_it)) {
        return std::nullopt;
    }
    std::set<std::string_view> keys{node_key};
    for (const NodeIndex node : nodes) {
        for (const auto& [label, value] : placements.offer(node).labels) {
            keys.insert(label);
        }
    }
    const std::vector<std::string_view> known{keys.begin(), keys.end()};
    const auto near = nearest(key, known);
    std::string list;
    for (const std::string_view one : near.empty() ? known : near) {
        list += (list.empty() ? "" : ", ") + std::string{one};
    }
    return Error{Errc::invalid, "no node has a label " + in_quotes(key) +
                                    (near.empty() ? "; there are " : "; near it: ") + list};
}

}  // namespace muster
