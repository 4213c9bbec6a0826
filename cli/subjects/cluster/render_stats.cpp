#include <cstdint>

#include <fmt/format.h>

#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"

namespace muster::cli {

namespace {

std::string shown(const MetricLabels& labels) {
    return joined(labels, ", ", [](const auto& label) { return label.first + "=" + label.second; });
}

/// The least bound that holds this percentage; empty: none does.
std::string bound_of(const Durations& durations, std::uint64_t count, std::uint64_t percent) {
    std::uint64_t below = 0;
    for (const Bucket& bucket : durations.buckets) {
        below += bucket.count;
        if (below * 100 >= count * percent) {
            return bucket.up_to_us == 0
                       ? "longer"
                       : fmt::format("{} ms", static_cast<double>(bucket.up_to_us) / 1e3);
        }
    }
    return "-";
}

}  // namespace

std::string text_of(const StatsReply& stats, const Style& style) {
    Table numbers{{"METRIC", "OF", "VALUE"}};
    for (const Sample& sample : stats.samples) {
        numbers.add({sample.name, shown(sample.labels), std::to_string(sample.value)});
    }
    Table times{{"TIME OF", "PART", "COUNT", "MEAN", "P50", "P99"}};
    for (const Durations& durations : stats.durations) {
        std::uint64_t count = 0;
        for (const Bucket& bucket : durations.buckets) {
            count += bucket.count;
        }
        const double mean =
            count == 0 ? 0
                       : static_cast<double>(durations.sum_us) / static_cast<double>(count) / 1e3;
        times.add({durations.name, shown(durations.labels), std::to_string(count),
                   count == 0 ? "-" : fmt::format("{:.3f} ms", mean),
                   count == 0 ? "-" : bound_of(durations, count, 50),
                   count == 0 ? "-" : bound_of(durations, count, 99)});
    }
    return numbers.to_text(style) + "\n" + times.to_text(style);
}

std::string text_of(const ReportedReply& reported, CivilMs now, const Style& style) {
    if (reported.none) {
        return "no round has closed yet, so it is not known what runs\n";
    }
    std::string text = fmt::format("round {}: {} answered\n", raw(reported.round),
                                   counted(reported.nodes.size(), "node"));
    std::vector<InstanceView> all;
    for (const ReportedNode& node : in_natural_order(reported.nodes, &ReportedNode::name)) {
        all.insert(all.end(), node.instances.begin(), node.instances.end());
    }
    return text + (all.empty() ? "no instances\n" : render_instances(all, now, style));
}

}  // namespace muster::cli
