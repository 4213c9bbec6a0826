#include "coordinator/http/metrics_text.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

namespace muster::coordinator {
namespace {

// The format requires escapes for some characters of a label's value.
void add_escaped(std::string& text, std::string_view value) {
    for (const char c : value) {
        switch (c) {
            case '\\': text += "\\\\"; break;
            case '"': text += "\\\""; break;
            case '\n': text += "\\n"; break;
            default: text += c;
        }
    }
}

/// Microseconds as seconds: `0.0005`, `2.5`.
std::string seconds(std::uint64_t us) {
    std::string fraction = std::to_string(us % 1'000'000);
    fraction.insert(0, 6 - fraction.size(), '0');
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return std::to_string(us / 1'000'000) + (fraction.empty() ? "" : "." + fraction);
}

void line(std::string& text, const std::string& name, const MetricLabels& labels,
          const std::string& value, std::string_view more_labels = "") {
    text += name;
    const char* before = "{";
    for (const auto& [label, label_value] : labels) {
        text.append(std::exchange(before, ",")).append(label).append("=\"");
        add_escaped(text, label_value);
        text += '"';
    }
    if (!more_labels.empty()) {
        text.append(std::exchange(before, ",")).append(more_labels);
    }
    text.append(*before == ',' ? "} " : " ").append(value) += '\n';
}

void add_type(std::string& text, std::string& last, const std::string& name, const char* type) {
    if (name != last) {
        text += "# TYPE " + name + " " + type + "\n";
        last = name;
    }
}

void add(std::string& text, const std::string& name, const Durations& durations) {
    std::uint64_t count = 0;
    for (const Bucket& bucket : durations.buckets) {
        count += bucket.count;
        const std::string bound = bucket.up_to_us == 0 ? "+Inf" : seconds(bucket.up_to_us);
        line(text, name + "_bucket", durations.labels, std::to_string(count),
             "le=\"" + bound + "\"");
    }
    line(text, name + "_sum", durations.labels, seconds(durations.sum_us));
    line(text, name + "_count", durations.labels, std::to_string(count));
}

}  // namespace

std::string metrics_text(const StatsReply& stats) {
    std::string text;
    std::string last;
    for (const Sample& sample : stats.samples) {
        const bool grows = sample.name.ends_with("_total");
        add_type(text, last, sample.name, grows ? "counter" : "gauge");
        line(text, sample.name, sample.labels, std::to_string(sample.value));
    }
    for (const Durations& durations : stats.durations) {
        const std::string name = durations.name + "_seconds";
        add_type(text, last, name, "histogram");
        add(text, name, durations);
    }
    return text;
}

}  // namespace muster::coordinator
