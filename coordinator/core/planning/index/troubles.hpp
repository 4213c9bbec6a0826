#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace muster::coordinator {

/// What went wrong with one instance of late: where it failed, and who refuses to start it.
struct Trouble {
    static constexpr std::size_t nodes_tried_most = 3;  ///< The first, and two others.

    /// A node refused a start so often in a row, and is asked again then.
    struct Refusal {
        NodeIndex node{};
        std::uint32_t count = 0;
        Instant again{};
        bool vanished = false;  ///< Rather, the instance was gone from there, without a word.
    };

    Generation generation{};           ///< Only this one is meant.
    std::vector<NodeIndex> failed_on;  ///< It is not tried again there.
    /// By node as they came; one ends when the instance is started anywhere, or where it vanished,
    /// when it has been well for long.
    std::vector<Refusal> refusals;
    std::string last_refusal;  ///< Who, and why.
    std::optional<Instant> good_since;

    [[nodiscard]] bool has_failed_on(NodeIndex node) const {
        return std::ranges::find(failed_on, node) != failed_on.end();
    }
    [[nodiscard]] bool has_vanished_on(NodeIndex node) const;
    /// The instance is not to be started there now.
    [[nodiscard]] bool shuns(NodeIndex node, Instant now) const;
    /// Some node that refused it is not asked again yet.
    [[nodiscard]] bool is_refused(Instant now) const;
    [[nodiscard]] std::uint32_t refused() const;
    /// It failed on as many nodes as it is tried on.
    [[nodiscard]] bool is_given_up() const { return failed_on.size() >= nodes_tried_most; }
};

/// The instances with which something went wrong, and when their tasks are to be looked at again.
/// Not durable: a new leader tries as often anew.
///
/// Pure: no clock, no I/O, no thread. Owned by the planner.
class Troubles {
public:
    using Key = std::pair<TaskIndex, Ordinal>;

    /// It failed there in this generation.
    void failed(const Key& key, Generation generation, NodeIndex node);
    /// A start was refused: the same node is asked again after 1 s, doubled up to 5 min.
    void refused(Instant now, const Key& key, Generation generation, NodeIndex node,
                 std::string why);
    /// What the node was to run, and had obeyed or reported, is not there: as if it were refused.
    void vanished(Instant now, const Key& key, Generation generation, NodeIndex node,
                  std::string why);
    /// Nothing has vanished on the node: it was leaving, or is no more.
    void excuse(NodeIndex node);
    /// It is as its node reports; for ten good minutes on end, and all is forgotten.
    void reported(Instant now, const Key& key, bool runs);
    /// What is not of this task in this generation, and of so many instances, is over.
    void keep(TaskIndex task, Generation generation, std::uint32_t instances);

    [[nodiscard]] const Trouble* find(const Key& key) const;
    [[nodiscard]] bool has(TaskIndex task) const;

private:
    friend struct PlannerFields;  // Which records it.

    Trouble& at(const Key& key, Generation generation);
    static Trouble::Refusal& refuse(Instant now, Trouble& trouble, NodeIndex node, std::string why);

    std::map<Key, Trouble> troubles_;
};

}  // namespace muster::coordinator
