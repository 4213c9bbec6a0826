#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/boxed.hpp"
#include "common/spec/placement.hpp"
#include "coordinator/core/workload/order.hpp"

namespace muster::coordinator {

/// What copies and the planner have to know of nodes: their names in order, who gets instances,
/// who gets orders, whose copies count, who is to be left, and what each offers.
///
/// A setter says whether it changed anything: the tasks that the node runs are then to be planned
/// again. Owned by Placements, which alone changes it.
class NodeTable {
public:
    /// A new node is not serving and not commandable, but counted. Names are unique.
    void add(NodeIndex index, std::string_view name);
    /// Its record ends. It counts no more, and is not to be left.
    void remove(NodeIndex index);
    /// As if all nodes had just come.
    void mark_all_new();

    [[nodiscard]] bool set_serving(NodeIndex node, bool serving) {
        return set(node, &Entry::serving, serving);
    }
    [[nodiscard]] bool set_commandable(NodeIndex node, bool commandable) {
        return set(node, &Entry::commandable, commandable);
    }
    [[nodiscard]] bool set_counted(NodeIndex node, bool counted) {
        return set(node, &Entry::counted, counted);
    }
    [[nodiscard]] bool set_evacuating(NodeIndex node, std::optional<Evacuation> why);
    [[nodiscard]] bool set_offer(NodeIndex node, const Offer& offer);

    [[nodiscard]] bool is_known(NodeIndex node) const {
        return raw(node) < nodes_.size() && nodes_[raw(node)].present;
    }
    /// Serving, and commandable: it gets starts.
    [[nodiscard]] bool is_serving(NodeIndex node) const { return at(node).takes_starts(); }
    [[nodiscard]] bool is_commandable(NodeIndex node) const { return at(node).commandable; }
    /// False for a lost node, and for one that was removed.
    [[nodiscard]] bool is_counted(NodeIndex node) const {
        return is_known(node) && nodes_[raw(node)].counted;
    }
    [[nodiscard]] const std::optional<Evacuation>& evacuation(NodeIndex node) const {
        return at(node).evacuation;
    }
    /// How many nodes are to be left.
    [[nodiscard]] std::size_t evacuating() const { return evacuating_; }
    [[nodiscard]] const Offer& offer(NodeIndex node) const;
    [[nodiscard]] const std::string& name(NodeIndex node) const { return at(node).name; }
    /// All known nodes in the order of their names.
    [[nodiscard]] std::span<const NodeIndex> by_name() const;
    /// Grows whenever a node came or went.
    [[nodiscard]] std::uint64_t names_version() const { return names_version_; }

    /// Nodes that came to serve or ceased to since the last call; some may be gone by now.
    [[nodiscard]] std::vector<NodeIndex> take_flipped();
    /// Nodes that came or went, or whose offer changed, since the last call.
    [[nodiscard]] std::vector<NodeIndex> take_offered() { return std::exchange(offered_, {}); }

private:
    friend struct CoreFields;

    struct Entry {
        std::string name;
        bool present = false;
        bool serving = false;
        bool commandable = false;
        bool counted = true;
        bool flipped = false;  // In the list of take_flipped().
        std::optional<Evacuation> evacuation;
        Boxed<Offer> offer;  // If it is not like any other's.
        [[nodiscard]] bool takes_starts() const { return serving && commandable && counted; }
    };

    Entry& at(NodeIndex node);
    [[nodiscard]] const Entry& at(NodeIndex node) const;
    bool set(NodeIndex index, bool Entry::*fact, bool value);
    void sort_names() const;

    std::deque<Entry> nodes_;  // There is none too many.
    // Sorted when read: many come or go together.
    mutable std::vector<NodeIndex> by_name_;
    mutable std::size_t names_sorted_ = 0;  // Up to here; then new ones, in no order.
    mutable bool names_gone_ = false;       // Some are of slots that are free.
    std::size_t evacuating_ = 0;
    std::vector<NodeIndex> flipped_;
    std::vector<NodeIndex> offered_;
    std::uint64_t names_version_ = 0;
};

}  // namespace muster::coordinator
