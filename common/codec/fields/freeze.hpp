#pragma once

#include "common/codec/fields/intents.hpp"
#include "common/codec/fields/views.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/freeze.hpp"

/// The fields of the freeze. docs/protocol.md repeats them.
namespace muster::codec {

void fields(auto&, Like<FreezeShowRequest> auto&) {}
void fields(auto& visit, Like<FreezeOnRequest> auto& request) { fields(visit, request.why); }
void fields(auto& visit, Like<FreezeOffRequest> auto& request) { fields(visit, request.why); }
void fields(auto& visit, Like<FreezeView> auto& freeze) {
    visit("on", freeze.on, plain);
    visit("manual", freeze.manual, plain);
    visit("since", freeze.since, plain);
    visit("reason", freeze.reason, explanation);
    visit("author", freeze.author, explanation);
    visit("counted", freeze.counted, plain);
    visit("silent", freeze.silent, plain);
    visit("enter_at", freeze.enter_at, plain);
    visit("leave_below", freeze.leave_below, plain);
    visit("calm_terms", freeze.calm_terms, plain);
    visit("detail", freeze.detail, explanation);
}
void fields(auto& visit, Like<FreezeReply> auto& reply) {
    visit("counter", reply.counter, plain);
    visit("freeze", reply.freeze, plain);
}

}  // namespace muster::codec
