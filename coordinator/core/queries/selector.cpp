#include "coordinator/core/queries/selector.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "common/spec/placement.hpp"
#include "common/text/pattern.hpp"
#include "common/text/suggestions.hpp"
#include "coordinator/core/queries/matching.hpp"

namespace muster::coordinator {

namespace {

/// The cost of reading one label of a node, in steps of a pattern.
constexpr std::uint64_t steps_of_label = 8;

// Bounds of the suggestions for a mistyped label: common labels are within these.
constexpr std::size_t nodes_asked = 10'000;
constexpr std::size_t labels_known = 1'000;
constexpr std::size_t words_named = 20;

/// Selectors by key, each once.
using Selectors = std::map<std::string_view, std::set<std::string_view>>;

Result<Selectors> parse_selectors(std::span<const std::string> selectors) {
    Selectors parsed;
    for (const std::string_view selector : selectors) {
        const auto equals = selector.find('=');
        if (equals == std::string_view::npos || equals == 0) {
            return fail(Errc::invalid, in_quotes(selector) +
                                           " selects no node; write node=n7, "
                                           "node='web-*' or, of a label, rack=r3");
        }
        const auto wanted = selector.substr(equals + 1);
        // Values of labels may have letters that no pattern may have.
        if (const auto sound = pattern::check(wanted); !sound && !is_valid_label_value(wanted)) {
            return tl::unexpected{sound.error()};
        }
        parsed[selector.substr(0, equals)].insert(wanted);
    }
    return parsed;
}

/// The nodes' values of a label, or their names.
Words words_of(const Placements& placements, std::string_view key) {
    std::vector<Words::Word> words;
    const std::string label{key};
    for (const NodeIndex node : placements.nodes().by_name()) {
        if (key == node_key) {
            words.push_back({placements.nodes().name(node), raw(node)});
            continue;
        }
        const auto& labels = placements.nodes().offer(node).labels;
        if (const auto found = labels.find(label); found != labels.end()) {
            words.push_back({found->second, raw(node)});
        }
    }
    return Words{std::move(words)};
}

/// `what`, with similar known words, or the first known words.
Error unknown_word(std::string what, std::string_view word, std::string_view plural,
                   const std::set<std::string_view>& words) {
    const std::vector<std::string_view> known{words.begin(), words.end()};
    const auto near = suggestions(word, known);
    const auto& shown = near.empty() ? known : near;
    const std::span first{shown.begin(), std::min(shown.size(), words_named)};
    return Error{Errc::invalid, std::move(what) +
                                    (near.empty() ? "; the " + std::string{plural} + " are "
                                                  : std::string{"; did you mean "}) +
                                    joined(first, ", ") +
                                    (shown.size() > words_named ? " and more" : "") +
                                    (near.empty() ? "" : "?")};
}

std::set<std::string_view> known_labels(const Placements& placements) {
    std::set<std::string_view> keys{node_key};
    const auto& nodes = placements.nodes().by_name();
    for (const NodeIndex node : nodes.subspan(0, std::min(nodes.size(), nodes_asked))) {
        for (const auto& [label, value] : placements.nodes().offer(node).labels) {
            if (keys.size() < labels_known) {
                keys.insert(label);
            }
        }
    }
    return keys;
}

}  // namespace

Result<std::set<NodeIndex>> select_nodes(const Placements& placements,
                                         std::span<const std::string> selectors) {
    const auto parsed = parse_selectors(selectors);
    if (!parsed) {
        return tl::unexpected{parsed.error()};
    }
    std::set<NodeIndex> selected;
    std::uint64_t steps = 0;
    for (const auto& [key, of_key] : *parsed) {
        steps += key == node_key ? 0 : steps_of_label * placements.nodes().by_name().size();
        if (const auto affordable = check_steps(steps); !affordable) {
            return tl::unexpected{affordable.error()};
        }
        const Words words = words_of(placements, key);
        if (auto unknown = words.empty() ? unknown_label(placements, key) : std::nullopt) {
            return tl::unexpected{*std::move(unknown)};
        }
        for (const std::string_view wanted : of_key) {
            const auto found = words.find(wanted, steps);
            if (!found) {
                return tl::unexpected{found.error()};
            }
            if (found->empty()) {
                return fail(Errc::not_found,
                            "no node has " +
                                in_quotes(std::string{key} + '=' + std::string{wanted}) +
                                "; see 'muster node list'");
            }
            for (const std::uint32_t node : *found) {
                selected.insert(NodeIndex{node});
            }
        }
    }
    return selected;
}

std::optional<Error> unknown_label(const Placements& placements, std::string_view key) {
    const auto& nodes = placements.nodes().by_name();
    const auto has_it = [&, label = std::string{key}](NodeIndex node) {
        return placements.nodes().offer(node).labels.contains(label);
    };
    if (nodes.empty() || key == node_key || std::ranges::any_of(nodes, has_it)) {
        return std::nullopt;
    }
    return unknown_word("no node has a label " + in_quotes(key), key, "labels",
                        known_labels(placements));
}

std::optional<Error> unknown_pool(const Placements& placements, std::string_view pool) {
    std::set<std::string_view> pools;
    for (const NodeIndex node : placements.nodes().by_name()) {
        const std::string_view known = placements.nodes().offer(node).pool;
        if (known == pool) {
            return std::nullopt;
        }
        if (pools.size() < labels_known) {
            pools.insert(known);
        }
    }
    return pools.empty() ? std::nullopt
                         : std::optional{unknown_word("no node is in pool " + in_quotes(pool), pool,
                                                      "pools", pools)};
}

}  // namespace muster::coordinator
