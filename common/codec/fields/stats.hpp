#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/views.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/stats.hpp"

/// The fields of the coordinator's numbers. docs/protocol.md repeats them.
namespace muster::codec {

inline constexpr Rule metric_labels = texts(limits::metric_labels, limits::name_bytes);

void fields(auto&, Like<StatsRequest> auto&) {}
void fields(auto& visit, Like<ReportedRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern.or_default());
}

void fields(auto& visit, Like<Sample> auto& sample) {
    visit("name", sample.name, short_text);
    visit("labels", sample.labels, metric_labels);
    visit("value", sample.value, plain);
}
void fields(auto& visit, Like<Bucket> auto& bucket) {
    visit("up_to_us", bucket.up_to_us, plain);
    visit("count", bucket.count, plain);
}
void fields(auto& visit, Like<Durations> auto& durations) {
    visit("name", durations.name, short_text);
    visit("labels", durations.labels, metric_labels);
    visit("buckets", durations.buckets, rows);
    visit("sum_us", durations.sum_us, plain);
}
void fields(auto& visit, Like<StatsReply> auto& reply) {
    visit("samples", reply.samples, rows);
    visit("durations", reply.durations, rows);
}

void fields(auto& visit, Like<ReportedNode> auto& node) {
    visit("name", node.name, short_text);
    visit("term", node.term, plain);
    visit("instances", node.instances, rows);
}
void fields(auto& visit, Like<ReportedReply> auto& reply) {
    visit("term", reply.term, plain);
    visit("none", reply.none, plain);
    visit("nodes", reply.nodes, rows);
}

}  // namespace muster::codec
