#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "coordinator/core/workload/by_index.hpp"
#include "coordinator/core/workload/copy.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// An instance as its node last reported it; compared with the next report.
struct ReportedInstance {
    Generation generation{};
    CivilMs started{};
    TaskIndex task{};
    Ordinal ordinal = 0;
    std::uint32_t restarts = 0;
    std::int32_t exit_code = -1;
    std::int16_t exit_signal = 0;
    std::uint16_t proof_mark = 0;
    InstanceState state{};
    Origin origin{};
    bool detailed = false;  ///< It has a detail text: see ReportedInstances::detail().

    friend bool operator==(const ReportedInstance&, const ReportedInstance&) = default;
};
static_assert(sizeof(ReportedInstance) == 40, "there are a million of them");

/// Compares the instance with this id in the order of reports.
[[nodiscard]] std::strong_ordering order_of(const Workload& workload,
                                            const ReportedInstance& instance, const InstanceId& id);

/// All that each node reported, in the order of reports: by name of task, then ordinal. So an
/// unchanged snapshot costs one comparison an instance.
///
/// Owned by Placements, which applies the reports.
class ReportedInstances {
public:
    explicit ReportedInstances(const Workload& workload) : workload_{workload} {}
    /// A copy for another workload with the same indices.
    ReportedInstances(const ReportedInstances& other, const Workload& workload)
        : workload_{workload}, nodes_{other.nodes_}, details_{other.details_} {}

    [[nodiscard]] std::span<const ReportedInstance> on(NodeIndex node) const;
    [[nodiscard]] std::size_t count(NodeIndex node) const { return on(node).size(); }
    /// Null if the node does not report the instance.
    [[nodiscard]] const ReportedInstance* find(NodeIndex node, const InstanceId& id) const;
    [[nodiscard]] std::string detail(NodeIndex node, const ReportedInstance& instance) const;
    [[nodiscard]] bool is_same(NodeIndex node, const ReportedInstance& held,
                               const InstanceReport& report) const;
    /// The number of equal instances before the first difference.
    [[nodiscard]] std::size_t count_same(NodeIndex node,
                                         std::span<const InstanceReport> reports) const;

    /// The instance of a report, as it is kept from now on.
    [[nodiscard]] ReportedInstance hold(NodeIndex node, TaskIndex task,
                                        const InstanceReport& report, Origin origin);
    /// Its node does not report the instance any more.
    void drop_detail(NodeIndex node, const ReportedInstance& instance);
    /// Takes out all but the first `same` instances, and makes room for `more`.
    [[nodiscard]] std::vector<ReportedInstance> take_rest(NodeIndex node, std::size_t same,
                                                          std::size_t more);
    void append(NodeIndex node, const ReportedInstance& instance) { at(node).push_back(instance); }
    /// Inserts the instance in order, or replaces the one with this id.
    void put(NodeIndex node, const InstanceId& id, const ReportedInstance& instance);
    void erase(NodeIndex node, const InstanceId& id);
    void set_origin(NodeIndex node, const InstanceId& id, Origin origin);
    void forget(NodeIndex node) { at(node) = {}; }

private:
    friend struct CoreFields;
    using OfNode = std::vector<ReportedInstance>;

    OfNode& at(NodeIndex node) { return made_at(nodes_, node); }
    [[nodiscard]] std::size_t position_of(const OfNode& instances, const InstanceId& id) const;

    const Workload& workload_;
    std::deque<OfNode> nodes_;  // A deque: no spare capacity.
    std::map<std::tuple<NodeIndex, TaskIndex, Ordinal>, std::string> details_;  // Rare.
};

}  // namespace muster::coordinator
