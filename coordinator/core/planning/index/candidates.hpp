#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coordinator/core/planning/index/homes.hpp"
#include "coordinator/core/planning/index/resource_ledger.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// A class of tasks with equal requests: pool, constraints and resources.
enum class ClassIndex : std::uint32_t {};

/// Finds nodes that may take an instance, the least loaded first.
///
/// Tasks with equal requests form a class. A class keeps the set of nodes whose offer it accepts,
/// and updates the set node by node when it is used. It also keeps a place in the order of load,
/// then name, before which no node has room for it. So a pass skips full nodes once, not once for
/// each instance. The place is valid until some node's load or use falls.
///
/// If all nodes are in the default pool and none bounds its slots, tasks without special requests
/// need no filters at all.
///
/// Owned by the planner.
class Candidates {
public:
    Candidates(const Placements& placements, const Homes& homes, const ResourceLedger& ledger);

    /// The class of tasks without special requests.
    static constexpr ClassIndex plain{0};
    /// The class of this rule. It is kept until it was released as often as it was acquired.
    [[nodiscard]] ClassIndex acquire(const PlacementRule& rule);
    void release(ClassIndex of);

    /// The node is new, was removed, or changed its offer.
    void offer_changed(NodeIndex node);
    /// A name was added or removed, so ranks changed.
    void ranks_changed() { ++ranks_version_; }

    /// Every serving node that is not full fits.
    [[nodiscard]] bool is_trivial(ClassIndex of) const {
        return of == plain && foreign_ == 0 && !ledger_.counts_slots();
    }
    /// Pool and labels match the request.
    [[nodiscard]] bool admits(ClassIndex of, NodeIndex node) const {
        return is_trivial(of) || accepts(at(of).rule, node);
    }
    /// The node has the requested resources free.
    [[nodiscard]] bool has_room(ClassIndex of, NodeIndex node) const {
        return is_trivial(of) || judge_room(of, node) == Verdict::fits;
    }
    [[nodiscard]] Verdict judge_room(ClassIndex of, NodeIndex node) const {
        return ledger_.judge(node, at(of).rule.request);
    }
    /// The nodes that the class admits.
    [[nodiscard]] const NodeSet& among(ClassIndex of) { return brought_up(of).among; }

    /// The most frequent reason why no serving node has room; `fits` if one has.
    [[nodiscard]] Verdict why_none(ClassIndex of);
    /// The number of changes of offers so far.
    [[nodiscard]] std::uint64_t offers_end() const { return offers_begin_ + offers_.size(); }

    struct Search {
        ClassIndex of{};
        const NodeSet* within = nullptr;  ///< If given, only nodes in it.
        /// On the nodes of these copies, room for one is reserved already.
        std::span<const Copy> own{};
    };
    /// The next node that the class accepts and for which `fits` holds, in the order of load, then
    /// name.
    [[nodiscard]] std::optional<NodeIndex> next(const Search& search, Loads::Cursor& cursor,
                                                const auto& fits);

private:
    friend struct CoreFields;

    struct Class {
        PlacementRule rule;  // Only the fields that define the class.
        std::string key;
        std::uint32_t users = 0;
        std::vector<bool> member;  // By NodeIndex: pool and labels match.
        NodeSet among;             // The members by rank.
        std::uint64_t offers_seen = 0;
        std::uint64_t ranks_seen = 0;
        bool is_new = true;
        Loads::Cursor from;            // No node before this has room,
        std::uint64_t falls_seen = 0;  // unless a load or use fell since.
        // The result of why_none(), valid while nothing falls and this many nodes serve; `fits`:
        // unknown.
        Verdict why = Verdict::fits;
        std::size_t why_serving = 0;
    };

    [[nodiscard]] const Class& at(ClassIndex of) const { return classes_[raw(of)]; }
    Class& brought_up(ClassIndex of);
    [[nodiscard]] bool accepts(const PlacementRule& rule, NodeIndex node) const;
    [[nodiscard]] bool suits_elsewhere(const Class& one) const;
    void judge_all(Class& one) const;
    void judge_changed(Class& one) const;
    [[nodiscard]] Loads::Cursor& place_of(Class& one) const;
    [[nodiscard]] std::uint64_t falls() const { return homes_.loads().falls() + ledger_.falls(); }

    const Placements& placements_;
    const Homes& homes_;
    const ResourceLedger& ledger_;
    std::vector<Class> classes_;
    std::vector<ClassIndex> free_;
    std::map<std::string, ClassIndex> by_key_;
    std::vector<NodeIndex> offers_;   // Nodes whose offer changed, the latest last.
    std::uint64_t offers_begin_ = 0;  // How many were dropped from the front.
    std::uint64_t ranks_version_ = 1;
    std::vector<bool> is_foreign_;  // By NodeIndex: not in the default pool.
    std::uint32_t foreign_ = 0;
};

std::optional<NodeIndex> Candidates::next(const Search& search, Loads::Cursor& cursor,
                                          const auto& fits) {
    const Loads& loads = homes_.loads();
    if (is_trivial(search.of)) {
        const std::span<const NodeSet* const> within{&search.within, 1};
        return search.within == nullptr ? loads.next(cursor, fits)
                                        : loads.next(cursor, within, fits);
    }
    Class& one = brought_up(search.of);
    Loads::Cursor& from = place_of(one);
    const bool is_whole = search.within == nullptr && search.own.empty();
    if (is_whole && cursor < from) {
        cursor.load = from.load;
        cursor.rank = from.rank;
    }
    bool is_front = is_whole && !(from < cursor);  // All nodes before the cursor are full.
    const std::array<const NodeSet*, 2> sets{&one.among, search.within};
    const std::span<const NodeSet* const> among{sets.data(), search.within == nullptr ? 1U : 2U};
    const auto found = loads.next(cursor, among, [&](NodeIndex node) {
        const bool is_own =
            std::ranges::any_of(search.own, [&](const Copy& copy) { return copy.node == node; });
        if (!is_own && ledger_.judge(node, one.rule.request) != Verdict::fits) {
            if (is_front) {
                from = {loads.of(node), loads.rank(node) + 1};
            }
            return false;
        }
        is_front = false;
        return fits(node);
    });
    if (!found && is_front && cursor.load > loads.most()) {
        from = {loads.most() + 1, 0};
    }
    return found;
}

}  // namespace muster::coordinator
