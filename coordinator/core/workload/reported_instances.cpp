#include "coordinator/core/workload/reported_instances.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "coordinator/core/workload/order_proofs.hpp"

namespace muster::coordinator {

namespace {

std::int16_t narrow_signal(std::int32_t signal) {
    constexpr std::int32_t least = std::numeric_limits<std::int16_t>::min();
    constexpr std::int32_t most = std::numeric_limits<std::int16_t>::max();
    return static_cast<std::int16_t>(std::clamp(signal, least, most));
}

}  // namespace

std::strong_ordering order_of(const Workload& workload, const ReportedInstance& instance,
                              const InstanceId& id) {
    const auto by_name = workload.name(instance.task) <=> id.task;
    return by_name != 0 ? by_name : instance.ordinal <=> id.ordinal;
}

std::span<const ReportedInstance> ReportedInstances::on(NodeIndex node) const {
    return raw(node) < nodes_.size() ? std::span{nodes_[raw(node)]}
                                     : std::span<const ReportedInstance>{};
}

const ReportedInstance* ReportedInstances::find(NodeIndex node, const InstanceId& id) const {
    if (raw(node) >= nodes_.size()) {
        return nullptr;
    }
    const OfNode& instances = nodes_[raw(node)];
    const std::size_t at = position_of(instances, id);
    const bool is_there = at < instances.size() && order_of(workload_, instances[at], id) == 0;
    return is_there ? &instances[at] : nullptr;
}

std::string ReportedInstances::detail(NodeIndex node, const ReportedInstance& instance) const {
    return instance.detailed ? details_.at({node, instance.task, instance.ordinal}) : std::string{};
}

bool ReportedInstances::is_same(NodeIndex node, const ReportedInstance& held,
                                const InstanceReport& report) const {
    if (held.ordinal != report.id.ordinal || held.generation != report.generation ||
        held.state != report.state || held.started != report.started ||
        held.restarts != report.restarts || held.exit_code != report.exit_code ||
        held.exit_signal != narrow_signal(report.exit_signal) ||
        held.proof_mark != proof_mark(report.proof) || held.detailed == report.detail.empty() ||
        workload_.name(held.task) != report.id.task) {
        return false;
    }
    return !held.detailed || details_.at({node, held.task, held.ordinal}) == report.detail;
}

std::size_t ReportedInstances::count_same(NodeIndex node,
                                          std::span<const InstanceReport> reports) const {
    const std::span<const ReportedInstance> held = on(node);
    const std::size_t shorter = std::min(held.size(), reports.size());
    std::size_t same = 0;
    while (same < shorter && is_same(node, held[same], reports[same])) {
        ++same;
    }
    return same;
}

ReportedInstance ReportedInstances::hold(NodeIndex node, TaskIndex task,
                                         const InstanceReport& report, Origin origin) {
    if (report.detail.empty()) {
        details_.erase({node, task, report.id.ordinal});
    } else {
        details_[{node, task, report.id.ordinal}] = report.detail;
    }
    return {.generation = report.generation,
            .started = report.started,
            .task = task,
            .ordinal = report.id.ordinal,
            .restarts = report.restarts,
            .exit_code = report.exit_code,
            .exit_signal = narrow_signal(report.exit_signal),
            .proof_mark = proof_mark(report.proof),
            .state = report.state,
            .origin = origin,
            .detailed = !report.detail.empty()};
}

void ReportedInstances::drop_detail(NodeIndex node, const ReportedInstance& instance) {
    if (instance.detailed) {
        details_.erase({node, instance.task, instance.ordinal});
    }
}

std::vector<ReportedInstance> ReportedInstances::take_rest(NodeIndex node, std::size_t same,
                                                           std::size_t more) {
    OfNode& instances = at(node);
    const auto middle = instances.begin() + static_cast<std::ptrdiff_t>(same);
    std::vector<ReportedInstance> rest{middle, instances.end()};
    OfNode kept;
    kept.reserve(same + more);
    kept.assign(instances.begin(), middle);
    instances = std::move(kept);
    return rest;
}

void ReportedInstances::put(NodeIndex node, const InstanceId& id,
                            const ReportedInstance& instance) {
    OfNode& instances = at(node);
    const std::size_t position = position_of(instances, id);
    const bool is_there =
        position < instances.size() && order_of(workload_, instances[position], id) == 0;
    if (is_there) {
        instances[position] = instance;
    } else {
        instances.insert(instances.begin() + static_cast<std::ptrdiff_t>(position), instance);
    }
}

void ReportedInstances::erase(NodeIndex node, const InstanceId& id) {
    OfNode& instances = at(node);
    instances.erase(instances.begin() + static_cast<std::ptrdiff_t>(position_of(instances, id)));
}

void ReportedInstances::set_origin(NodeIndex node, const InstanceId& id, Origin origin) {
    OfNode& instances = at(node);
    instances.at(position_of(instances, id)).origin = origin;
}

std::size_t ReportedInstances::position_of(const OfNode& instances, const InstanceId& id) const {
    const auto found =
        std::lower_bound(instances.begin(), instances.end(), id,
                         [&](const ReportedInstance& instance, const InstanceId& wanted) {
                             return order_of(workload_, instance, wanted) < 0;
                         });
    return static_cast<std::size_t>(found - instances.begin());
}

}  // namespace muster::coordinator
