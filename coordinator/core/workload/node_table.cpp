#include "coordinator/core/workload/node_table.hpp"

#include <algorithm>

#include "common/base/ensure.hpp"
#include "coordinator/core/workload/by_index.hpp"

namespace muster::coordinator {

void NodeTable::add(NodeIndex index, std::string_view name) {
    Entry& node = made_at(nodes_, index);
    ensure(!node.present, "a node is added once");
    if (names_gone_) {
        sort_names();  // The slot may have belonged to a removed node.
    }
    node = Entry{};
    node.name = name;
    node.present = true;
    by_name_.push_back(index);
    ++names_version_;
    offered_.push_back(index);
}

void NodeTable::remove(NodeIndex index) {
    Entry& node = at(index);
    ensure(!node.counted && !node.evacuation, "a removed node does not count");
    names_gone_ = true;
    ++names_version_;
    offered_.push_back(index);
    node = Entry{};
}

void NodeTable::mark_all_new() {
    const auto all = by_name();
    flipped_.assign(all.begin(), all.end());
    offered_ = flipped_;
    for (Entry& node : nodes_) {
        node.flipped = node.present;
    }
}

std::span<const NodeIndex> NodeTable::by_name() const {
    if (names_gone_ || names_sorted_ < by_name_.size()) {
        sort_names();
    }
    return by_name_;
}

void NodeTable::sort_names() const {
    const auto is_before = [&](NodeIndex left, NodeIndex right) {
        return nodes_[raw(left)].name < nodes_[raw(right)].name;
    };
    const auto middle = [&] {
        return by_name_.begin() + static_cast<std::ptrdiff_t>(names_sorted_);
    };
    if (std::exchange(names_gone_, false)) {
        const auto is_gone = [&](NodeIndex node) { return !nodes_[raw(node)].present; };
        const auto gone = std::count_if(by_name_.begin(), middle(), is_gone);
        std::erase_if(by_name_, is_gone);
        names_sorted_ -= static_cast<std::size_t>(gone);
    }
    if (!std::is_sorted(middle(), by_name_.end(), is_before)) {
        std::sort(middle(), by_name_.end(), is_before);
    }
    std::inplace_merge(by_name_.begin(), middle(), by_name_.end(), is_before);
    names_sorted_ = by_name_.size();
}

bool NodeTable::set_evacuating(NodeIndex node, std::optional<Evacuation> why) {
    const auto before = std::exchange(at(node).evacuation, why);
    evacuating_ += why ? 1U : 0U;
    evacuating_ -= before ? 1U : 0U;
    return before != why;
}

bool NodeTable::set_offer(NodeIndex node, const Offer& offer) {
    if (this->offer(node) == offer) {
        return false;
    }
    at(node).offer = offer == Offer{} ? Boxed<Offer>{} : Boxed{offer};
    offered_.push_back(node);
    return true;
}

bool NodeTable::set(NodeIndex index, bool Entry::*fact, bool value) {
    Entry& node = at(index);
    const bool took_starts = node.takes_starts();
    if (std::exchange(node.*fact, value) == value) {
        return false;
    }
    if (node.takes_starts() != took_starts && !std::exchange(node.flipped, true)) {
        flipped_.push_back(index);
    }
    return true;
}

const Offer& NodeTable::offer(NodeIndex node) const {
    static const Offer like_any_other;
    const Entry& of = at(node);
    return of.offer ? *of.offer : like_any_other;
}

std::vector<NodeIndex> NodeTable::take_flipped() {
    for (const NodeIndex node : flipped_) {
        nodes_[raw(node)].flipped = false;
    }
    return std::exchange(flipped_, {});
}

// The container checks the index itself.
NodeTable::Entry& NodeTable::at(NodeIndex node) {
    Entry& entry = nodes_[raw(node)];
    ensure(entry.present, "the node was added");
    return entry;
}

const NodeTable::Entry& NodeTable::at(NodeIndex node) const {
    const Entry& entry = nodes_[raw(node)];
    ensure(entry.present, "the node was added");
    return entry;
}

}  // namespace muster::coordinator
