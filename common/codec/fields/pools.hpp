#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/placement.hpp"
#include "common/codec/fields/views.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/pools.hpp"

/// The fields of requests about pools. docs/reference/protocol.md repeats them.
namespace muster::codec {

void fields(auto& visit, Like<PoolNeedView> auto& need) {
    visit("pool", need.pool, valid_name);
    visit("amount", need.amount, plain);
}
void fields(auto& visit, Like<DemandSetRequest> auto& request) {
    visit("reporter", request.reporter, valid_name);
    visit("life", request.life, plain.or_default());
    visit("sequence", request.sequence, plain.or_default());
    visit("ttl_ms", request.ttl_ms, plain.or_default());
    visit("needs", request.needs, list(limits::advert_pools));
}
void fields(auto& visit, Like<DemandReply> auto& reply) {
    visit("newest", reply.newest, plain);
    visit("undefined", reply.undefined, plain.or_default());
}
void fields(auto& visit, Like<DemandListRequest, PoolListRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern.or_default());
}
void fields(auto& visit, Like<DemandView> auto& view) {
    visit("pool", view.pool, valid_name);
    visit("reporter", view.reporter, valid_name);
    visit("amount", view.amount, plain);
    visit("ends_in_ms", view.ends_in_ms, plain);
}
void fields(auto& visit, Like<DemandListReply> auto& reply) { visit("demand", reply.demand, rows); }
void fields(auto& visit, Like<PoolView> auto& pool) {
    visit("name", pool.name, valid_name);
    visit("nodes", pool.nodes, plain);
    visit("serving", pool.serving, plain);
    visit("draining", pool.draining, plain);
    visit("demand", pool.demand, plain);
    visit("reporters", pool.reporters, plain);
    visit("provider", pool.provider, short_text.or_default());
    visit("wanted", pool.wanted, plain.or_default());
    visit("capacity", pool.capacity, plain.or_default());
    visit("reason", pool.reason, short_text.or_default());
}
void fields(auto& visit, Like<PoolListReply> auto& reply) { visit("pools", reply.pools, rows); }
void fields(auto& visit, Like<PoolForecastRequest> auto& request) {
    visit("name", request.name, valid_name);
}
void fields(auto& visit, Like<ForecastView> auto& view) {
    visit("predictor", view.predictor, short_text);
    visit("predicted", view.predicted, plain);
    visit("predictions", view.predictions, plain);
    visit("short_ones", view.short_ones, plain);
    visit("mean_over", view.mean_over, plain);
    visit("mean_under", view.mean_under, plain);
    visit("trouble", view.trouble, explanation.or_default());
}
void fields(auto& visit, Like<NeedPoint> auto& point) {
    visit("at", point.at, plain);
    visit("need", point.need, plain);
}
void fields(auto& visit, Like<PoolForecastReply> auto& reply) {
    visit("name", reply.name, valid_name);
    visit("active", reply.active, short_text.or_default());
    visit("need", reply.need, plain);
    visit("ahead_ms", reply.ahead_ms, plain);
    visit("predictors", reply.predictors, rows);
    visit("recent", reply.recent, rows);
}

}  // namespace muster::codec
