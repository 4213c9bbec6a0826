#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/nodes.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/audit.hpp"

/// The fields of requests about the audit. docs/reference/protocol.md repeats them.
namespace muster::codec {

void fields(auto& visit, Like<AuditShowRequest> auto& request) {
    optional_field(visit, "since", request.since);
    visit("limit", request.limit, plain.or_default());
}
void fields(auto& /*visit*/, Like<AuditVerifyRequest> auto& /*request*/) {}
void fields(auto& visit, Like<AuditView> auto& row) {
    visit("number", row.number, plain);
    visit("at", row.at, plain);
    visit("actor", row.actor, explanation);
    visit("fingerprint", row.fingerprint, short_text);
    visit("action", row.action, short_text);
    visit("result", row.result, short_text);
    visit("detail", row.detail, explanation);
    visit("request_id", row.request, plain);
    visit("epoch", row.epoch, plain);
    visit("counter", row.counter, plain);
    visit("hash", row.hash, text(limits::pattern_bytes));
}
void fields(auto& visit, Like<AuditReply> auto& reply) { visit("rows", reply.rows, rows); }
void fields(auto& visit, Like<AuditVerifyReply> auto& reply) {
    visit("rows", reply.rows, plain);
    visit("first", reply.first, plain);
    visit("last", reply.last, plain);
    visit("fault", reply.fault, explanation);
    visit("keyed", reply.keyed, plain);
}

}  // namespace muster::codec
