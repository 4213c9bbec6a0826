#include "coordinator/core/planner_loads.hpp"

#include <algorithm>

#include "common/ensure.hpp"

namespace muster {

void Loads::set_serving(const std::vector<NodeIndex>& by_name) {
    std::ranges::fill(rank_, no_rank);
    nodes_ = by_name;
    levels_.clear();
    least_ = most_ = 0;
    sum_ = 0;
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
        const std::size_t node = raw(nodes_[at]);
        if (node >= rank_.size()) {
            rank_.resize(node + 1, no_rank);
        }
        if (node >= load_.size()) {
            load_.resize(node + 1);
        }
        rank_[node] = static_cast<std::uint32_t>(at);
    }
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
        insert(load_[raw(nodes_[at])], static_cast<std::uint32_t>(at));
        sum_ += load_[raw(nodes_[at])];
    }
    find_ends();
}

void Loads::find_ends() {
    if (nodes_.empty()) {
        return;
    }
    const auto has_nodes = [](const Level& level) { return level.count > 0; };
    const auto first = std::ranges::find_if(levels_, has_nodes);
    least_ = static_cast<std::uint32_t>(first - levels_.begin());
    most_ = static_cast<std::uint32_t>(levels_.size() - 1);
    while (levels_[most_].count == 0) {
        --most_;
    }
}

void Loads::add(NodeIndex node) {
    if (raw(node) >= load_.size()) {
        load_.resize(std::size_t{raw(node)} + 1);
    }
    const std::uint32_t load = load_[raw(node)]++;
    const std::uint32_t at = rank(node);
    if (at == no_rank) {
        return;
    }
    erase(load, at);
    insert(load + 1, at);
    sum_ += 1;
    most_ = std::max(most_, load + 1);
    if (load == least_ && levels_[load].count == 0) {
        least_ = load + 1;
    }
}

void Loads::remove(NodeIndex node) {
    ensure(of(node) > 0, "a load is not taken from where there is none");
    const std::uint32_t load = load_[raw(node)]--;
    const std::uint32_t at = rank(node);
    if (at == no_rank) {
        return;
    }
    erase(load, at);
    insert(load - 1, at);
    sum_ -= 1;
    least_ = std::min(least_, load - 1);
    if (load == most_ && levels_[load].count == 0) {
        most_ = load - 1;
    }
}

std::vector<NodeIndex> Loads::with(std::uint32_t load) const {
    std::vector<NodeIndex> found;
    if (load < levels_.size()) {
        for (std::uint32_t at = next_rank(load, 0); at != no_rank; at = next_rank(load, at + 1)) {
            found.push_back(nodes_[at]);
        }
    }
    return found;
}

void Loads::insert(std::uint32_t load, std::uint32_t at) {
    while (load >= levels_.size()) {
        const std::size_t words = nodes_.size() / word_bits + 1;
        Level level;
        level.words.resize(words);
        level.summary.resize(words / word_bits + 1);
        levels_.push_back(std::move(level));
    }
    Level& level = levels_[load];
    const std::uint32_t word = at / word_bits;
    level.words[word] |= std::uint64_t{1} << (at % word_bits);
    level.summary[word / word_bits] |= std::uint64_t{1} << (word % word_bits);
    level.count += 1;
}

void Loads::erase(std::uint32_t load, std::uint32_t at) {
    Level& level = levels_[load];
    const std::uint32_t word = at / word_bits;
    level.words[word] &= ~(std::uint64_t{1} << (at % word_bits));
    if (level.words[word] == 0) {
        level.summary[word / word_bits] &= ~(std::uint64_t{1} << (word % word_bits));
    }
    level.count -= 1;
}

std::uint32_t Loads::next_rank(std::uint32_t load, std::uint32_t from) const {
    const Level& level = levels_[load];
    std::uint32_t word = from / word_bits;
    if (level.count == 0 || word >= level.words.size()) {
        return no_rank;
    }
    std::uint64_t bits = level.words[word] & (~std::uint64_t{0} << (from % word_bits));
    if (bits == 0) {
        ++word;
        std::uint32_t group = word / word_bits;
        if (group >= level.summary.size()) {
            return no_rank;
        }
        std::uint64_t words = level.summary[group] & (~std::uint64_t{0} << (word % word_bits));
        while (words == 0) {
            if (++group >= level.summary.size()) {
                return no_rank;
            }
            words = level.summary[group];
        }
        word = group * word_bits + static_cast<std::uint32_t>(std::countr_zero(words));
        bits = level.words[word];
    }
    return word * word_bits + static_cast<std::uint32_t>(std::countr_zero(bits));
}

}  // namespace muster
