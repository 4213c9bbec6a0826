#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/messages/operator/views.hpp"

/// The coordinator in numbers, and what agents last said: for monitors and for a closer look.
namespace muster {

struct StatsRequest {
    friend bool operator==(const StatsRequest&, const StatsRequest&) = default;
};

/// What the nodes that answered said in the last closed term.
struct ReportedRequest {
    std::string pattern = "*";

    friend bool operator==(const ReportedRequest&, const ReportedRequest&) = default;
};

using MetricLabels = std::map<std::string, std::string>;

/// A number as it is now. One whose name ends in `_total` only grows, from 0 at the start.
struct Sample {
    std::string name;
    MetricLabels labels;  ///< Tell it from the others of its name.
    std::uint64_t value = 0;

    friend bool operator==(const Sample&, const Sample&) = default;
};

/// How often it took at most so long, and longer than the bound before.
struct Bucket {
    std::uint64_t up_to_us = 0;  ///< 0: longer than all bounds.
    std::uint64_t count = 0;

    friend bool operator==(const Bucket&, const Bucket&) = default;
};

struct Durations {
    std::string name;
    MetricLabels labels;
    std::vector<Bucket> buckets;
    std::uint64_t sum_us = 0;

    friend bool operator==(const Durations&, const Durations&) = default;
};

struct StatsReply {
    std::vector<Sample> samples;
    std::vector<Durations> durations;

    friend bool operator==(const StatsReply&, const StatsReply&) = default;
};

struct ReportedNode {
    std::string name;
    Term term{};  ///< In which it answered last.
    std::vector<InstanceView> instances;

    friend bool operator==(const ReportedNode&, const ReportedNode&) = default;
};

struct ReportedReply {
    Term term{};       ///< The last that closed.
    bool none = true;  ///< No term has closed yet: what is reported is not known, not nothing.
    std::vector<ReportedNode> nodes;

    friend bool operator==(const ReportedReply&, const ReportedReply&) = default;
};

}  // namespace muster
