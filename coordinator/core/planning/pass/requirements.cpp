#include "coordinator/core/planning/pass/requirements.hpp"

#include <string_view>
#include <utility>

#include "common/spec/constraint.hpp"

namespace muster::coordinator {

namespace {

/// True if some nodes might not meet the rule. Loads are balanced exactly only without such tasks.
bool is_ruled(const PlacementRule& rule) {
    return !rule.constraints.empty() || rule.pool != default_pool ||
           rule.request != Resources{.slots = 1} || !rule.spread.empty() || !rule.group.empty() ||
           rule.every_node || rule.pinned;
}

/// Numbers values in the order of the nodes' names.
LabelValues label_values(const Placements& placements, const std::string& key) {
    LabelValues values;
    std::map<std::string_view, std::uint32_t> numbers;
    for (const NodeIndex node : placements.nodes().by_name()) {
        std::string_view value;  // No label's value is empty.
        if (key == node_key) {
            value = placements.nodes().name(node);
        } else {
            const Labels& labels = placements.nodes().offer(node).labels;
            const auto label = labels.find(key);
            value = label == labels.end() ? std::string_view{} : label->second;
        }
        const auto number = numbers.try_emplace(value, values.count);
        values.count += number.second ? 1U : 0U;
        made_at(values.of, node) = number.first->second;
    }
    return values;
}

}  // namespace

void Requirements::classify(TaskIndex index) {
    PerTask& task = made_at(tasks_, index);
    const PlacementRule& rule = workload_[index].place;
    const ClassIndex before = task.asks;
    task.asks = candidates_.acquire(rule);
    candidates_.release(before);
    ruled_tasks_ += is_ruled(rule) ? 1U : 0U;
    ruled_tasks_ -= std::exchange(task.ruled, is_ruled(rule)) ? 1U : 0U;
}

const LabelValues& Requirements::values_of(const std::string& key) {
    LabelValues& values = label_columns_[key];
    if (values.offers != candidates_.offers_end()) {
        values = label_values(placements_, key);
        values.offers = candidates_.offers_end();
    }
    return values;
}

}  // namespace muster::coordinator
