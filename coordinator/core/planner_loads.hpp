#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/ids.hpp"

namespace muster {

/// The serving nodes by load, and those of one load by name; loads of other nodes are kept too.
///
/// One bit set over the ranks (positions by name) for each load, each with a summary of its words:
/// the next node of a load is found in a few steps at 20,000 nodes, and one more or less is two
/// bits. Ranks, not indices, so that the order in which nodes came does not reach the plan.
///
/// Pure. Owned by the planner.
class Loads {
public:
    /// The set of serving nodes is now this, in the order of names.
    void set_serving(const std::vector<NodeIndex>& by_name);

    void add(NodeIndex node);
    void remove(NodeIndex node);

    [[nodiscard]] std::uint32_t of(NodeIndex node) const {
        return raw(node) < load_.size() ? load_[raw(node)] : 0;
    }
    [[nodiscard]] std::size_t serving() const { return nodes_.size(); }
    [[nodiscard]] bool is_serving(NodeIndex node) const { return rank(node) != no_rank; }
    /// Of the serving nodes; there is at least one.
    [[nodiscard]] std::uint32_t least() const { return least_; }
    [[nodiscard]] std::uint32_t most() const { return most_; }
    [[nodiscard]] bool is_even() const { return nodes_.empty() || most_ - least_ <= 1; }
    /// Load of all serving nodes together.
    [[nodiscard]] std::uint64_t sum() const { return sum_; }
    [[nodiscard]] std::uint32_t rank(NodeIndex node) const {
        return raw(node) < rank_.size() ? rank_[raw(node)] : no_rank;
    }
    /// All serving nodes of one load, by name.
    [[nodiscard]] std::vector<NodeIndex> with(std::uint32_t load) const;

    /// Where a search from the least loaded on stands. Between two steps the node found may be
    /// given more, but no node may be given less.
    struct Cursor {
        std::uint32_t load = 0;
        std::uint32_t rank = 0;
    };
    /// The next node that fits, in the order of load, then name.
    template <class Fits>
    [[nodiscard]] std::optional<NodeIndex> next(Cursor& cursor, const Fits& fits) const;

private:
    static constexpr std::uint32_t no_rank = ~std::uint32_t{0};
    static constexpr std::uint32_t word_bits = 64;

    struct Level {
        std::vector<std::uint64_t> words;
        std::vector<std::uint64_t> summary;  // A bit for each word that is not 0.
        std::uint32_t count = 0;
    };

    void insert(std::uint32_t load, std::uint32_t at);
    void erase(std::uint32_t load, std::uint32_t at);
    void find_ends();
    /// The first rank of the load at or after `from`.
    [[nodiscard]] std::uint32_t next_rank(std::uint32_t load, std::uint32_t from) const;

    std::vector<std::uint32_t> load_;  // By NodeIndex.
    std::vector<std::uint32_t> rank_;  // By NodeIndex.
    std::vector<NodeIndex> nodes_;     // By rank.
    std::vector<Level> levels_;        // By load.
    std::uint32_t least_ = 0;
    std::uint32_t most_ = 0;
    std::uint64_t sum_ = 0;
};

template <class Fits>
std::optional<NodeIndex> Loads::next(Cursor& cursor, const Fits& fits) const {
    if (cursor.load < least_) {
        cursor = {least_, 0};
    }
    while (!nodes_.empty() && cursor.load <= most_) {
        const std::uint32_t found = next_rank(cursor.load, cursor.rank);
        if (found == no_rank) {
            cursor = {cursor.load + 1, 0};
            continue;
        }
        cursor.rank = found + 1;
        if (fits(nodes_[found])) {
            return nodes_[found];
        }
    }
    return std::nullopt;
}

}  // namespace muster
