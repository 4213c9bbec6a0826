#include "coordinator/core/planning/index/loads.hpp"

#include "common/base/ensure.hpp"

namespace muster::coordinator {

void Loads::set_nodes(std::span<const NodeIndex> by_name) {
    for (const NodeIndex node : nodes_) {
        facts(node).rank = no_rank;
    }
    nodes_.assign(by_name.begin(), by_name.end());
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
        facts(nodes_[at]).rank = static_cast<Rank>(at);
    }
    levels_.clear();
    serving_ = 0;
    least_ = most_ = 0;
    sum_ = 0;
    for (Facts& node : facts_) {
        node.serving = node.serving && node.rank != no_rank;
        if (node.serving) {
            insert(node.load, node.rank);
            serving_ += 1;
            sum_ += node.load;
        }
    }
    most_ = levels_.empty() ? 0 : static_cast<std::uint32_t>(levels_.size() - 1);
    find_ends();
    ++falls_;
}

void Loads::set_serving(NodeIndex node, bool serving) {
    Facts& of = facts(node);
    if (of.serving == serving) {
        return;
    }
    ensure(of.rank != no_rank, "only a known node serves");
    of.serving = serving;
    if (!serving) {
        levels_[of.load].reset(of.rank);
        serving_ -= 1;
        sum_ -= of.load;
        find_ends();
        return;
    }
    ++falls_;
    insert(of.load, of.rank);
    least_ = serving_ == 0 ? of.load : std::min(least_, of.load);
    most_ = serving_ == 0 ? of.load : std::max(most_, of.load);
    serving_ += 1;
    sum_ += of.load;
}

void Loads::find_ends() {
    if (serving_ == 0) {
        least_ = most_ = 0;
        return;
    }
    while (levels_[least_].empty()) {
        ++least_;
    }
    while (levels_[most_].empty()) {
        --most_;
    }
}

void Loads::remove(NodeIndex node) {
    Facts& of = facts(node);
    ensure(of.load > 0, "a load is not taken from where there is none");
    const std::uint32_t load = of.load--;
    if (!of.serving) {
        return;
    }
    ++falls_;
    levels_[load].reset(of.rank);
    insert(load - 1, of.rank);
    sum_ -= 1;
    least_ = std::min(least_, load - 1);
    if (load == most_ && levels_[load].empty()) {
        most_ = load - 1;
    }
}

std::vector<NodeIndex> Loads::with(std::uint32_t load) const {
    std::vector<NodeIndex> found;
    if (load < levels_.size()) {
        const NodeSet& level = levels_[load];
        for (Rank at = level.next(0); at != no_rank; at = level.next(at + 1)) {
            found.push_back(nodes_[at]);
        }
    }
    return found;
}

}  // namespace muster::coordinator
