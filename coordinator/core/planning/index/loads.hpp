#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "coordinator/core/nodes/node_set.hpp"
#include "coordinator/core/workload/by_index.hpp"

namespace muster::coordinator {

/// The serving nodes by load, then name. Loads of other nodes are kept too.
///
/// All known nodes have ranks, so a node that begins or ceases to serve changes one bit. Ranks
/// change only when a name is added or removed.
///
/// Owned by the planner.
class Loads {
public:
    /// These are now all known nodes, in the order of names. A known node that served still serves.
    void set_nodes(std::span<const NodeIndex> by_name);
    void set_serving(NodeIndex node, bool serving);

    void add(NodeIndex node);
    void remove(NodeIndex node);

    [[nodiscard]] std::uint32_t of(NodeIndex node) const {
        return raw(node) < facts_.size() ? facts_[raw(node)].load : 0;
    }
    /// How many nodes serve.
    [[nodiscard]] std::size_t serving() const { return serving_; }
    [[nodiscard]] bool is_serving(NodeIndex node) const {
        return raw(node) < facts_.size() && facts_[raw(node)].serving;
    }
    /// Over the serving nodes, of which there must be one.
    [[nodiscard]] std::uint32_t least() const { return least_; }
    [[nodiscard]] std::uint32_t most() const { return most_; }
    [[nodiscard]] bool is_even() const { return serving_ == 0 || most_ - least_ <= 1; }
    /// The load of all serving nodes together.
    [[nodiscard]] std::uint64_t sum() const { return sum_; }
    /// Grows whenever the load of a serving node falls, or another node serves. Only then can a
    /// search find more than before.
    [[nodiscard]] std::uint64_t falls() const { return falls_; }

    /// How many nodes are known.
    [[nodiscard]] std::size_t known() const { return nodes_.size(); }
    [[nodiscard]] Rank rank(NodeIndex node) const {
        return raw(node) < facts_.size() ? facts_[raw(node)].rank : no_rank;
    }
    [[nodiscard]] NodeIndex at(Rank rank) const { return nodes_[rank]; }
    /// All serving nodes of one load, by name.
    [[nodiscard]] std::vector<NodeIndex> with(std::uint32_t load) const;

    /// The position of a search that begins with the least loaded node. Between two steps the load
    /// of the found node may rise, but no load may fall.
    struct Cursor {
        std::uint32_t load = 0;
        Rank rank = 0;
        std::uint32_t most = ~std::uint32_t{0};  ///< Nodes with a higher load are skipped.

        friend bool operator<(const Cursor& a, const Cursor& b) {
            return a.load != b.load ? a.load < b.load : a.rank < b.rank;
        }
    };
    /// The next node that fits, in the order of load, then name.
    [[nodiscard]] std::optional<NodeIndex> next(Cursor& cursor, const auto& fits) const {
        return search(
            cursor, [](const NodeSet& level, Rank from) { return level.next(from); }, fits);
    }
    /// The next node that fits and is in each of the sets.
    [[nodiscard]] std::optional<NodeIndex> next(Cursor& cursor,
                                                std::span<const NodeSet* const> among,
                                                const auto& fits) const {
        return search(
            cursor, [&](const NodeSet& level, Rank from) { return level.next(from, among); }, fits);
    }

private:
    friend struct CoreFields;

    struct Facts {
        std::uint32_t load = 0;
        Rank rank = no_rank;
        bool serving = false;
    };

    Facts& facts(NodeIndex node) { return made_at(facts_, node); }
    void insert(std::uint32_t load, Rank at);
    void find_ends();
    [[nodiscard]] std::optional<NodeIndex> search(Cursor& cursor, const auto& next_rank,
                                                  const auto& fits) const;

    std::vector<Facts> facts_;      // By NodeIndex.
    std::vector<NodeIndex> nodes_;  // By rank.
    std::vector<NodeSet> levels_;   // By load: the serving nodes.
    std::size_t serving_ = 0;
    std::uint32_t least_ = 0;
    std::uint32_t most_ = 0;
    std::uint64_t sum_ = 0;
    std::uint64_t falls_ = 0;
};

// Inline: placing calls them for each instance.
inline void Loads::insert(std::uint32_t load, Rank at) {
    while (load >= levels_.size()) {
        levels_.emplace_back(nodes_.size());
    }
    levels_[load].set(at);
}

inline void Loads::add(NodeIndex node) {
    Facts& of = facts(node);
    const std::uint32_t load = of.load++;
    if (!of.serving) {
        return;
    }
    levels_[load].reset(of.rank);
    insert(load + 1, of.rank);
    sum_ += 1;
    most_ = std::max(most_, load + 1);
    if (load == least_ && levels_[load].empty()) {
        least_ = load + 1;
    }
}

std::optional<NodeIndex> Loads::search(Cursor& cursor, const auto& next_rank,
                                       const auto& fits) const {
    if (cursor.load < least_) {
        cursor.load = least_;
        cursor.rank = 0;
    }
    while (serving_ > 0 && cursor.load <= std::min(most_, cursor.most)) {
        const Rank found = next_rank(levels_[cursor.load], cursor.rank);
        if (found == no_rank) {
            cursor.load += 1;
            cursor.rank = 0;
            continue;
        }
        cursor.rank = found + 1;
        if (fits(nodes_[found])) {
            return nodes_[found];
        }
    }
    return std::nullopt;
}

}  // namespace muster::coordinator
