#include "coordinator/core/planning/index/label_values.hpp"

#include <map>
#include <string>

#include "common/spec/constraint.hpp"
#include "coordinator/core/workload/by_index.hpp"

namespace muster::coordinator {

LabelValues label_values(const Placements& placements, std::string_view key) {
    const std::string name{key};
    LabelValues values;
    std::map<std::string_view, std::uint32_t> numbers;
    for (const NodeIndex node : placements.nodes().by_name()) {
        std::string_view value;  // No label's value is empty.
        if (key == node_key) {
            value = placements.nodes().name(node);
        } else {
            const Labels& labels = placements.nodes().offer(node).labels;
            const auto label = labels.find(name);
            value = label == labels.end() ? std::string_view{} : label->second;
        }
        const auto number = numbers.try_emplace(value, values.count);
        values.count += number.second ? 1U : 0U;
        made_at(values.of, node) = number.first->second;
    }
    return values;
}

}  // namespace muster::coordinator
