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
#include "common/base/time.hpp"
#include "common/spec/placement.hpp"
#include "coordinator/core/workload/order.hpp"

namespace muster::coordinator {

/// Facts about nodes for the copies and the planner: names in order, which nodes get instances or
/// orders, whose copies count, which nodes are evacuated, and what each offers.
///
/// A setter returns true if it changed anything: then the tasks on the node must be planned again.
/// Owned by Placements; only Placements changes it.
class NodeTable {
public:
    /// A new node is not serving and not commandable, but counted. Names are unique.
    void add(NodeIndex index, std::string_view name);
    /// The record is deleted. The node must not count and not be evacuated any more.
    void remove(NodeIndex index);
    /// Marks all nodes as new.
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
    void set_answered(NodeIndex node, Instant when) { at(node).answered = when; }
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
    /// When the node last answered a poll: until then its reports are known to be true.
    [[nodiscard]] Instant answered(NodeIndex node) const {
        return is_known(node) ? at(node).answered : Instant{};
    }
    [[nodiscard]] const std::optional<Evacuation>& evacuation(NodeIndex node) const {
        return at(node).evacuation;
    }
    /// The number of nodes that are evacuated.
    [[nodiscard]] std::size_t evacuating() const { return evacuating_; }
    [[nodiscard]] const Offer& offer(NodeIndex node) const;
    [[nodiscard]] const std::string& name(NodeIndex node) const { return at(node).name; }
    /// All known nodes in the order of their names.
    [[nodiscard]] std::span<const NodeIndex> by_name() const;
    /// Grows whenever a node was added or removed.
    [[nodiscard]] std::uint64_t names_version() const { return names_version_; }

    /// Nodes that began or ceased to serve since the last call; some may be removed by now.
    [[nodiscard]] std::vector<NodeIndex> take_flipped();
    /// Nodes that were added, removed, or changed their offer since the last call.
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
        Instant answered{};
        std::optional<Evacuation> evacuation;
        Boxed<Offer> offer;  // If it differs from the default.
        [[nodiscard]] bool takes_starts() const { return serving && commandable && counted; }
    };

    Entry& at(NodeIndex node);
    [[nodiscard]] const Entry& at(NodeIndex node) const;
    bool set(NodeIndex index, bool Entry::*fact, bool value);
    void sort_names() const;

    std::deque<Entry> nodes_;  // A deque: no spare capacity.
    // Sorted when read, because many nodes are added or removed together.
    mutable std::vector<NodeIndex> by_name_;
    mutable std::size_t names_sorted_ = 0;  // Sorted up to here; then new nodes, in no order.
    mutable bool names_gone_ = false;       // Some entries belong to free slots.
    std::size_t evacuating_ = 0;
    std::vector<NodeIndex> flipped_;
    std::vector<NodeIndex> offered_;
    std::uint64_t names_version_ = 0;
};

}  // namespace muster::coordinator
